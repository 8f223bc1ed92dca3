#include "storage/fault.h"

#include <charconv>

namespace fireweed::storage {
namespace {

constexpr int64_t kFewBytes = 4;
constexpr int64_t kStallSeconds = 10;

// Reads "text", "#" standing for a number, against `instruction`.
class Scan {
 public:
  Scan(std::string_view instruction, std::string_view pattern) : rest_(instruction) {
    int64_t* numbers[] = {&first, &second};
    size_t count = 0;
    for (char c : pattern) {
      if (c == '#') {
        if (!Number(*numbers[count++])) return;
      } else if (rest_.empty() || rest_[0] != c) {
        return;
      } else {
        rest_.remove_prefix(1);
      }
    }
    matches = rest_.empty();
  }
  bool matches = false;
  int64_t first = 0, second = 0;

 private:
  bool Number(int64_t& number) {
    auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc() || number < 0 || number > (int64_t{1} << 40)) return false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return true;
  }
  std::string_view rest_;
};

std::optional<Fault> ParseStatus(std::string_view text) {
  Scan plain(text, "return-#");
  Scan after(text, "return-#-after-#K");
  const Scan& scan = after.matches ? after : plain;
  if (!scan.matches || scan.first < 300 || scan.first > 599) return std::nullopt;
  Fault fault{Fault::Kind::kStatus, static_cast<int>(scan.first)};
  if (after.matches) {
    fault.kind = Fault::Kind::kStatusAfter;
    fault.after = after.second << 10;
  }
  return fault;
}

std::optional<Fault> ParseStall(std::string_view text) {
  if (text == "stall-always") return Fault{Fault::Kind::kStall, 0, 0, kStallSeconds};
  if (Scan scan(text, "stall-at-#KiB"); scan.matches) {
    return Fault{Fault::Kind::kStall, 0, scan.first << 10, kStallSeconds};
  }
  if (Scan scan(text, "stall-for-#s-after-#K"); scan.matches) {
    return Fault{Fault::Kind::kStall, 0, scan.second << 10, scan.first};
  }
  if (Scan scan(text, "stall-for-#s"); scan.matches) {
    return Fault{Fault::Kind::kStall, 0, 0, scan.first};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Fault> ParseFault(std::string_view instruction) {
  if (size_t slash = instruction.find("/retry-"); slash != std::string_view::npos) {
    Scan attempt(instruction.substr(slash), "/retry-#");
    if (!attempt.matches || attempt.first > 2) return std::nullopt;
    instruction = instruction.substr(0, slash);
  }
  if (instruction == "return-broken-stream") return Fault{Fault::Kind::kBreak, 0, kFewBytes};
  if (instruction == "return-reset-connection") return Fault{Fault::Kind::kBreak};
  if (instruction == "return-corrupted-data") return Fault{Fault::Kind::kCorrupt};
  if (Scan scan(instruction, "return-broken-stream-after-#K"); scan.matches) {
    return Fault{Fault::Kind::kBreak, 0, scan.first << 10};
  }
  if (Scan scan(instruction, "return-broken-stream-final-chunk-after-#B"); scan.matches) {
    return Fault{Fault::Kind::kBreakUpload, 0, scan.first};
  }
  if (std::optional<Fault> stall = ParseStall(instruction)) return stall;
  return ParseStatus(instruction);
}

}  // namespace fireweed::storage
