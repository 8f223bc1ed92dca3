// The ml API, v1: training jobs, models and prediction.
#pragma once

#include <string_view>

#include "api/method.h"

namespace fireweed::api::ml {

inline constexpr std::string_view kHosts[] = {"ml.googleapis.com"};
inline constexpr Service kService{.name = "ml",
                                  .version = "v1",
                                  .title = "AI Platform Training & Prediction API",
                                  .hosts = kHosts,
                                  .refuse_unknown_fields = true,
                                  .path_names = PathNames::kByResource};

inline constexpr std::string_view kProjectResource = "projects/{project}";
inline constexpr std::string_view kJobResource = "projects/{project}/jobs/{job}";

}  // namespace fireweed::api::ml
