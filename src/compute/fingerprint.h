// Fingerprints refuse lost updates: whoever writes says which state it saw.
#pragma once

#include <string>

#include "base/checksum.h"
#include "base/error.h"
#include "describe/json_codec.h"

namespace fireweed::compute {

// Eight bytes that change with the value. Not a secret, only a short name for a state.
template <class T>
Bytes FingerprintOf(const T& value) {
  return {Hash(Digest::kSha256, EncodeJson(value)).substr(0, 8)};
}

// The sender's fingerprint must be the current one; where it may be left out, an empty one passes.
enum class Absent { kRefused, kAllowed };
inline void CheckFingerprint(const Bytes& sent, const Bytes& current, Absent absent) {
  if (sent == current || (sent.raw.empty() && absent == Absent::kAllowed)) return;
  throw Failure(Code::kPrecondition, "conditionNotMet",
                "Supplied fingerprint does not match current metadata fingerprint.");
}

}  // namespace fireweed::compute
