// Batch bodies: the first line is the content type, the rest the body.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "net/batch.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(bytes), size);
  size_t line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  try {
    for (const auto& part :
         fireweed::net::ParseBatch(text.substr(0, line), text.substr(line + 1))) {
      if (!part.target.starts_with('/')) fireweed::Abort("a part without a path");
    }
  } catch (const fireweed::Failure&) {
  }
  return 0;
}
