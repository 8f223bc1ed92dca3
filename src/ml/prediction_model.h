// Which model a batch prediction names, and the right that it takes to ask it: the same as online prediction takes. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/ml/prediction_job.h"

namespace fireweed::ml {

struct PredictionModel {
  std::string project, name;
  std::string version;  // empty: the model's default

  std::string_view permission() const {
    return version.empty() ? "ml.models.predict" : "ml.versions.predict";
  }
  std::string resource() const { return "projects/" + project + "/models/" + name; }
};

// Of "projects/P/models/M/versions/V"; the project may be left out, and so may the version. None where the input gives
// the model by its place. Throws Failure(kInvalid) for any other name.
std::optional<PredictionModel> FindPredictionModel(const api::ml::PredictionInput& input,
                                                   const std::string& own_project);

}  // namespace fireweed::ml
