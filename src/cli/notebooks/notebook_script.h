// The startup script of a notebook's instance: installs Jupyter the first time, clones the repository, serves until the
// machine ends. It reads everything else from the instance's metadata (see notebook_plan.h), so it is the same for all.
#pragma once

#include <string_view>

namespace fireweed::cli {

extern const std::string_view kNotebookScript;

}  // namespace fireweed::cli
