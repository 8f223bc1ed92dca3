// Models that only Python can open (pickles of scikit-learn and XGBoost) and custom prediction routines, in a pool of
// worker processes: a crash costs its request, and the worker is started again for the next.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "predict/engine.h"

namespace fireweed::predict {

struct PythonSettings {
  std::string interpreter = "python3";
  int workers = 2;
  std::string prediction_class;       // "module.Class"; empty: a pickled model
  std::vector<std::string> packages;  // archives or directories with modules that the model needs
  Duration answer_limit = std::chrono::seconds(60);
};

// `file`: the pickled model, empty for a custom routine. Throws Failure.
std::unique_ptr<Engine> LoadPython(const std::string& directory, const std::string& file,
                                   const PythonSettings& settings, const Clock& clock);

}  // namespace fireweed::predict
