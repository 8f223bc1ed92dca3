#include "catalog/version_check.h"

#include <fmt/format.h>

#include "base/error.h"

namespace fireweed {

void CheckVersion(std::string_view kind, std::string_view key, int64_t version,
                  std::optional<int64_t> if_version) {
  if (!if_version || *if_version == version) return;
  if (*if_version == 0) {
    throw Failure(Code::kExists, fmt::format("{} '{}' already exists.", kind, key));
  }
  throw Failure(Code::kPrecondition,
                fmt::format("{} '{}' was changed meanwhile: it is at version {}, not {}.", kind,
                            key, version, *if_version));
}

void RequireWritable(bool writable) {
  if (!writable) throw Failure(Code::kInternal, "a read-only transaction cannot change records");
}

}  // namespace fireweed
