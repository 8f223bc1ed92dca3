#include "predict/tensorflow/tensorflow_engine.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "predict/model_directory.h"
#include "predict/tensorflow/c_api.h"
#include "predict/tensorflow/saved_model.h"
#include "predict/tensorflow/tensor_types.h"

namespace fireweed::predict {
namespace {

constexpr int kInvalidArgument = 3, kOutOfRange = 11, kExhausted = 8,
              kFailedPrecondition = 9;  // of TF_Code

struct TensorDeleter {
  const TensorFlowApi* api;
  void operator()(TfTensor* tensor) const { api->delete_tensor(tensor); }
};
using OwnedTensor = std::unique_ptr<TfTensor, TensorDeleter>;

class Status {
 public:
  explicit Status(const TensorFlowApi& api) : api_(api), status_(api.new_status()) {}
  ~Status() { api_.delete_status(status_); }
  Status(const Status&) = delete;
  TfStatus* get() const { return status_; }
  int code() const { return api_.code(status_); }
  // Without the trace of nodes that follows.
  std::string Message() const {
    std::string text = api_.message(status_);
    size_t end = std::min(text.find("\n"), text.find("\t [["));
    return text.substr(0, end);
  }

 private:
  const TensorFlowApi& api_;
  TfStatus* status_;
};

// ConfigProto: intra_op_parallelism_threads = 2, inter_op_parallelism_threads = 5; -1 there runs a batch's operations in
// the thread that asked, which is the fastest for small models.
std::string ThreadConfig(int threads) {
  std::string config{0x10, static_cast<char>(std::clamp(threads, 1, 64)), 0x28};
  return config + std::string(9, '\xff') + '\x01';
}

struct Served {
  std::vector<TfOutput> inputs, outputs;
};

class TensorflowEngine final : public Engine {
 public:
  TensorflowEngine(const std::string& directory, const TensorflowSettings& settings)
      : api_(settings.package) {
    SavedModel model = ReadSavedModel(ReadModelFile(directory + "/saved_model.pb"));
    graph_ = api_.new_graph();
    LoadSession(directory, model, settings);
    for (SavedSignature& saved : model.signatures) {
      Served served{Ends(saved.inputs), Ends(saved.outputs)};
      served_.push_back(std::move(served));
      signatures_.push_back(std::move(saved.signature));
    }
    traits_.platform = "tensorflow_savedmodel";
    traits_.parallel = settings.parallel;
    traits_.description =
        fmt::format("SavedModel with {} signatures ({} by default), TensorFlow {}",
                    signatures_.size(), signatures_.front().name, api_.version());
  }

  ~TensorflowEngine() override {
    Status status(api_);
    if (session_ != nullptr) {
      api_.close_session(session_, status.get());
      api_.delete_session(session_, status.get());
    }
    if (graph_ != nullptr) api_.delete_graph(graph_);
  }

  const Traits& traits() const override { return traits_; }
  const std::vector<Signature>& signatures() const override { return signatures_; }

  Outputs Predict(const Signature& signature, const Inputs& inputs) override {
    const Served& served = served_[static_cast<size_t>(&signature - signatures_.data())];
    std::vector<OwnedTensor> owned;
    std::vector<TfTensor*> values;
    for (const Tensor& tensor : inputs.tensors) {
      owned.push_back(Given(tensor));
      values.push_back(owned.back().get());
    }
    std::vector<TfTensor*> results(served.outputs.size());
    Status status(api_);
    api_.run(session_, nullptr, served.inputs.data(), values.data(),
             static_cast<int>(values.size()), served.outputs.data(), results.data(),
             static_cast<int>(results.size()), nullptr, 0, nullptr, status.get());
    std::vector<OwnedTensor> kept;
    for (TfTensor* result : results) kept.emplace_back(result, TensorDeleter{&api_});
    if (status.code() != 0) Fail(status);
    Outputs outputs;
    for (const OwnedTensor& result : kept) outputs.push_back(Taken(result.get()));
    return outputs;
  }

 private:
  [[noreturn]] static void Fail(const Status& status) {
    bool theirs = status.code() == kInvalidArgument || status.code() == kOutOfRange;
    Code code = theirs                                 ? Code::kInvalid
                : status.code() == kExhausted          ? Code::kExhausted
                : status.code() == kFailedPrecondition ? Code::kPrecondition
                                                       : Code::kInternal;
    throw Failure(code, status.Message());
  }

