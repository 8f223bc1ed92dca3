// When the weather preempts a machine: a plan drawn from a seed, the same in every run of the same seed. Pure, so that a
// restart of the daemon changes nothing about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"

namespace fireweed::compute {

struct PreemptionRule {
  uint64_t seed = 0;
  Duration mean{};  // of the time a preemptible machine runs; zero: nothing is preempted by chance
};

// How long after its start this boot of a machine is preempted: exponentially distributed, as independent events
// are. nullopt without a rule.
std::optional<Duration> PreemptAfter(const PreemptionRule& rule, std::string_view machine_id,
                                     int64_t boot);

}  // namespace fireweed::compute
