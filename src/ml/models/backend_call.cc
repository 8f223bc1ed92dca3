#include "ml/models/backend_call.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <future>

#include "describe/json_tree.h"
#include "net/response_parser.h"

namespace fireweed::ml {
namespace {

Error Broken(const char* what) { return {Code::kUnavailable, "", what}; }

bool Await(int fd, short events, std::chrono::milliseconds limit) {
  pollfd waiting{fd, events, 0};
  return poll(&waiting, 1, static_cast<int>(limit.count())) == 1;
}

Result<> SendAll(int fd, std::string_view text, std::chrono::milliseconds limit) {
  while (!text.empty()) {
    ssize_t sent = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      text.remove_prefix(static_cast<size_t>(sent));
    } else if ((errno != EAGAIN && errno != EINTR) || !Await(fd, POLLOUT, limit)) {
      return Broken("the serving process takes no requests");
    }
  }
  return Done{};
}

// {"error":"..."}, or whatever else it is.
std::string SaidOf(const std::string& body) {
  try {
    return JsonTree::Parse(body).TextOf("error");
  } catch (const Failure&) {
    return body;
  }
}

Result<std::string> Receive(int fd, std::chrono::milliseconds limit) {
  std::string body, pending;
  net::ResponseParser parser([&](std::string_view piece) { body.append(piece); }, false);
  std::array<char, 64 << 10> bytes;
  while (!parser.done()) {
    if (!Await(fd, POLLIN, limit)) return Broken("the serving process did not answer in time");
    ssize_t count = recv(fd, bytes.data(), bytes.size(), 0);
    if (count <= 0) return Broken("the serving process broke off");
    pending.append(bytes.data(), static_cast<size_t>(count));
    try {
      pending.erase(0, parser.Feed(pending));
    } catch (const Failure& failure) {
      return failure.error();
    }
  }
  int status = parser.status();
  bool judged = status != 429 && status != 502 && status != 503 && status != 504;
  if (judged) return body;
  return Error{Code::kUnavailable, std::string(kRefused), SaidOf(body)};
}

// Null when nobody came in time. Throws when the version was withdrawn.
std::shared_ptr<net::Backend> AwaitBackend(ServingTarget& target, std::chrono::milliseconds limit) {
  std::shared_ptr<net::Backend> backend = target.Next();
  if (backend) return backend;
  auto there = std::make_shared<std::promise<void>>();
  std::future<void> news = there->get_future();
  target.Await([there] { there->set_value(); });
  if (news.wait_for(limit) != std::future_status::ready) return nullptr;
  return target.Next();
}

Result<std::string> CallOnce(ServingTarget& target, const std::string& body,
                             const CallLimits& limits) {
  try {
    std::shared_ptr<net::Backend> backend = AwaitBackend(target, limits.wake);
    if (!backend) return Broken("the serving process was not ready in time");
    Result<UniqueFd> connection = backend->Connect();
    if (!connection.ok()) {
      target.Drop(backend);
      return connection.error();
    }
    std::string head =
        "POST /v1/predict HTTP/1.1\r\nHost: model\r\nContent-Type: application/json\r\n"
        "Connection: close\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n";
    Result<> sent = SendAll(connection->get(), head + body, limits.answer);
    // A request may be refused before it was taken: who closed has said why.
    Result<std::string> answer =
        Receive(connection->get(), sent.ok() ? limits.answer : std::chrono::milliseconds(0));
    bool answered = answer.ok() || answer.error().reason == kRefused;
    return answered || sent.ok() ? answer : sent.error();
  } catch (const Failure& failure) {
    return failure.error();
  }
}

}  // namespace

Result<std::string> CallBackend(ServingTarget& target, const Clock& clock, const std::string& body,
                                const CallLimits& limits) {
  constexpr int64_t kNoLimit = int64_t{1} << 40;  // our own jobs limit themselves
  target.Enter(kNoLimit);
  Time begun = clock.Now();
  Result<std::string> answer = CallOnce(target, body, limits);
  Time now = clock.Now();
  target.counters.Count(now - begun, !answer.ok());
  target.Leave(now);
  return answer;
}

}  // namespace fireweed::ml
