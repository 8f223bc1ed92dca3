// What for: one request to git's http-backend, streamed both ways: what the client sends is fed to it, what it prints
//   is the answer.
// Threads: one at a time, as a BodySink and then a ByteSource are used.
// May block: until git takes or prints something, at most `patience` at a time.
// Owns: the program, which ends with it. Bounded: what git prints while it is still being fed waits in memory, at
//   most kMostAhead; more ends the exchange.
// A failure: Failure before the answer has begun; after that the connection is broken off.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/process.h"
#include "net/http_message.h"

namespace fireweed::source {

class GitExchange {
 public:
  static constexpr size_t kMostAhead = 8 << 20;

  // `permit` is held as long as the program runs.
  GitExchange(std::vector<std::string> environment, Duration patience, std::shared_ptr<void> permit,
              Logger& log);

  // A program that wants no more is fed no more; that is no failure.
  void Feed(std::span<const std::byte> bytes);

  // The answer: the head that git printed, and the rest of its output as it comes. Ends the feeding.
  static net::Response Answer(std::unique_ptr<GitExchange> exchange);

  // Some of the output; 0 is the end.
  Result<size_t> Read(std::span<std::byte> out);

 private:
  // Waits until something can be done; reads what is there. False when `patience` has passed.
  bool Turn(bool want_output);
  void Drain(UniqueFd& from, std::string& to, size_t most);
  void LogEnd();

  ChildProgram child_;
  const Duration patience_;
  std::shared_ptr<void> permit_;
  Logger& log_;
  std::string ahead_;  // printed, not yet handed on
  std::string error_;  // what it complained about, the beginning of it
};

}  // namespace fireweed::source
