// The rules of PutRaw that do not depend on the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fireweed {

// Throws kExists or kPrecondition when a row at `version` (0: not there) does not satisfy
// `if_version`.
void CheckVersion(std::string_view kind, std::string_view key, int64_t version,
                  std::optional<int64_t> if_version);

// Throws kInternal: a body given to Read tried to change something.
void RequireWritable(bool writable);

}  // namespace fireweed
