// Settings of prediction; see config.h.
#pragma once

#include <string>

#include "describe/type.h"

namespace fireweed {

struct ServingConfig {
  int32_t idle_seconds = 600;
  int32_t most_requests = 1024;
  int32_t wake_seconds = 60;
  int32_t answer_seconds = 60;
  int64_t most_model_bytes = int64_t{10} << 30;
  std::string python;
  std::string xgboost;
  std::string tensorflow;
};

template <>
inline constexpr auto kFields<ServingConfig> = [](auto...) {
  return Fields{
      F("idleSeconds", &ServingConfig::idle_seconds, 0,
        "A version whose minNodes is 0 has no process when nobody asked it for this long."),
      F("mostRequests", &ServingConfig::most_requests, 0,
        "Requests of one version at the same time; more are answered 429."),
      F("wakeSeconds", &ServingConfig::wake_seconds, 0,
        "How long a request waits for the process of its version to be there."),
      F("answerSeconds", &ServingConfig::answer_seconds, 0,
        "How long a request waits for its answer."),
      F("mostModelBytes", &ServingConfig::most_model_bytes, 0, "The largest model that is copied."),
      F("python", &ServingConfig::python, 0,
        "The Python of scikit-learn models and prediction classes, .../bin/python of an "
        "environment "
        "that has them. Empty: python3."),
      F("xgboost", &ServingConfig::xgboost, 0,
        "Path of a libxgboost.so, for models that cannot be computed without it."),
      F("tensorflow", &ServingConfig::tensorflow, 0,
        "Directory of an installed tensorflow package, for models of TensorFlow.")};
};

}  // namespace fireweed
