// Decides whether the files of an image layer stay inside the tree they are unpacked into. GNU tar guards one archive;
// a layer is unpacked over the links of earlier ones, which tar follows.
//
// Threading: any. Blocking: reads links below the tree.
// Errors: kInvalid names the file that is refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fireweed {

struct LayerEntry {
  char type = '-';  // as ls shows it; 'h': a hard link
  std::string name;
  std::string target;  // of a hard link
  int64_t size = 0;
};

// What `tar --list --verbose --quoting-style=c` prints.
Result<std::vector<LayerEntry>> ParseLayerListing(std::string_view listing);

// `root` is a canonical path.
Result<> CheckLayer(const std::vector<LayerEntry>& entries, const std::string& root);

}  // namespace fireweed
