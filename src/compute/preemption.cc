#include "compute/preemption.h"

#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "base/checksum.h"

namespace fireweed::compute {

std::optional<Duration> PreemptAfter(const PreemptionRule& rule, std::string_view machine_id,
                                     int64_t boot) {
  if (rule.mean <= Duration(0)) return std::nullopt;
  std::string hash = Hash(Digest::kSha256, fmt::format("{}/{}/{}", rule.seed, machine_id, boot));
  uint64_t bits = 0;
  std::memcpy(&bits, hash.data(), sizeof bits);
  // In (0, 1]: the logarithm of zero is nobody's lifetime.
  double chance = (static_cast<double>(bits >> 11) + 1) / 9007199254740992.0;
  double seconds = -std::log(chance) * std::chrono::duration<double>(rule.mean).count();
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace fireweed::compute
