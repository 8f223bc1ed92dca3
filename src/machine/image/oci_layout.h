// An OCI image layout on disk (oci-layout, index.json, blobs): the layers of its one image, lowest first, as paths of
// archives, and how it wants to be run. kInvalid when it is none, or holds no image for this machine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/image/container_config.h"

namespace fireweed {

bool IsOciLayout(const std::string& directory);
struct OciImage {
  std::vector<std::string> layers;  // paths; a blob's file name is its SHA-256 in hex
  std::string digest;               // of the manifest: "sha256:HEX"
  std::map<std::string, std::string> annotations;  // of the manifest
  ContainerConfig config;
};
Result<OciImage> ReadOciLayout(const std::string& directory);

}  // namespace fireweed
