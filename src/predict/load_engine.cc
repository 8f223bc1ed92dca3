#include "predict/load_engine.h"

#include "base/error.h"

namespace fireweed::predict {

std::unique_ptr<Engine> LoadEngine(const std::string& directory, const EngineSettings& settings,
                                   const Clock& clock) {
  if (!settings.python.prediction_class.empty()) {
    return LoadPython(directory, "", settings.python, clock);
  }
  Framework framework = settings.framework ? *settings.framework : GuessFramework(directory);
  if (framework == Framework::kCustom) {
    throw Failure(Code::kInvalid, "a custom routine needs the name of its class");
  }
  std::string file = FindModelFile(directory, framework);
  if (framework == Framework::kTensorflow) return LoadTensorflow(directory, settings.tensorflow);
  if (framework == Framework::kSklearn || IsPickle(file)) {
    return LoadPython(directory, file, settings.python, clock);
  }
  return LoadXgboost(file, settings.xgboost);
}

}  // namespace fireweed::predict
