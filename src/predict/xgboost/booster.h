// A model in XGBoost's own library, loaded at run time: one library per process, so that every model version has its own.
// Threads: Predict from any thread, one at a time (a lock inside). May block: for the computation.
// A failure: Failure with the library's message.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fireweed::predict {

struct XgboostVersion {
  int major = 0, minor = 0, patch = 0;
  friend auto operator<=>(const XgboostVersion&, const XgboostVersion&) = default;
  std::string Text() const;
};

class Booster {
 public:
  // `library` is the path of a libxgboost.so, `model` the bytes of a model file.
  Booster(const std::string& library, std::string_view model);
  ~Booster();

  // Without loading a model.
  static XgboostVersion VersionOf(const std::string& library);

  int64_t features() const;
  // The model as UBJSON, whatever it was loaded from.
  std::string Saved() const;

  struct Prediction {
    std::vector<int64_t> shape;
    std::vector<float> values;
  };
  Prediction Predict(const float* rows, int64_t count, int64_t features) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fireweed::predict
