#include "predict/serve_paths.h"

#include <array>

namespace fireweed::predict {
namespace {

// Takes the text up to a '/' or ':' off the front.
std::string_view TakeName(std::string_view& rest) {
  size_t end = rest.find_first_of("/:");
  std::string_view name = rest.substr(0, end);
  rest.remove_prefix(name.size());
  return name;
}

struct Fixed {
  std::string_view path;
  ServeCall call;
  bool post;
};

constexpr std::array<Fixed, 8> kFixed{{
    {"/v1/predict", ServeCall::kPredict, true},
    {"/v2", ServeCall::kKserveServer, false},
    {"/v2/", ServeCall::kKserveServer, false},
    {"/healthz", ServeCall::kLive, false},
    {"/v2/health/live", ServeCall::kLive, false},
    {"/readyz", ServeCall::kReady, false},
    {"/v2/health/ready", ServeCall::kReady, false},
    {"/metrics", ServeCall::kMetrics, false},
}};

struct Tail {
  char api;  // of /v1 or /v2
  std::string_view text;
  ServeCall call;
  bool post;
};

constexpr std::array<Tail, 6> kTails{{
    {'1', ":predict", ServeCall::kServingPredict, true},
    {'1', "", ServeCall::kServingStatus, false},
    {'1', "/metadata", ServeCall::kServingMetadata, false},
    {'2', "/infer", ServeCall::kInfer, true},
    {'2', "", ServeCall::kKserveModel, false},
    {'2', "/ready", ServeCall::kKserveReady, false},
}};

}  // namespace

ServePath ParseServePath(std::string_view path) {
  ServePath parsed;
  for (const Fixed& fixed : kFixed) {
    if (fixed.path == path) return {fixed.call, {}, {}, fixed.post};
  }
  constexpr std::string_view kFirst = "/v1/models/", kSecond = "/v2/models/";
  if (!path.starts_with(kFirst) && !path.starts_with(kSecond)) return parsed;
  char api = path[2];
  std::string_view rest = path.substr(kFirst.size());
  parsed.model = TakeName(rest);
  constexpr std::string_view kVersions = "/versions/";
  if (rest.starts_with(kVersions)) {
    rest.remove_prefix(kVersions.size());
    parsed.version = TakeName(rest);
  }
  for (const Tail& tail : kTails) {
    if (tail.api != api || tail.text != rest || parsed.model.empty()) continue;
    parsed.call = tail.call;
    parsed.post = tail.post;
  }
  return parsed;
}

}  // namespace fireweed::predict
