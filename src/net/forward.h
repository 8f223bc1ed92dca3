// What for: requests that another server of this machine answers (a model's serving process). The session itself passes
//   them on, on its own I/O thread: no thread is hopped to, connections are kept, and the answer goes straight back.
// Threads: a Backend from any; a Forwarding on the session's I/O thread, one call at a time, except that what was
//   given to Await is called from any.
// May block: nothing here does.
// Owns: a Backend its idle connections; a Forwarding whatever it needs for one request. Its end tells that the
//   request is over.
// A failure: a server that cannot be reached is asked for no more until Next names it again; an exchange that broke is
//   told to the client, because whoever broke it may have been the request itself.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "net/http_message.h"
#include "net/looking.h"

namespace fireweed::net {

// A server behind a unix socket, and the connections to it that wait for their next request.
class Backend {
 public:
  explicit Backend(std::string socket_path) : path_(std::move(socket_path)) {}

  // None when no connection is idle.
  UniqueFd TakeIdle();
  void KeepIdle(UniqueFd connection);
  // The server's queue takes it at once or it is refused: kUnavailable.
  Result<UniqueFd> Connect() const;
  const std::string& path() const { return path_; }

  // Whether one more session may keep its connection to itself, ready for its client's next request; who may gives
  // the place back later.
  bool TakePlace();
  void GivePlace() { held_.fetch_sub(1, std::memory_order_relaxed); }

  // For a lone answer.
  Looking& looking() { return looking_; }

 private:
  static constexpr size_t kMostIdle = 64;
  static constexpr int kMostHeld = 64;

  const std::string path_;
  Guarded<std::vector<UniqueFd>> idle_;
  std::atomic<int> held_{0};
  Looking looking_;
};

// A connection to a unix socket, whose path may be longer than an address can hold.
Result<UniqueFd> ConnectUnix(const std::string& path);

struct BackendAnswer {
  int status = 0;
  std::vector<ResponseHeader> headers;
  std::string body;
};

class Upgrade;  // net/upgrade.h

class Forwarding {
 public:
  virtual ~Forwarding() = default;

  // The connection leaves HTTP instead, and none of the rest is called; null: it does not. Called only
  // for the answer of a handler on a pool thread.
  virtual std::shared_ptr<Upgrade> AsUpgrade() { return nullptr; }

  // Who is to be asked. Null: nobody is there at the moment, see Await. Throws Failure when waiting is no use.
  virtual std::shared_ptr<Backend> Next() = 0;
  // Calls `then` once, from any thread, when Next is worth another question; at once when it is already.
  virtual void Await(std::function<void()> then) = 0;
  // This one could not be reached.
  virtual void Unreachable(const std::shared_ptr<Backend>& backend) = 0;

  // The request line and the header lines to send, without Content-Length and the empty line.
  virtual void AppendHead(std::string& out) const = 0;
  // The answer as the client shall see it.
  virtual Response Finish(BackendAnswer answer) = 0;
  // Nobody else waits for that server: it answers within microseconds or not soon. Then looking a few times costs
  // less than being woken.
  virtual bool IsAlone() const { return false; }
  // No answer: what to tell the client. It may be made of `why`.
  virtual Error Fail(Error why) { return why; }

  std::chrono::milliseconds wait_limit{60'000};    // for somebody to be there
  std::chrono::milliseconds answer_limit{60'000};  // without a byte of the answer
};

}  // namespace fireweed::net
