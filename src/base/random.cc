#include "base/random.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/bytes.h"
#include "base/error.h"

namespace fireweed {

uint64_t Random::Next64() {
  std::array<std::byte, 8> bytes;
  Fill(bytes);
  uint64_t value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

uint64_t Random::Below(uint64_t bound) {
  // Rejection keeps it uniform: values past the last whole multiple of bound are drawn again.
  uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  uint64_t value = Next64();
  while (value >= limit) value = Next64();
  return value % bound;
}

std::string Random::Hex(size_t bytes) {
  std::string raw(bytes, '\0');
  Fill(std::as_writable_bytes(std::span(raw)));
  return HexEncode(raw);
}

void SystemRandom::Fill(std::span<std::byte> out) {
  while (!out.empty()) {
    ssize_t got = getrandom(out.data(), out.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) Abort("getrandom failed");
    out = out.subspan(static_cast<size_t>(got));
  }
}

void SeededRandom::Fill(std::span<std::byte> out) {
  std::lock_guard lock(mu_);
  while (!out.empty()) {
    uint64_t value = engine_();
    size_t count = std::min(out.size(), sizeof value);
    std::memcpy(out.data(), &value, count);
    out = out.subspan(count);
  }
}

}  // namespace fireweed
