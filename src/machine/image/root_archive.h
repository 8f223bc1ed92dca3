// What for: root trees out of archives: a tar of a root file system (packed or not), or of an OCI image layout, whose
//   layers are laid over one another.
// Who calls: actions that make images. May block for minutes.
// A failure: kInvalid with the reason when the archive is no such thing, kUnavailable when `tar` is not there; the
//   directory may hold part of the tree.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/result.h"
#include "machine/image/container_config.h"

namespace fireweed {

// The next bytes of an archive, as many as there are up to the span's size; 0 at the end.
using ArchiveReader = std::function<Result<size_t>(std::span<std::byte> out)>;

// Unpacks into an empty directory, so that afterwards it is the root, and tells how it wants to be run. Owners and
// attributes are kept; device nodes are left out: machines get theirs from elsewhere.
Result<ContainerConfig> UnpackRoot(const ArchiveReader& read, const std::string& directory);

// Lays one layer of an OCI image (the path of a blob) over `root`: deletions first, then files. kInvalid without a
// change for a layer that would write or link outside of `root`, through ".." or a link of an earlier layer, or
// that needs more space than is free.
Result<> AddOciLayer(const std::string& blob, const std::string& root);

}  // namespace fireweed
