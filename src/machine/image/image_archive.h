// Carries a base image to a host that cannot build one: as one file or as a directory, both an OCI image layout
// (docs/formats/base-images.md). The tree is cut into layers, so that an interrupted export or import resumes at the
// layer it had reached.
//
// Threading: any; one export per destination and one import per directory of images at a time (a lock).
// Blocking: yes, for a minute or more.
// Ownership: FILE.part beside a file that is being exported and .importing-* among the images hold what is done so far;
//   the next call with the same arguments continues and removes them.
// Errors: kInvalid for an archive that is damaged, hostile or not a base image; system calls' errors otherwise.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace fireweed {

// `done` of `all` layers are finished.
using LayerProgress = std::function<void(int done, int all)>;

struct ExportedImage {
  std::string digest;  // "sha256:HEX", of the manifest: names every byte of the image
  int64_t bytes = 0;   // of the layers
  int layers = 0;
};
// Writes the image (the path of a base-HASH) to `to`: a layout directory if `to` ends in '/' or is a directory, else
// a tar of one.
Result<ExportedImage> ExportImage(const std::string& image, const std::string& to,
                                  const LayerProgress& progress, int64_t layer_bytes = 64 << 20);

struct ImportSettings {
  std::string images_directory;
  std::string digest;     // expected; empty: any
  std::string cloud_sdk;  // of this host, for images that expect one; empty: none
};
struct ImportedImage {
  std::string path, digest;
  std::vector<std::string>
      missing;  // directories that the image expects of its host and that do not exist here
};
// Adds the image in `from` (a file or a layout directory) and makes it the one for new instances unless this host's
// own is built.
Result<ImportedImage> ImportImage(const std::string& from, const ImportSettings& settings,
                                  const LayerProgress& progress);

}  // namespace fireweed
