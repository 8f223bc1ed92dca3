#include "source/git_exchange.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/bytes.h"
#include "base/error.h"
#include "source/cgi.h"

namespace fireweed::source {
namespace {

constexpr size_t kPiece = 64 << 10;
constexpr size_t kMostComplaint = 4 << 10;
constexpr int kSignalled = 128;

ChildProgram Spawn(std::vector<std::string> environment) {
  Result<ChildProgram> child = ChildProgram::Spawn({.argv = {"git", "http-backend"},
                                                    .environment = std::move(environment),
                                                    .new_session = true});
  if (!child.ok()) throw Failure(Code::kUnavailable, "git: " + child.error().message);
  for (UniqueFd* end : {&child->input, &child->output, &child->error}) {
    fcntl(end->get(), F_SETFL, O_NONBLOCK);
  }
  return std::move(*child);
}

class GitOutput final : public net::ByteSource {
 public:
  explicit GitOutput(std::unique_ptr<GitExchange> exchange) : exchange_(std::move(exchange)) {}
  Result<size_t> Read(std::span<std::byte> out) override { return exchange_->Read(out); }

 private:
  std::unique_ptr<GitExchange> exchange_;
};

}  // namespace

GitExchange::GitExchange(std::vector<std::string> environment, Duration patience,
                         std::shared_ptr<void> permit, Logger& log)
    : child_(Spawn(std::move(environment))),
      patience_(patience),
      permit_(std::move(permit)),
      log_(log) {}

void GitExchange::Drain(UniqueFd& from, std::string& to, size_t most) {
  std::array<char, kPiece> buffer;
  while (from) {
    ssize_t n = read(from.get(), buffer.data(), buffer.size());
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) return from.reset();
    to.append(buffer.data(), std::min(static_cast<size_t>(n), most - std::min(most, to.size())));
    if (&to == &ahead_) return;  // one piece a turn: whoever reads decides about more
  }
}

bool GitExchange::Turn(bool want_output) {
  std::array<pollfd, 3> waits{{{child_.input ? child_.input.get() : -1, POLLOUT, 0},
                               {want_output && child_.output ? child_.output.get() : -1, POLLIN, 0},
                               {child_.error ? child_.error.get() : -1, POLLIN, 0}}};
  auto limit = std::chrono::ceil<std::chrono::milliseconds>(patience_).count();
  int ready = poll(waits.data(), waits.size(), static_cast<int>(limit));
  if (ready == 0) return false;
  if (waits[0].revents & (POLLERR | POLLNVAL)) child_.input.reset();
  if (waits[1].revents) Drain(child_.output, ahead_, kMostAhead + kPiece);
  if (waits[2].revents) Drain(child_.error, error_, kMostComplaint);
  return true;
}

void GitExchange::Feed(std::span<const std::byte> bytes) {
  std::string_view left = AsText(bytes);
  while (!left.empty() && child_.input) {
    if (child_.Feed(left)) continue;
    if (!Turn(true)) throw Failure(Code::kUnavailable, "git takes nothing any more");
    if (ahead_.size() > kMostAhead)
      throw Failure(Code::kTooLarge, "git answers too much too early");
  }
}

net::Response GitExchange::Answer(std::unique_ptr<GitExchange> exchange) {
  exchange->child_.input.reset();
  std::optional<CgiHead> head;
  while (!(head = ParseCgiHead(exchange->ahead_))) {
    bool more = exchange->child_.output && exchange->ahead_.size() <= kPiece;
    if (!more || !exchange->Turn(true)) {
      exchange->LogEnd();
      throw Failure(Code::kUnavailable, "git gave no answer");
    }
  }
  net::Response response;
  response.status = head->status;
  for (auto& [name, value] : head->headers) response.Add(name, std::move(value));
  exchange->ahead_.erase(0, head->length);
  response.body = std::make_unique<GitOutput>(std::move(exchange));
  return response;
}

Result<size_t> GitExchange::Read(std::span<std::byte> out) {
  while (ahead_.empty() && child_.output) {
    if (!Turn(true)) return Error{Code::kUnavailable, "", "git is silent"};
  }
  size_t n = std::min(out.size(), ahead_.size());
  if (n > 0) {
    std::memcpy(out.data(), ahead_.data(), n);
    ahead_.erase(0, n);
    return n;
  }
  LogEnd();
  // What it says in the protocol about its own failures has been handed on; a killed one has said nothing.
  if (child_.Wait() >= kSignalled) return Error{Code::kUnavailable, "", "git was killed"};
  return size_t{0};
}

void GitExchange::LogEnd() {
  if (!error_.empty()) log_.Warning("git complained", {{"text", std::string(Trim(error_))}});
  error_.clear();
}

}  // namespace fireweed::source
