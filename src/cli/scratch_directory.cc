#include "cli/scratch_directory.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <stdlib.h>

#include "base/error.h"

namespace fireweed::cli {

ScratchDirectory::ScratchDirectory(const std::string& parent) {
  path_ = parent + "/fireweed-scratch.XXXXXX";
  if (mkdtemp(path_.data()) == nullptr) throw Failure(ErrnoError(errno, "mkdir " + path_));
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;  // a leftover in a temporary directory is nobody's failure
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace fireweed::cli
