// The text of worker.py, carried inside the program: no file has to be found at run time.
#pragma once

#include <string_view>

namespace fireweed::predict {

extern const std::string_view kWorkerProgram;

}  // namespace fireweed::predict
