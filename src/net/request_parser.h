// One request's head and, where it is chunked, its body, parsed by Beast without an allocation per
// request. Used by one session on its I/O thread; never blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/http_message.h"

namespace fireweed::net {

class RequestParser {
 public:
  RequestParser();
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;

  // `head` is a whole header block that MendFraming has passed. Fills method, target and headers of
  // `into` with views of `head`. Returns what is wrong with it, or nullopt. A parser takes any
  // number of heads in turn.
  std::optional<std::string_view> ParseHead(std::string_view head, Request& into);

  // Of the last head.
  bool http11() const;
  bool keep_alive() const;
  bool chunked() const;
  int64_t content_length() const;  // 0 when the head names none

  struct ChunkStep {
    size_t consumed = 0;
    bool done = false;    // the last chunk and its trailers were consumed
    bool failed = false;  // the body is malformed
  };
  // Appends what `bytes` holds of a chunked body to `out`. Consumes nothing of a chunk header that
  // is not there whole: hand it in again with more behind it.
  ChunkStep DecodeChunks(std::string_view bytes, std::string& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fireweed::net
