// XGBoost models: model.bst, model.json, model.ubj. Trees are computed here where they can be (Forest), by the library
// otherwise; where both are at hand they are compared at loading, bit for bit, and the library wins.
#pragma once

#include <memory>
#include <string>

#include "predict/engine.h"

namespace fireweed::predict {

struct XgboostSettings {
  std::string library;     // a libxgboost.so; empty: none
  bool use_forest = true;  // off: always the library
};

// `file`: the model's. Throws Failure.
std::unique_ptr<Engine> LoadXgboost(const std::string& file, const XgboostSettings& settings);

}  // namespace fireweed::predict
