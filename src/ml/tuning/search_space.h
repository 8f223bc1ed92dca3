// What for: the points of a tuning job's search space, and whether the space makes sense.
// Pure: the same job, specification and number give the same point, so a restart goes on where it was.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/ml/hyperparameters.h"

namespace fireweed::ml {

// Parameter name to the text that the trainer gets.
using Point = std::map<std::string, std::string>;

struct SpecViolation {
  std::string field;  // "training_input.hyperparameters.params[0].min_value"
  std::string description;
};

// Everything that is wrong with a specification, in the order of its fields; empty: it can be run.
std::vector<SpecViolation> CheckTuning(const api::ml::HyperparameterSpec& spec);

// A job may only go on with the trials of one that searched the same space for the same metric; empty: it may.
std::string CheckResume(const api::ml::HyperparameterSpec& spec,
                        const api::ml::HyperparameterSpec& previous);

// Where `unit`, in [0, 1), lies in a parameter's range, as its scale stretches it. REQUIRES: CheckTuning found nothing.
std::string ValueAt(const api::ml::ParameterSpec& parameter, double unit);

// The `number`th point of a random search.
Point RandomPoint(const api::ml::HyperparameterSpec& spec, std::string_view seed, int64_t number);

// Points in the grid. Parameters with a range that is not whole get as many values, evenly spread over their scale, as
// keep the grid within maxTrials, and two at least.
int64_t GridSize(const api::ml::HyperparameterSpec& spec);
// The `index`th; the last parameter changes fastest. REQUIRES: 0 <= index < GridSize.
Point GridPoint(const api::ml::HyperparameterSpec& spec, int64_t index);

}  // namespace fireweed::ml
