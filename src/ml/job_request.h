// Is this a job that can be run? Every refusal of a create that needs no second look is here, in the API's words. Pure.
#pragma once

#include "api/ml/job.h"
#include "compute/catalogue.h"

namespace fireweed::ml {

// Throws Failure(kInvalid): "Field: training_input.region Error: ...".
void CheckJob(const api::ml::Job& job, const compute::Catalogue& catalogue);
void CheckLabels(const std::map<std::string, std::string>& labels);

}  // namespace fireweed::ml
