// What for: a directory of this host that one trial's first replica sees and writes: where its hypertune file lies.
//   The replica mounts it (Workload::mounts, writable) and gets the file's path in CLOUD_ML_HP_METRIC_FILE.
// May block: on the disk. What lies inside was put there by strangers: links are never followed, what is no plain file
//   is not opened, and only so much of it is read.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace fireweed::ml {

// "ROOT/PROJECT+JOB+TRIAL": for Workload::mounts.
std::string MetricFolder(std::string_view root, std::string_view project, std::string_view job,
                         std::string_view trial);
// The path inside and outside: "FOLDER/upper/output.metrics".
std::string MetricFile(std::string_view folder);

// Existing is success.
Result<> MakeMetricFolder(const std::string& folder);
// The file's text; empty while there is none.
Result<std::string> ReadMetricFile(const std::string& folder);
// With everything in it. Missing is success.
Result<> RemoveMetricFolder(const std::string& folder);

}  // namespace fireweed::ml
