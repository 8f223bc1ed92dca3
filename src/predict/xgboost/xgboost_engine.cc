#include "predict/xgboost/xgboost_engine.h"

#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "predict/model_directory.h"
#include "predict/xgboost/booster.h"
#include "predict/xgboost/forest.h"
#include "predict/xgboost/model_value.h"

namespace fireweed::predict {
namespace {

constexpr XgboostVersion kNewestKnown{3, 99, 0};  // whose documents Forest was made for
constexpr XgboostVersion kNoOldBinary{3, 1,
                                      0};  // the first library that refuses the old binary form
constexpr int64_t kProbes = 256;
constexpr int64_t kInlineRows = 32;
constexpr const char kInput[] = "input", kOutput[] = "predictions";

enum class Form { kJson, kUbj, kOldBinary };

Form FormOf(std::string_view bytes) {
  if (!bytes.starts_with('{')) return Form::kOldBinary;
  size_t next = bytes.find_first_not_of(" \t\r\n", 1);
  return next != std::string_view::npos && bytes[next] == '"' ? Form::kJson : Form::kUbj;
}

XgboostVersion WrittenBy(const ModelValue& model) {
  const ModelValue* version = model.Find("version");
  if (version == nullptr || version->numbers.size() != 3) return {1, 0, 0};
  auto part = [&](size_t i) {
    double number = version->numbers[i];
    return number >= 0 && number < 1e6 ? static_cast<int>(number) : 1'000'000;
  };
  return {part(0), part(1), part(2)};
}

void RefuseNewer(const XgboostVersion& model, const XgboostVersion& reader, std::string_view who) {
  if (model.major < reader.major || (model.major == reader.major && model.minor <= reader.minor)) {
    return;
  }
  throw Failure(Code::kInvalid,
                fmt::format("the model was written by XGBoost {}, {} is {}: it would predict "
                            "wrongly; use a newer runtime version",
                            model.Text(), who, reader.Text()));
}

class XgboostEngine final : public Engine {
 public:
  XgboostEngine(const std::string& bytes, const XgboostSettings& settings) {
    Form form = FormOf(bytes);
    std::optional<XgboostVersion> library;
    if (!settings.library.empty()) library = Booster::VersionOf(settings.library);
    if (form == Form::kOldBinary) RefuseOldBinary(library);
    ModelValue model;
    if (form != Form::kOldBinary) {
      model = form == Form::kJson ? ReadJsonModel(bytes) : ReadUbjModel(bytes);
      written_by_ = WrittenBy(model);
      RefuseNewer(written_by_, library.value_or(kNewestKnown),
                  library ? "the library" : "this program's newest");
    }
    if (library) booster_ = std::make_unique<Booster>(settings.library, bytes);
    if (form == Form::kOldBinary) model = ReadUbjModel(booster_->Saved());
    TakeForest(model, settings, library);
    Describe(model, library);
  }

  const Traits& traits() const override { return traits_; }
  const std::vector<Signature>& signatures() const override { return signatures_; }

  Outputs Predict(const Signature&, const Inputs& inputs) override {
    const Tensor& rows = inputs.tensors.front();
    // Aligned as any allocation is.
    const float* values = reinterpret_cast<const float*>(rows.bytes.data());
    Tensor result;
    if (!forest_) {
      Booster::Prediction made = booster_->Predict(values, inputs.rows, features_);
      result.shape = made.shape;
      result.bytes.resize(made.values.size() * sizeof(float));
      std::memcpy(result.bytes.data(), made.values.data(), result.bytes.size());
    } else {
      int64_t wide = forest_->outputs();
      result.shape = {inputs.rows};
      if (wide > 1) result.shape.push_back(wide);
      result.bytes.resize(static_cast<size_t>(inputs.rows * wide) * sizeof(float));
      forest_->Predict(values, inputs.rows, reinterpret_cast<float*>(result.bytes.data()));
    }
    Outputs outputs;
    outputs.push_back(std::move(result));
    return outputs;
  }

