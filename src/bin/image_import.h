// Images from archives in buckets: object storage on one side, the root tree on the other.
#pragma once

#include <string>

#include "base/result.h"
#include "machine/image/container_config.h"
#include "storage/object_store.h"

namespace fireweed {

// Unpacks the archive at "gs://B/O" into an empty directory, and tells how the root wants to be run. On an action thread; may block for minutes. Whether the
// requester may read it was checked when the image was asked for.
Result<ContainerConfig> ImportRootTree(const storage::ObjectStore& store, const std::string& source,
                                       const std::string& directory);

}  // namespace fireweed
