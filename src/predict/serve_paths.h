// Which call a path of the serving process means. Pure.
#pragma once

#include <string_view>

namespace fireweed::predict {

enum class ServeCall {
  kUnknown,
  kPredict,          // POST /v1/predict
  kServingPredict,   // POST /v1/models/M[/versions/V]:predict
  kServingStatus,    // GET  /v1/models/M[/versions/V]
  kServingMetadata,  // GET  /v1/models/M[/versions/V]/metadata
  kInfer,            // POST /v2/models/M[/versions/V]/infer
  kKserveModel,      // GET  /v2/models/M[/versions/V]
  kKserveReady,      // GET  /v2/models/M[/versions/V]/ready
  kKserveServer,     // GET  /v2
  kLive,             // GET  /healthz, /v2/health/live
  kReady,            // GET  /readyz, /v2/health/ready
  kMetrics,          // GET  /metrics
};

struct ServePath {
  ServeCall call = ServeCall::kUnknown;
  std::string_view model, version;  // as in the path; empty where it names none
  bool post = false;
};

ServePath ParseServePath(std::string_view path);

}  // namespace fireweed::predict
