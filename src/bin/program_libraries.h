// Which shared libraries of the host a program needs, so that it runs in a root file system that lacks them.
// May block: for a moment, for the dynamic loader.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace fireweed {

struct ProgramLibraries {
  std::string loader;              // the dynamic loader's path; empty: the program is static
  std::vector<std::string> paths;  // of the libraries, the loader not among them
};

Result<ProgramLibraries> FindProgramLibraries(const std::string& program);

// Of what `ldd` prints. Pure.
ProgramLibraries ParseLibraryList(std::string_view text);

}  // namespace fireweed
