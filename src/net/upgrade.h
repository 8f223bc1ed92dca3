// A connection that leaves HTTP after a 101 answer. A handler answers with an Upgrade; the session sends the head and
// hands its transport over until Run returns.
// Threading: Run and Stop on the session's I/O thread; created and destroyed on any.
// Blocking: never.
// Ownership: the session owns the transport; the Upgrade owns everything else it needs.
// Errors: whatever goes wrong ends Run, and with it the connection.
#pragma once

#include <memory>
#include <string>

#include "net/http_message.h"
#include "net/io_loop.h"
#include "net/transport.h"

namespace fireweed::net {

class Upgrade {
 public:
  virtual ~Upgrade() = default;
  // Header lines of the 101 answer, each with its line end.
  virtual std::string HeadLines() const = 0;
  // `early` was received behind the request's head.
  virtual Task<void> Run(IoLoop& loop, Transport& client, std::string early) = 0;
  // The server closes: Run returns soon. The session cancels the transport itself.
  virtual void Stop() = 0;
};

// The answer of a handler whose connection leaves HTTP.
Answer UpgradeAnswer(std::shared_ptr<Upgrade> upgrade);

}  // namespace fireweed::net
