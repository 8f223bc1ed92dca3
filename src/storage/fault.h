// One fault as its instruction says it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fireweed::storage {

struct Fault {
  enum class Kind {
    kStatus,       // return-503: nothing is done, this status is the answer
    kStatusAfter,  // return-503-after-256K: of an upload so much is kept; a download breaks off
    kBreak,  // return-broken-stream[-after-64K], return-reset-connection: the reply breaks off
    kBreakUpload,  // return-broken-stream-final-chunk-after-100B: of the last bytes of an upload
    kStall,        // stall-for-2s-after-64K, stall-always, stall-at-256KiB
    kCorrupt,      // return-corrupted-data: the first byte of a download is another one
  };
  Kind kind = Kind::kStatus;
  int status = 0;
  int64_t after = 0;  // bytes
  int64_t seconds = 0;

  friend bool operator==(const Fault&, const Fault&) = default;
};

// Nothing for text that is no instruction. A trailing "/retry-N" makes it hold for N 1 and 2 only:
// the client counts its attempts itself.
std::optional<Fault> ParseFault(std::string_view instruction);

}  // namespace fireweed::storage
