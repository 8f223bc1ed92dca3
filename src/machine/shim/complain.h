// The shim's one way to fail: a line on its report pipe, then the end. Mounts and namespaces end with the process.
#pragma once

#include <string_view>

namespace fireweed {

// Where reports go: standard output until the machine runs. "ready", "running PID", "failed WHY".
void Report(std::string_view line);

// Reports "failed WHAT: the meaning of errno" and ends the process.
[[noreturn]] void Fail(std::string_view what);
// The same without errno.
[[noreturn]] void FailSaying(std::string_view why);

}  // namespace fireweed
