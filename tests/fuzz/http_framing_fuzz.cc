// A header block that was mended leaves one way only to tell where the body ends.
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/error.h"
#include "net/framing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  std::string head(reinterpret_cast<const char*>(bytes), size);
  if (fireweed::net::MendFraming(head)) return 0;
  if (head.size() != size) fireweed::Abort("mending changed the length");
  int lengths = 0, codings = 0;
  for (size_t at = head.find('\n') + 1; at < head.size(); at = head.find('\n', at) + 1) {
    std::string_view line = std::string_view(head).substr(at);
    std::string_view name = line.substr(0, line.find(':'));
    lengths += fireweed::EqualIgnoreCase(name, "content-length");
    codings += fireweed::EqualIgnoreCase(name, "transfer-encoding");
    if (head.find('\n', at) == std::string::npos) break;
  }
  if (lengths + codings > 1) fireweed::Abort("two ways to frame a body");
  std::string again = head;
  if (fireweed::net::MendFraming(again) || again != head) fireweed::Abort("mending is not stable");
  return 0;
}