  void LoadSession(const std::string& directory, const SavedModel& model,
                   const TensorflowSettings& settings) {
    Status status(api_);
    TfSessionOptions* options = api_.new_options();
    std::string config = ThreadConfig(settings.threads);
    api_.set_config(options, config.data(), config.size(), status.get());
    std::vector<const char*> tags;
    for (const std::string& tag : model.tags) tags.push_back(tag.c_str());
    if (status.code() == 0) {
      session_ = api_.load(options, nullptr, directory.c_str(), tags.data(),
                           static_cast<int>(tags.size()), graph_, nullptr, status.get());
    }
    api_.delete_options(options);
    if (status.code() != 0) {
      throw Failure(Code::kInvalid, fmt::format("TensorFlow {} cannot load the SavedModel: {}",
                                                api_.version(), status.Message()));
    }
  }

  std::vector<TfOutput> Ends(const std::vector<GraphEnd>& ends) const {
    std::vector<TfOutput> found;
    for (const GraphEnd& end : ends) {
      TfOperation* operation = api_.operation(graph_, end.operation.c_str());
      bool there =
          operation != nullptr && end.index >= 0 && end.index < api_.operation_outputs(operation);
      if (!there) {
        throw Failure(Code::kInvalid, fmt::format("the SavedModel's graph has no tensor {}:{}",
                                                  end.operation, end.index));
      }
      found.push_back({operation, end.index});
    }
    return found;
  }

  // Strings are views into `tensor`, which outlives the call.
  OwnedTensor Given(const Tensor& tensor) const {
    bool text = tensor.type == DataType::kString;
    size_t bytes = text ? tensor.texts.size() * sizeof(TfString) : tensor.bytes.size();
    OwnedTensor made(api_.allocate(ToTensorFlow(tensor.type), tensor.shape.data(),
                                   static_cast<int>(tensor.shape.size()), bytes),
                     TensorDeleter{&api_});
    if (!made) throw Failure(Code::kExhausted, "no memory for the request's tensors");
    if (!text) {
      if (bytes > 0) std::memcpy(api_.data(made.get()), tensor.bytes.data(), bytes);
      return made;
    }
    auto* strings = static_cast<TfString*>(api_.data(made.get()));
    for (size_t i = 0; i < tensor.texts.size(); ++i) {
      strings[i] = TfString{};
      api_.assign_view(&strings[i], tensor.texts[i].data(), tensor.texts[i].size());
    }
    return made;
  }

  Tensor Taken(const TfTensor* tensor) const {
    std::optional<DataType> type = FromTensorFlow(api_.tensor_type(tensor));
    if (!type) throw Failure(Code::kInternal, "the model gives a type that cannot be served");
    Tensor made{*type, {}, {}, {}};
    for (int i = 0; i < api_.dimensions(tensor); ++i) {
      made.shape.push_back(api_.dimension(tensor, i));
    }
    if (*type == DataType::kString) {
      const auto* strings = static_cast<const TfString*>(api_.data(tensor));
      for (int64_t i = 0; i < made.elements(); ++i) {
        made.texts.emplace_back(api_.string_data(&strings[i]), api_.string_size(&strings[i]));
      }
    } else {
      made.bytes.resize(api_.byte_size(tensor));
      if (!made.bytes.empty()) {
        std::memcpy(made.bytes.data(), api_.data(tensor), made.bytes.size());
      }
    }
    return made;
  }

  TensorFlowApi api_;
  TfGraph* graph_ = nullptr;
  TfSession* session_ = nullptr;
  std::vector<Served> served_;
  Traits traits_;
  std::vector<Signature> signatures_;
};

}  // namespace

std::unique_ptr<Engine> LoadTensorflow(const std::string& directory,
                                       const TensorflowSettings& settings) {
  if (settings.package.empty()) {
    throw Failure(Code::kInvalid,
                  "a SavedModel needs a TensorFlow package (--tensorflow), and none is given");
  }
  return std::make_unique<TensorflowEngine>(directory, settings);
}

}  // namespace fireweed::predict
