// Lists what a training job requests and this host meets with something else. Pure.
#pragma once

#include <string>
#include <vector>

#include "api/ml/training_input.h"
#include "compute/catalogue.h"
#include "ml/environments/runtime_table.h"

namespace fireweed::ml {

struct Substitute {
  std::string field;       // of the training input, as errors name it: "runtime_version"
  std::string message;     // what was requested and what is used
  bool of_machine = true;  // machine type or accelerator; false: runtime or Python version
};

// `runtimes`: null where the runtime is not known.
std::vector<Substitute> SubstitutesOf(const api::ml::TrainingInput& input,
                                      const compute::Catalogue& catalogue,
                                      const RuntimeTable* runtimes);

// Which of them are refused instead of reported.
struct StrictRules {
  bool machines = false, runtimes = false;
};
// Throws Failure(kInvalid): "Field: runtime_version Error: …".
void RefuseSubstitutes(const std::vector<Substitute>& substitutes, const StrictRules& rules);

}  // namespace fireweed::ml
