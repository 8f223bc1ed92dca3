#include "predict/xgboost/booster.h"

#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "predict/shared_library.h"

namespace fireweed::predict {
namespace {

using Handle = void*;
using Size = uint64_t;

// The part of XGBoost's C interface that is used here; all versions since 1.6 have it.
struct Functions {
  explicit Functions(const SharedLibrary& library) {
    library.Bind(version, "XGBoostVersion");
    library.Bind(last_error, "XGBGetLastError");
    library.Bind(create, "XGBoosterCreate");
    library.Bind(free, "XGBoosterFree");
    library.Bind(load, "XGBoosterLoadModelFromBuffer");
    library.Bind(save, "XGBoosterSaveModelToBuffer");
    library.Bind(set, "XGBoosterSetParam");
    library.Bind(features, "XGBoosterGetNumFeature");
    library.Bind(matrix, "XGDMatrixCreateFromMat");
    library.Bind(free_matrix, "XGDMatrixFree");
    library.Bind(predict, "XGBoosterPredictFromDMatrix");
  }

  void (*version)(int*, int*, int*);
  const char* (*last_error)();
  int (*create)(const Handle*, Size, Handle*);
  int (*free)(Handle);
  int (*load)(Handle, const void*, Size);
  int (*save)(Handle, const char*, Size*, const char**);
  int (*set)(Handle, const char*, const char*);
  int (*features)(Handle, Size*);
  int (*matrix)(const float*, Size, Size, float, Handle*);
  int (*free_matrix)(Handle);
  int (*predict)(Handle, Handle, const char*, const Size**, Size*, const float**);
};

// The first line of the library's message, without its stack trace.
std::string FirstLine(std::string_view message) {
  message = message.substr(0, message.find('\n'));
  size_t file_end = message.find(": ");  // "[12:00:00] /path/learner.cc:123: what"
  if (message.starts_with('[') && file_end != std::string_view::npos) {
    message.remove_prefix(file_end + 2);
  }
  return std::string(message);
}

constexpr const char kConfig[] =
    R"({"type":0,"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":false})";

}  // namespace

std::string XgboostVersion::Text() const { return fmt::format("{}.{}.{}", major, minor, patch); }

struct Booster::State {
  explicit State(const std::string& path) : library(path), call(library) {}
  ~State() {
    if (booster != nullptr) call.free(booster);
  }
  void Check(int outcome, std::string_view what) const {
    if (outcome == 0) return;
    throw Failure(Code::kInvalid,
                  fmt::format("XGBoost {}: {}", what, FirstLine(call.last_error())));
  }

  SharedLibrary library;
  Functions call;
  Handle booster = nullptr;
  mutable std::mutex mu;  // the booster keeps the last prediction
};

Booster::Booster(const std::string& library, std::string_view model)
    : state_(std::make_unique<State>(library)) {
  state_->Check(state_->call.create(nullptr, 0, &state_->booster), "cannot start");
  state_->Check(state_->call.load(state_->booster, model.data(), model.size()),
                "cannot read the model");
  state_->Check(state_->call.set(state_->booster, "nthread", "1"), "refuses a setting");
}

Booster::~Booster() = default;

XgboostVersion Booster::VersionOf(const std::string& library) {
  State state(library);
  XgboostVersion version;
  state.call.version(&version.major, &version.minor, &version.patch);
  return version;
}

int64_t Booster::features() const {
  Size count = 0;
  state_->Check(state_->call.features(state_->booster, &count), "cannot count features");
  return static_cast<int64_t>(count);
}

std::string Booster::Saved() const {
  Size size = 0;
  const char* bytes = nullptr;
  state_->Check(state_->call.save(state_->booster, R"({"format":"ubj"})", &size, &bytes),
                "cannot write the model");
  return std::string(bytes, size);
}

// Through a matrix of the library, as Booster.predict does in Python: the calls that need none know fewer boosters, and add
// dart's trees up in another order.
Booster::Prediction Booster::Predict(const float* rows, int64_t count, int64_t features) const {
  std::lock_guard lock(state_->mu);
  Handle handle = nullptr;
  state_->Check(state_->call.matrix(rows, static_cast<Size>(count), static_cast<Size>(features),
                                    std::numeric_limits<float>::quiet_NaN(), &handle),
                "cannot take the instances");
  std::unique_ptr<void, int (*)(Handle)> matrix(handle, state_->call.free_matrix);
  const Size* shape = nullptr;
  Size dimensions = 0;
  const float* result = nullptr;
  state_->Check(
      state_->call.predict(state_->booster, matrix.get(), kConfig, &shape, &dimensions, &result),
      "cannot predict");
  Prediction prediction;
  prediction.shape.assign(shape, shape + dimensions);
  Size total = std::accumulate(shape, shape + dimensions, Size{1}, std::multiplies<>());
  prediction.values.assign(result, result + total);
  return prediction;
}

}  // namespace fireweed::predict
