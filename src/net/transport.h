// What for: a connected socket, plain or TLS, as the coroutines of one loop see it.
// Threads: the loop's only. Never blocks; SendFile may wait for the disk like any read of a file.
// A failure: ReadOutcome::kFailed or false; the connection is then good for nothing but closing.
// At most one read and one write wait at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "net/certificates.h"
#include "net/io_loop.h"

namespace fireweed::net {

struct ReadOutcome {
  enum class Kind { kBytes, kEnd, kWouldBlock, kFailed };
  Kind kind = Kind::kFailed;
  size_t bytes = 0;
};

enum class Flush { kNow, kMoreComes };  // kMoreComes lets the kernel wait for what follows at once

class Transport final : private Deadline {
 public:
  Transport(IoLoop& loop, UniqueFd socket);
  ~Transport() override;

  // The server's side of TLS; `early` was read from the client before. False when the client would
  // not.
  Task<bool> Handshake(SslPtr ssl, std::string early, Tick deadline);

  Task<ReadOutcome> Read(std::span<char> into, Tick deadline);
  ReadOutcome TryRead(std::span<char> into);

  // Writes as much as goes without waiting; the count. Failure shows at the next Write.
  size_t TryWrite(std::string_view text, Flush flush = Flush::kNow);
  // Writes all of it; gives up when nothing moves for `stall`.
  Task<bool> Write(std::string_view text, std::chrono::milliseconds stall,
                   Flush flush = Flush::kNow);
  // The same from a file, without copying. REQUIRES: !tls().
  Task<bool> SendFile(int file, int64_t offset, int64_t length, std::chrono::milliseconds stall);

  // Calls `then` once when something can be read, or the wait is cancelled. No Read may wait
  // meanwhile.
  void WatchReadable(std::function<void()> then);
  void StopWatching();

  // Ends our direction: a TLS goodbye, then FIN.
  void ShutdownSend();
  // Whatever waits fails now, and everything later at once.
  void Cancel();

  // Gives the socket away; nothing else may be called afterwards. REQUIRES: !tls(), and nothing waits.
  UniqueFd Release();

  bool cancelled() const { return cancelled_; }
  // Some wait ended at its deadline. The connection itself can still be used, to say so.
  bool timed_out() const { return timed_out_; }
  bool tls() const;
  // The name that a TLS client asked for, or empty.
  std::string_view server_name() const;
  // Why TLS broke; empty when it did not.
  std::string_view tls_failure() const;
  std::string_view peer_address() const { return peer_; }
  int fd() const;

  // Where traffic is counted; may be null.
  std::atomic<int64_t>* bytes_in = nullptr;
  std::atomic<int64_t>* bytes_out = nullptr;

 private:
  struct State;
  void Expire() override;
  Task<bool> WaitReadable(Tick deadline);
  Task<bool> WaitWritable(Tick deadline);
  Task<ReadOutcome> ReadTls(std::span<char> into, Tick deadline);
  ReadOutcome Count(ReadOutcome outcome);

  IoLoop& loop_;
  std::unique_ptr<State> state_;
  std::string peer_;
  bool cancelled_ = false;
  bool timed_out_ = false;
  bool broken_ = false;
};

// A connection to `address`:`port`. Null when it cannot be made before the deadline.
Task<std::unique_ptr<Transport>> Connect(IoLoop& loop, std::string address, uint16_t port,
                                         Tick deadline);
// The addresses of a name or an address literal, as text; empty when there are none.
Task<std::vector<std::string>> Resolve(IoLoop& loop, std::string host);

}  // namespace fireweed::net
