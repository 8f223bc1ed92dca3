// An OCI image layout on disk (oci-layout, index.json, blobs): the layers of its one image, lowest first, as paths of
// archives. kInvalid when it is none, or holds no image for this machine.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace fireweed {

bool IsOciLayout(const std::string& directory);
Result<std::vector<std::string>> OciLayers(const std::string& directory);

}  // namespace fireweed
