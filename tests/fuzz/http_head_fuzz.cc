// What a session does with the first bytes of a connection, without the connection.
#include <cstdint>
#include <string>

#include "base/error.h"
#include "net/framing.h"
#include "net/request_parser.h"
#include "net/request_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  std::string input(reinterpret_cast<const char*>(bytes), size);
  std::optional<size_t> end = fireweed::net::FindHeadEnd(input, 0);
  if (!end) return 0;
  if (fireweed::net::MendFraming({input.data(), *end})) return 0;
  std::string_view head(input.data(), *end), rest = std::string_view(input).substr(*end);
  fireweed::net::RequestParser parser;
  fireweed::net::Request request;
  if (parser.ParseHead(head, request)) return 0;
  for (const fireweed::net::RequestHeader& header : request.headers) {
    if (header.value.data() < input.data() || header.value.data() > input.data() + *end) {
      fireweed::Abort("a header is no view of its block");
    }
  }
  if (parser.content_length() < 0) fireweed::Abort("negative length");
  fireweed::net::ParseTarget(request.target);
  if (!parser.chunked()) return 0;
  std::string whole;
  fireweed::net::RequestParser::ChunkStep step = parser.DecodeChunks(rest, whole);
  if (step.consumed > rest.size() || whole.size() > step.consumed)
    fireweed::Abort("chunks from nowhere");
  return 0;
}
