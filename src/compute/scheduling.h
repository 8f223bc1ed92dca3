// The rules of an instance's life as clients send them: checked, and completed with the cloud's defaults. Pure.
#pragma once

#include "api/compute/instance.h"

namespace fireweed::compute {

// `accelerators`: the instance has some, and therefore cannot be moved while it runs. Throws Failure(kInvalid) for
// rules that contradict each other.
void FitScheduling(api::compute::Scheduling& rules, bool accelerators);

}  // namespace fireweed::compute
