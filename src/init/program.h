// Running programs of the image from process 1's helpers, and small files of the machine.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fireweed {

// Runs it to its end with its output on the console; the exit code as the shell shows it, 127 where there is none.
int RunHere(const std::vector<std::string>& command);

// Replaces this process; the exit code where that is not possible.
int Become(const std::vector<std::string>& command);

// Whether that process runs this very program.
bool IsOwnProgram(pid_t pid);

// nullopt: not there or not to be read.
std::optional<std::string> ReadSmallFile(const std::string& path);

// Writes beside `path`, then puts it in place, so that a reader meets the one or the other. Symbolic links at `path`
// are replaced, not followed.
bool ReplaceFile(const std::string& path, std::string_view contents, mode_t mode, uid_t uid = 0,
                 gid_t gid = 0);

}  // namespace fireweed