 private:
  static void RefuseOldBinary(const std::optional<XgboostVersion>& library) {
    if (!library) {
      throw Failure(
          Code::kInvalid,
          "the model is in XGBoost's old binary form, or no XGBoost model at all: it needs an "
          "XGBoost library below 3.1, of a runtime version, the setting serving.xgboost or "
          "--python");
    }
    if (*library >= kNoOldBinary) {
      throw Failure(Code::kInvalid,
                    fmt::format("the model is in XGBoost's old binary form, or no XGBoost model at "
                                "all: XGBoost {} no longer reads it; use a library below 3.1, or "
                                "save the model as JSON",
                                library->Text()));
    }
  }

  void TakeForest(const ModelValue& model, const XgboostSettings& settings,
                  const std::optional<XgboostVersion>& library) {
    std::optional<std::string> obstacle = Forest::Obstacle(model);
    if (!settings.use_forest) obstacle = "asked for";
    if (!obstacle) {
      forest_ = std::make_unique<Forest>(model);
      if (library && !AgreesWithLibrary()) {
        forest_.reset();
        obstacle = "its trees are computed differently here";
      }
    }
    if (!forest_ && !booster_) {
      throw Failure(
          Code::kInvalid,
          fmt::format("the model needs the XGBoost library ({}), and none is given: the setting "
                      "serving.xgboost names one",
                      *obstacle));
    }
    how_ = forest_ ? "trees computed here" : fmt::format("computed by the library: {}", *obstacle);
    if (forest_) booster_.reset();
  }

  bool AgreesWithLibrary() const {
    std::vector<float> rows = forest_->Probes(kProbes);
    Booster::Prediction wanted = booster_->Predict(rows.data(), kProbes, forest_->features());
    std::vector<float> got(static_cast<size_t>(kProbes * forest_->outputs()));
    forest_->Predict(rows.data(), kProbes, got.data());
    return got.size() == wanted.values.size() &&
           std::memcmp(got.data(), wanted.values.data(), got.size() * sizeof(float)) == 0;
  }

  void Describe(const ModelValue& model, const std::optional<XgboostVersion>& library) {
    features_ = forest_ ? forest_->features() : booster_->features();
    Signature signature;
    signature.name = "serving_default";
    signature.unnamed = true;
    signature.method = "tensorflow/serving/predict";
    TensorSpec input{kInput, DataType::kFloat, {-1, features_}};
    input.null_is_missing = true;
    const ModelValue* names = model.At({"learner"}).Find("feature_names");
    if (names != nullptr && static_cast<int64_t>(names->list.size()) == features_) {
      for (const ModelValue& name : names->list) input.features.push_back(name.text);
    }
    signature.inputs.push_back(std::move(input));
    TensorSpec output{kOutput, DataType::kFloat, {-1}};
    bool wide = forest_ ? forest_->outputs() > 1 : false;
    if (wide) output.shape.push_back(forest_->outputs());
    output.any_rank = !forest_;
    signature.outputs.push_back(std::move(output));
    signature.bare_output = true;
    signatures_.push_back(std::move(signature));
    traits_.platform = "xgboost";
    traits_.parallel = forest_ ? 2 : 1;
    traits_.inline_rows = forest_ && forest_->trees() <= 2'000 ? kInlineRows : 0;
    traits_.description = fmt::format(
        "XGBoost model {}, {} features, {}{}",
        written_by_.major == 0 ? "in the old binary form" : "written by " + written_by_.Text(),
        features_, how_, library ? fmt::format(", library {}", library->Text()) : "");
  }

  XgboostVersion written_by_;
  std::unique_ptr<Booster> booster_;
  std::unique_ptr<Forest> forest_;
  int64_t features_ = 0;
  std::string how_;
  Traits traits_;
  std::vector<Signature> signatures_;
};

}  // namespace

std::unique_ptr<Engine> LoadXgboost(const std::string& file, const XgboostSettings& settings) {
  return std::make_unique<XgboostEngine>(ReadModelFile(file), settings);
}

}  // namespace fireweed::predict
