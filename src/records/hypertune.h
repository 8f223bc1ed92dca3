// The file that the `hypertune` package keeps beside a trainer: the last reports, one JSON object a line, written
// anew with every report.
//
//   {"checkpoint_path": "", "accuracy": "0.93", "global_step": "100", "timestamp": 1573.5, "trial": "3"}
//
// Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fireweed::records {

// Names the file that the package is to write.
inline constexpr std::string_view kHypertuneVariable = "CLOUD_ML_HP_METRIC_FILE";

// One value of a metric at a training step.
struct Measurement {
  int64_t step = 0;
  double value = 0;
  double wall_time = 0;  // seconds since 1970; 0: not known

  friend bool operator==(const Measurement&, const Measurement&) = default;
};

// The reports of one metric. Lines of other metrics and of other programs, cut-off lines and values that are no
// finite number are passed over: the file is a trainer's, and may be read while it is written.
std::vector<Measurement> ReadHypertune(std::string_view text, std::string_view tag);

}  // namespace fireweed::records
