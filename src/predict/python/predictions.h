// A worker's answer, ["json of the first prediction", ...], into its elements. Throws Failure kInternal where it is not
// that, or has another number of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fireweed::predict {

std::vector<std::string> SplitPredictions(std::string_view json, int64_t count);

}  // namespace fireweed::predict
