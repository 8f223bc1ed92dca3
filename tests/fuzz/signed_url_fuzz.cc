// Queries of signed URLs and the texts made from them. The input is a method, a path, a query and header lines.
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "storage/signed_url.h"

namespace {

std::string_view TakeLine(std::string_view& rest) {
  size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return line;
}

fireweed::net::Request RequestOf(std::string_view input) {
  fireweed::net::Request request;
  request.method = TakeLine(input);
  request.path = TakeLine(input);
  request.query = TakeLine(input);
  request.host = "storage.googleapis.com";
  request.authority = "storage.googleapis.com:443";
  while (!input.empty()) {
    std::string_view line = TakeLine(input);
    size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    request.headers.push_back({line.substr(0, colon), line.substr(colon + 1)});
  }
  return request;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  namespace storage = fireweed::storage;
  fireweed::net::Request request =
      RequestOf(std::string_view(reinterpret_cast<const char*>(bytes), size));
  try {
    std::optional<storage::SignedQuery> query = storage::ParseSignedQuery(request.query);
    if (!query) return 0;
    if (query->signature.empty()) fireweed::Abort("a signed query without a signature");
    if (storage::TextsToSign(*query, request).empty()) fireweed::Abort("nothing to sign");
    storage::UnsignedExtensions(*query, request);
  } catch (const fireweed::Failure&) {
    // Refused is fine; anything else is not.
  }
  return 0;
}
