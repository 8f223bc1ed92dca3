// From a model's directory to the engine that serves it. Throws Failure with one line for whoever deployed it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "predict/engine.h"
#include "predict/model_directory.h"
#include "predict/python/python_engine.h"
#include "predict/tensorflow/tensorflow_engine.h"
#include "predict/xgboost/xgboost_engine.h"

namespace fireweed::predict {

struct EngineSettings {
  std::optional<Framework> framework;  // unset: by the files
  XgboostSettings xgboost;
  TensorflowSettings tensorflow;
  PythonSettings python;
};

std::unique_ptr<Engine> LoadEngine(const std::string& directory, const EngineSettings& settings,
                                   const Clock& clock);

}  // namespace fireweed::predict
