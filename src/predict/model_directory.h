// What lies in a model's directory, and which runtime it is for. Functions without state; they read files and may
// block. A failure: Failure with one line for whoever deployed the model.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fireweed::predict {

enum class Framework { kXgboost, kTensorflow, kSklearn, kCustom };

// As the API spells it: XGBOOST, TENSORFLOW, SCIKIT_LEARN, CUSTOM; any case, '-' for '_'.
std::optional<Framework> ParseFramework(std::string_view name);
std::string_view FrameworkName(Framework framework);

// By the files that are there.
Framework GuessFramework(const std::string& directory);

// The model's file: model.bst, .json or .ubj for XGBoost, model.joblib or model.pkl for Python. Throws Failure that
// names what was looked for and what is there instead.
std::string FindModelFile(const std::string& directory, Framework framework);

// An XGBoost model that Python pickled: only Python can open it.
bool IsPickle(const std::string& file);

std::string ReadModelFile(const std::string& file);

}  // namespace fireweed::predict
