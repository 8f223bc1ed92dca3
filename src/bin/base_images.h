// The base images that lie on this machine, for its owner to look at and to clear away; what `fireweedd --base-images` does.
// A daemon may run beside it. May block, for the time it takes to read or remove whole images. Throws Failure.
#pragma once

#include "bin/daemon.h"
#include "machine/image/base_image.h"

namespace fireweed {

BaseImageSettings ImageSettings(const DaemonOptions& options);

// Prints each with its size and who uses it.
void ListBaseImages(const DaemonOptions& options, bool json);
// Removes those that nobody uses and that the present recipe does not make, and says of each why it went or stayed.
// `unknown_too`: also those made by versions that did not note who uses them, unless one is mounted.
void PruneBaseImages(const DaemonOptions& options, bool unknown_too);

// Writes the image for new instances to a file or a layout directory, and prints its digest.
void ExportBaseImage(const DaemonOptions& options, const std::string& to);
// Adds an exported image. `digest`: what it must have; empty: any.
void ImportBaseImage(const DaemonOptions& options, const std::string& from,
                     const std::string& digest);

}  // namespace fireweed
