// Which shared libraries of the host a program needs, so that it runs in a root file system that lacks them.
// May block: for a moment, for the dynamic loader.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"

namespace fireweed {

struct ProgramLibraries {
  std::string loader;              // the dynamic loader's path; empty: the program is static
  std::vector<std::string> paths;  // of the libraries, the loader not among them
};

Result<ProgramLibraries> FindProgramLibraries(const std::string& program);

// Those of one program, asked for once: looking takes longer than everything else of a start. Any thread.
class LibraryCache {
 public:
  explicit LibraryCache(std::string program) : program_(std::move(program)) {}
  Result<ProgramLibraries> Find();
  const std::string& program() const { return program_; }

 private:
  const std::string program_;
  Guarded<std::optional<ProgramLibraries>> known_;
};

// Of what `ldd` prints. Pure.
ProgramLibraries ParseLibraryList(std::string_view text);

}  // namespace fireweed
