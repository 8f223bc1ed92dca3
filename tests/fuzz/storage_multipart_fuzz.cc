// Multipart bodies: the first byte says in how large steps the rest arrives. The parts must be the
// same for every step, and the reader must not keep more than it was fed.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "storage/multipart.h"

namespace {

using fireweed::AsBytes;
using fireweed::AsText;
using fireweed::storage::MultipartReader;

struct Parts final : MultipartReader::Events {
  void OnPart(std::string_view headers) override { all.emplace_back(std::string(headers), ""); }
  void OnBytes(std::span<const std::byte> bytes) override { all.back().second += AsText(bytes); }
  std::vector<std::pair<std::string, std::string>> all;
};

// Nothing where the body is refused: how early depends on the steps.
bool Read(std::string_view body, size_t step, Parts& parts) {
  MultipartReader reader("X", parts);
  try {
    for (size_t at = 0; at < body.size(); at += step) reader.Feed(AsBytes(body.substr(at, step)));
  } catch (const fireweed::Failure&) {
    return false;
  }
  return reader.complete();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  if (size == 0) return 0;
  std::string_view input(reinterpret_cast<const char*>(bytes), size);
  fireweed::storage::BoundaryOf(input);
  Parts stepped, whole;
  bool complete = Read(input.substr(1), 1 + bytes[0] % 16, stepped);
  if (complete != Read(input.substr(1), size, whole)) {
    fireweed::Abort("a body is complete in some steps and not in others");
  }
  if (complete && stepped.all != whole.all) fireweed::Abort("steps change the parts");
  return 0;
}
