// Settings of the queue of training jobs.
#pragma once

#include <cstdint>

#include "describe/type.h"

namespace fireweed {

struct JobsConfig {
  double overcommit = 1;
  int32_t most_restarts = 3;
  bool preemptible = false;
};
template <>
inline constexpr auto kFields<JobsConfig> = [](auto...) {
  return Fields{
      F("overcommit", &JobsConfig::overcommit, 0,
        "How often the machine's CPUs and memory are given out to jobs at the same time. 1: once; "
        "more "
        "for jobs that mostly wait."),
      F("mostRestarts", &JobsConfig::most_restarts, 0,
        "Crashes of a job's replicas that are forgiven. Preemptions do not count."),
      F("preemptible", &JobsConfig::preemptible, 0,
        "Replicas are preemptible instances: compute.preemption ends them by chance, and they come "
        "back.")};
};

}  // namespace fireweed
