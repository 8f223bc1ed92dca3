// The quota that a job holds of its project and its creator, from its admission until its machines are gone. Pure.
#pragma once

#include <string>
#include <string_view>

#include "compute/catalogue.h"
#include "compute/quota.h"
#include "ml/job_record.h"

namespace fireweed::ml {

// "ann@example.com" of "user:ann@example.com".
std::string EmailOf(std::string_view principal);

// Of all gangs that are under way at once, by the machine types as they are named: what is larger than the host counts
// in full. REQUIRES: a training job.
compute::QuotaDemand QuotaDemandOf(const JobRecord& job, const compute::Catalogue& catalogue,
                                   bool preemptible);

}  // namespace fireweed::ml
