#include "bin/program_libraries.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/process.h"

namespace fireweed {

ProgramLibraries ParseLibraryList(std::string_view text) {
  ProgramLibraries found;
  while (!text.empty()) {
    std::string_view line = Trim(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), text.find('\n')));
    if (!text.empty()) text.remove_prefix(1);
    size_t arrow = line.find(" => ");
    std::string_view path = arrow == line.npos ? line : line.substr(arrow + 4);
    path = path.substr(0, path.find(' '));
    if (!path.starts_with('/')) continue;
    if (arrow == line.npos) {
      found.loader = path;
    } else {
      found.paths.emplace_back(path);
    }
  }
  return found;
}

Result<ProgramLibraries> FindProgramLibraries(const std::string& program) {
  Result<ProgramOutcome> listed = RunProgram({.argv = {"ldd", program}}, std::chrono::seconds(10));
  if (!listed.ok()) return listed.error();
  ProgramLibraries found = ParseLibraryList(listed->output);
  if (listed->ok() && !found.loader.empty()) return found;
  return Result<ProgramLibraries>(Code::kUnavailable,
                                  program + " cannot be run: " + listed->output + listed->error);
}

Result<ProgramLibraries> LibraryCache::Find() {
  auto known = known_.With([](const auto& kept) { return kept; });
  if (known) return *known;
  Result<ProgramLibraries> found = FindProgramLibraries(program_);
  if (found.ok()) known_.With([&](auto& kept) { kept = *found; });
  return found;
}

}  // namespace fireweed
