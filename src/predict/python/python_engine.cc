#include "predict/python/python_engine.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include <fmt/format.h>

#include "base/error.h"
#include "predict/python/predictions.h"
#include "predict/python/worker_process.h"
#include "predict/python/worker_program.h"

namespace fireweed::predict {
namespace {

class PythonEngine final : public Engine {
 public:
  PythonEngine(WorkerProcess::Command command, const PythonSettings& settings, const Clock& clock)
      : command_(std::move(command)) {
    for (int i = 0; i < std::max(1, settings.workers); ++i) {
      workers_.push_back(std::make_unique<WorkerProcess>(command_, clock));
      free_.push_back(workers_.back().get());
    }
    // All of them: a model that loads once may not load twice (memory), and better to know now.
    for (auto& worker : workers_) worker->Start();
    bool custom = !settings.prediction_class.empty();
    Signature signature;
    signature.name = "serving_default";
    signature.unnamed = true;
    signature.method = "tensorflow/serving/predict";
    signature.inputs.push_back({"instances", DataType::kJson, {-1}});
    signature.outputs.push_back({"predictions", DataType::kJson, {-1}});
    signature.bare_output = true;
    signatures_.push_back(std::move(signature));
    traits_.joins_requests = !custom;  // a routine may look at its instances as a whole
    traits_.parallel = static_cast<int>(workers_.size());
    traits_.platform = custom ? "python_custom" : "python_pickle";
    traits_.description =
        fmt::format("{} in {} Python workers",
                    custom ? settings.prediction_class : "a pickled model", workers_.size());
  }

  const Traits& traits() const override { return traits_; }
  const std::vector<Signature>& signatures() const override { return signatures_; }

  Outputs Predict(const Signature&, const Inputs& inputs) override {
    std::string request = "{\"instances\":[";
    bool first = true;
    for (const std::string& instance : inputs.tensors.front().texts) {
      if (!std::exchange(first, false)) request += ',';
      request += instance;
    }
    request += ']';
    if (!inputs.parameters.empty()) request += ",\"parameters\":" + inputs.parameters;
    request += '}';
    Lease lease(*this);
    if (!lease.worker->alive()) lease.worker->Start();
    Tensor predictions{DataType::kJson, {inputs.rows}, {}, {}};
    predictions.texts = SplitPredictions(lease.worker->Ask(request), inputs.rows);
    return {std::move(predictions)};
  }

 private:
  // A worker for as long as this lives.
  struct Lease {
    explicit Lease(PythonEngine& owner) : engine(owner) {
      std::unique_lock lock(engine.mu_);
      engine.returned_.wait(lock, [this] { return !engine.free_.empty(); });
      worker = engine.free_.back();
      engine.free_.pop_back();
    }
    ~Lease() {
      {
        std::lock_guard lock(engine.mu_);
        engine.free_.push_back(worker);
      }
      engine.returned_.notify_one();
    }
    PythonEngine& engine;
    WorkerProcess* worker;
  };

  const WorkerProcess::Command command_;
  std::vector<std::unique_ptr<WorkerProcess>> workers_;
  std::mutex mu_;
  std::condition_variable returned_;
  std::vector<WorkerProcess*> free_;  // guarded by mu_
  Traits traits_;
  std::vector<Signature> signatures_;
};

}  // namespace

std::unique_ptr<Engine> LoadPython(const std::string& directory, const std::string& file,
                                   const PythonSettings& settings, const Clock& clock) {
  WorkerProcess::Command command;
  bool custom = !settings.prediction_class.empty();
  command.argv = {
      settings.interpreter,        "-c",      std::string(kWorkerProgram),
      custom ? "custom" : "model", directory, custom ? settings.prediction_class : file};
  command.argv.insert(command.argv.end(), settings.packages.begin(), settings.packages.end());
  command.answer_limit = settings.answer_limit;
  return std::make_unique<PythonEngine>(std::move(command), settings, clock);
}

}  // namespace fireweed::predict
