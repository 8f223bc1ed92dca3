// What image_export.cc writes and image_import.cc reads, beyond the OCI image specification.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace fireweed {

inline constexpr std::string_view kManifestType = "application/vnd.oci.image.manifest.v1+json";
// The name that the image has among base images: disks remember it.
inline constexpr const char* kNameAnnotation = "org.fireweed.base-image.name";
// The text of base-HASH.binds.
inline constexpr const char* kBindsAnnotation = "org.fireweed.base-image.binds";

// "sha256:HEX" of a file that is not a link.
inline Result<std::string> FileDigest(const std::string& path) {
  UniqueFd file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return ErrnoError(errno, "open " + path);
  Hasher hasher(Digest::kSha256);
  std::vector<std::byte> chunk(1 << 20);
  while (true) {
    ssize_t got = read(file.get(), chunk.data(), chunk.size());
    if (got < 0) return ErrnoError(errno, "read " + path);
    if (got == 0) return "sha256:" + HexEncode(hasher.Current());
    hasher.Update(std::span(chunk).first(static_cast<size_t>(got)));
  }
}

}  // namespace fireweed
