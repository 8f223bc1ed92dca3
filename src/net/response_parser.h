// One response as a client reads it, parsed by Beast. Used by one thread; never blocks.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "net/http_message.h"

namespace fireweed::net {

class ResponseParser {
 public:
  // `body`: called with each piece. `head_request`: it answers HEAD, so no body follows.
  ResponseParser(std::function<void(std::string_view)> body, bool head_request);
  ~ResponseParser();

  // How many of `bytes` were taken; the rest is handed in again with more behind it. Throws Failure
  // when this is no HTTP, and whatever `body` throws.
  size_t Feed(std::string_view bytes);
  // The connection ended. Throws Failure when something is missing.
  void FeedEnd();

  bool head_done() const;
  bool done() const;
  bool keep_alive() const;  // REQUIRES: done()
  int status() const;       // REQUIRES: head_done()
  const std::vector<ResponseHeader>& headers() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fireweed::net
