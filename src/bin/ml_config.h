// Settings of training: runtimes, where their environments are kept, and how much a replica may print.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bin/jobs_config.h"
#include "ml/environments/runtime_table.h"

namespace fireweed {

struct MlConfig {
  std::vector<ml::Runtime> runtimes;
  std::string runtime_directory = "/var/cache/fireweed/runtimes";
  int32_t environment_days = 30;
  int64_t environment_bytes = int64_t{20} << 30;
  int64_t lines_per_second = 250'000;
  int64_t line_bytes = int64_t{2} << 30;
  JobsConfig jobs;
};

template <>
inline constexpr auto kFields<MlConfig> = [](auto...) {
  return Fields{
      F("runtimes", &MlConfig::runtimes, 0,
        "Runtime versions besides those of runtimes/table.yaml, in the same words: {versions: "
        "[\"2.99\"], requirements: [torch==2.3.0], shims: []}. A version that is named again is "
        "replaced."),
      F("runtimeDirectory", &MlConfig::runtime_directory, 0,
        "Where the packages of runtimes are installed, once for all daemons of this machine. Where "
        "it cannot be written, below the state directory."),
      F("environmentDays", &MlConfig::environment_days, 0,
        "Installed packages that no job has asked for in so many days are removed."),
      F("environmentBytes", &MlConfig::environment_bytes, 0,
        "When all installed packages take more than this, those that were not used for longest "
        "go."),
      F("linesPerSecond", &MlConfig::lines_per_second, 0,
        "Log lines that are kept of one replica; above this they are dropped and counted."),
      F("lineBytes", &MlConfig::line_bytes, 0, "Log bytes that are kept of one replica."),
      F("jobs", &MlConfig::jobs, 0,
        "Training jobs: {overcommit: 1, mostRestarts: 3, preemptible: false}.")};
};

}  // namespace fireweed
