// What for: an archive of a trainer's sources, made on this machine the way gcloud makes it: setup.py where there is one,
//   pyproject.toml where there is one, else a setup.py of our own around the one package.
// May block: while Python or tar runs. Nothing is left beside the sources but what a setup.py leaves there itself.
// A failure: Failure with the tool's own words.
#pragma once

#include <string>
#include <vector>

#include "cli/scratch_directory.h"

namespace fireweed::cli {

// Archives in `output` (which is there) of the package at `package_path`, whose parent directory is its root.
std::vector<std::string> BuildPackage(const std::string& package_path,
                                      const ScratchDirectory& scratch);
// A tar archive of a directory's contents, the same bytes for the same contents.
std::string PackDirectory(const std::string& directory, const ScratchDirectory& scratch);

}  // namespace fireweed::cli
