// SavedModels (Estimator and Keras exports) through the C interface of an installed TensorFlow package.
#pragma once

#include <memory>
#include <string>

#include "predict/engine.h"

namespace fireweed::predict {

struct TensorflowSettings {
  std::string package;  // the directory of the tensorflow package, with libtensorflow_cc.so.2
  int threads = 1;      // within one batch; batches themselves run side by side
  int parallel = 2;     // batches at the same time
};

// `directory` holds saved_model.pb. Throws Failure.
std::unique_ptr<Engine> LoadTensorflow(const std::string& directory,
                                       const TensorflowSettings& settings);

}  // namespace fireweed::predict
