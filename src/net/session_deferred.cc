// How a session waits for an answer that comes later, and notices that nobody wants it any more.
#include <array>
#include <mutex>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "net/http_session.h"

namespace fireweed::net {
namespace {

constexpr size_t kAhead = 4 << 10;  // what a client may send before its answer has come

// Between whoever completes a deferred answer, on any thread and maybe after the server is gone,
// and the session.
struct Mailbox {
  std::mutex mu;
  std::shared_ptr<HttpSession> session;  // guarded by mu; null once the session stopped waiting
  std::optional<Response> response;      // guarded by mu
};

}  // namespace

// True when response_ holds an answer; false when there is nobody to give it to.
Task<bool> HttpSession::AwaitDeferred(std::shared_ptr<Deferred> deferred) {
  std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>();
  mailbox->session = shared_from_this();
  deferred->OnComplete([mailbox](Response response) {
    std::lock_guard lock(mailbox->mu);
    if (!mailbox->session) return;
    mailbox->response = std::move(response);
    mailbox->session->loop_.Post([session = mailbox->session] { session->news_.Signal(); });
  });
  if (!deferred->soon) WatchClient();
  std::chrono::milliseconds limit(deferred->timeout_ms);
  bool news = true;
  bool answered = false;
  while (news && !answered && !client_left_ && !stopping_ && (!draining_ || deferred->soon)) {
    if (limit.count() > 0) {
      news = co_await news_.WaitFor(limit);
    } else {
      co_await news_.Wait();
    }
    std::lock_guard lock(mailbox->mu);
    answered = mailbox->response.has_value();
  }
  deferred->Abandon();
  watching_ = false;
  transport_.StopWatching();
  {
    std::lock_guard lock(mailbox->mu);
    mailbox->session.reset();
    answered = mailbox->response.has_value();
    if (answered) response_ = std::move(*mailbox->response);
  }
  if (client_left_ || stopping_) co_return false;
  if (answered) co_return true;
  std::function<void()> work = [this, &deferred] {
    response_ = Guarded([&] {
      if (deferred->on_timeout) return deferred->on_timeout();
      throw Failure(Code::kUnavailable, "nothing happened in time");
    });
  };
  co_await OnPool(work);
  co_return true;
}

// Learns while no one reads whether the client goes away. What it sends meanwhile is kept for the
// next request.
void HttpSession::WatchClient() {
  client_left_ = false;
  if (end_ - tail_ > kAhead) return;
  watching_ = true;
  std::weak_ptr<HttpSession> weak = weak_from_this();
  transport_.WatchReadable([weak] {
    std::shared_ptr<HttpSession> self = weak.lock();
    if (self) self->OnReadableWhileWaiting();
  });
}

void HttpSession::OnReadableWhileWaiting() {
  if (!watching_)
    return;  // it was on its way when the wait ended; the bytes belong to the next read
  std::array<char, kAhead> bytes;
  ReadOutcome outcome = transport_.TryRead(bytes);
  if (outcome.kind == ReadOutcome::Kind::kBytes) {
    ahead_.append(bytes.data(), outcome.bytes);
  } else if (outcome.kind != ReadOutcome::Kind::kWouldBlock) {
    client_left_ = true;
    news_.Signal();
  }
}

}  // namespace fireweed::net
