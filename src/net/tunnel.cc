#include "net/tunnel.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace fireweed::net {
namespace {

constexpr size_t kBuffer = 64 << 10;
// Writes never give up by themselves here: the tunnel's own idle limit covers both directions.
constexpr std::chrono::hours kNoStall{24 * 365};

class IdleLimit final : private Deadline {
 public:
  IdleLimit(IoLoop& loop, Transport& a, Transport& b, std::chrono::milliseconds idle)
      : Deadline(loop), loop_(loop), a_(a), b_(b), idle_(idle) {
    Moved();
  }
  void Moved() { at = loop_.After(idle_); }

 private:
  void Expire() override {
    a_.Cancel();
    b_.Cancel();
  }
  IoLoop& loop_;
  Transport& a_;
  Transport& b_;
  std::chrono::milliseconds idle_;
};

// One way out at the end: built by clang 14, a co_return inside an endless loop was seen to go on
// with the loop.
Task<void> Copy(Transport& from, Transport& to, IdleLimit& limit) {
  std::vector<char> buffer(kBuffer);
  std::span<char> room(buffer);
  ReadOutcome outcome{ReadOutcome::Kind::kBytes, 0};
  bool written = true;
  while (written && outcome.kind == ReadOutcome::Kind::kBytes) {
    outcome = co_await from.Read(room, kNever);
    std::string_view bytes(buffer.data(), outcome.bytes);
    if (!bytes.empty()) written = co_await to.Write(bytes, kNoStall);
    limit.Moved();
  }
  if (written && outcome.kind == ReadOutcome::Kind::kEnd) {
    to.ShutdownSend();
  } else {
    from.Cancel();
    to.Cancel();
  }
}

Task<void> CopyAndSignal(Transport& from, Transport& to, IdleLimit& limit, Event& done) {
  co_await Copy(from, to, limit);
  done.Signal();
}

}  // namespace

Task<void> Relay(IoLoop& loop, Transport& client, Transport& server, std::string_view early,
                 std::chrono::milliseconds idle) {
  IdleLimit limit(loop, client, server, idle);
  bool written = co_await server.Write(early, kNoStall);
  if (!written) co_return;
  Event done(loop);
  Task<void> back = CopyAndSignal(server, client, limit, done);
  boost::asio::co_spawn(loop.context(), std::move(back), boost::asio::detached);
  co_await Copy(client, server, limit);
  co_await done.Wait();
}

}  // namespace fireweed::net
