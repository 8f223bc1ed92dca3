// Metadata of instances and projects: what may be set, and the fingerprint over it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/compute/instance.h"

namespace fireweed::compute {

// Throws Failure(kInvalid) for keys and sizes the cloud refuses, for a key that comes twice, and for a word of
// Fireweed's own that is none.
void CheckMetadata(const api::compute::Metadata& metadata);
// Sets the fingerprint from the items.
void SealMetadata(api::compute::Metadata& metadata);
std::optional<std::string> FindMetadata(const api::compute::Metadata& metadata,
                                        std::string_view key);

}  // namespace fireweed::compute
