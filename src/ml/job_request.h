// Is this a job that can be run? Every refusal of a create that needs no second look is here, in the API's words. Pure.
#pragma once

#include "api/ml/job.h"
#include "compute/catalogue.h"
#include "ml/environments/runtime_table.h"

namespace fireweed::ml {

// Throws Failure(kInvalid): "Field: training_input.region Error: ...".
void CheckJob(const api::ml::Job& job, const compute::Catalogue& catalogue);
// The same for the version of a job that runs out of packages.
void CheckRuntime(const api::ml::Job& job, const RuntimeTable& runtimes);
void CheckLabels(const std::map<std::string, std::string>& labels);

}  // namespace fireweed::ml
