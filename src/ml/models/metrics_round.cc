#include "ml/models/metrics_round.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <array>
#include <cerrno>

#include "net/response_parser.h"

namespace fireweed::ml {
namespace {

constexpr std::string_view kAsk =
    "GET /metrics HTTP/1.1\r\nHost: model\r\nConnection: close\r\n\r\n";

// One process that was asked.
class Question {
 public:
  explicit Question(ServingTarget& target) : connection_(Ask(target)) {}
  Question(const Question&) = delete;

  bool waits() const { return static_cast<bool>(connection_); }
  int fd() const { return connection_.get(); }

  // Something can be read.
  void Hear() {
    std::array<char, 16 << 10> bytes;
    ssize_t count = recv(fd(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) return connection_.reset();
    pending_.append(bytes.data(), static_cast<size_t>(count));
    try {
      pending_.erase(0, parser_.Feed(pending_));
    } catch (const Failure&) {
      return connection_.reset();
    }
    if (parser_.done()) connection_.reset();
  }
  // What it said, if that was all of it.
  std::string Text() { return parser_.done() ? std::move(text_) : ""; }

 private:
  static UniqueFd Ask(ServingTarget& target) {
    try {
      std::shared_ptr<net::Backend> backend = target.Next();
      if (!backend) return {};
      UniqueFd connection = backend->Connect().value();
      ssize_t sent = send(connection.get(), kAsk.data(), kAsk.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      return sent == static_cast<ssize_t>(kAsk.size()) ? std::move(connection) : UniqueFd();
    } catch (const Failure&) {
      return {};
    }
  }

  UniqueFd connection_;
  std::string text_, pending_;
  net::ResponseParser parser_{[this](std::string_view piece) { text_.append(piece); }, false};
};

using Questions = std::vector<std::unique_ptr<Question>>;

// Readable when the time is up.
UniqueFd TimerOf(std::chrono::milliseconds limit) {
  UniqueFd timer(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  itimerspec once{};
  once.it_value.tv_sec = limit.count() / 1000;
  once.it_value.tv_nsec = limit.count() % 1000 * 1'000'000;
  if (timer && timerfd_settime(timer.get(), 0, &once, nullptr) != 0) timer.reset();
  return timer;
}

// False when nobody is left to wait for, or the time is up.
bool HearSome(const Questions& questions, int timer) {
  std::vector<pollfd> waiting{{timer, POLLIN, 0}};
  std::vector<Question*> asked;
  for (const auto& question : questions) {
    if (!question->waits()) continue;
    waiting.push_back({question->fd(), POLLIN, 0});
    asked.push_back(question.get());
  }
  if (asked.empty()) return false;
  if (poll(waiting.data(), waiting.size(), -1) < 0) return errno == EINTR;
  for (size_t i = 0; i < asked.size(); ++i) {
    if (waiting[i + 1].revents != 0) asked[i]->Hear();
  }
  return waiting[0].revents == 0;
}

}  // namespace

std::vector<std::string> FetchMetrics(const std::vector<std::shared_ptr<ServingTarget>>& targets,
                                      std::chrono::milliseconds limit) {
  Questions questions;
  for (const auto& target : targets) questions.push_back(std::make_unique<Question>(*target));
  UniqueFd timer = TimerOf(limit);
  while (timer && HearSome(questions, timer.get())) continue;
  std::vector<std::string> texts;
  for (const auto& question : questions) texts.push_back(question->Text());
  return texts;
}

}  // namespace fireweed::ml
