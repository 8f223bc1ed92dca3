// Query strings and percent-encoding.
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/error.h"
#include "net/http_message.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(bytes), size);
  if (fireweed::PercentDecode(fireweed::PercentEncode(input)) != input) {
    fireweed::Abort("percent-encoding does not come back");
  }
  fireweed::net::Request request;
  request.query = input;
  for (std::string_view name : {"name", "alt", "", "a"}) request.Query(name);
  const std::string query = "x=1&name=" + fireweed::PercentEncode(input);
  request.query = query;
  if (request.Query("name") != input) fireweed::Abort("a parameter does not come back");
  return 0;
}
