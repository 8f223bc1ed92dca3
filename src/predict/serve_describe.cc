// What a served version says about itself: health, metrics, and the metadata of two protocols.
#include <fmt/format.h>

#include "base/error.h"
#include "describe/json_writer.h"
#include "net/errors.h"
#include "predict/serve_api.h"

namespace fireweed::predict {
namespace {

void WriteServingTensors(JsonWriter& json, const std::vector<TensorSpec>& specs) {
  json.BeginObject();
  for (const TensorSpec& spec : specs) {
    json.Key(spec.name).BeginObject().Field("dtype", TensorFlowName(spec.type));
    json.Key("tensor_shape").BeginObject().Key("dim").BeginArray();
    for (int64_t size : spec.shape) {
      json.BeginObject().Field("size", std::to_string(size)).Field("name", "").EndObject();
    }
    json.EndArray().Field("unknown_rank", spec.any_rank).EndObject();
    json.Field("name", spec.name).EndObject();
  }
  json.EndObject();
}

void WriteKserveTensors(JsonWriter& json, const std::vector<TensorSpec>& specs) {
  json.BeginArray();
  for (const TensorSpec& spec : specs) {
    json.BeginObject().Field("name", spec.name).Field("datatype", KserveName(spec.type));
    json.Key("shape").BeginArray();
    for (int64_t size : spec.shape) json.Int(size);
    json.EndArray().EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string ServeApi::ServingMetadata() const {
  JsonWriter json;
  json.BeginObject().Key("model_spec").BeginObject();
  json.Field("name", options_.model).Field("signature_name", "");
  json.Field("version", options_.version).EndObject();
  json.Key("metadata").BeginObject().Key("signature_def").BeginObject();
  json.Key("signature_def").BeginObject();
  for (const Signature& signature : engine_.signatures()) {
    json.Key(signature.name).BeginObject().Key("inputs");
    WriteServingTensors(json, signature.inputs);
    json.Key("outputs");
    WriteServingTensors(json, signature.outputs);
    json.Field("method_name", signature.method).EndObject();
  }
  return json.EndObject().EndObject().EndObject().EndObject().Take();
}

std::string ServeApi::KserveModel() const {
  const Signature& signature = engine_.signatures().front();
  JsonWriter json;
  json.BeginObject().Field("name", options_.model);
  json.Key("versions").BeginArray().String(options_.version).EndArray();
  json.Field("platform", engine_.traits().platform).Key("inputs");
  WriteKserveTensors(json, signature.inputs);
  json.Key("outputs");
  WriteKserveTensors(json, signature.outputs);
  return json.EndObject().Take();
}

net::Response ServeApi::Describe(const ServePath& path) const {
  bool ready = !draining_;
  auto json = [](int status, std::string body) {
    return net::JsonResponse(status, std::move(body));
  };
  switch (path.call) {
    case ServeCall::kLive: return json(200, R"({"live":true})");
    case ServeCall::kReady: return json(ready ? 200 : 503, fmt::format(R"({{"ready":{}}})", ready));
    case ServeCall::kKserveReady:
      return json(ready ? 200 : 503,
                  fmt::format(R"({{"name":"{}","ready":{}}})", options_.model, ready));
    case ServeCall::kKserveServer:
      return json(
          200, R"({"name":"fireweed-serve","version":")" FIREWEED_VERSION R"(","extensions":[]})");
    case ServeCall::kKserveModel: return json(200, KserveModel());
    case ServeCall::kServingMetadata: return json(200, ServingMetadata());
    case ServeCall::kServingStatus:
      return json(200, fmt::format(R"({{"model_version_status":[{{"version":"{}","state":"{}",)"
                                   R"("status":{{"error_code":"OK","error_message":""}}}}]}})",
                                   options_.version, ready ? "AVAILABLE" : "UNLOADING"));
    case ServeCall::kMetrics: {
      net::Response response;
      response.Set("Content-Type", "text/plain; version=0.0.4");
      response.body = metrics_.Text(labels_);
      return response;
    }
    default: break;
  }
  throw Failure(Code::kInvalid, "this path takes POST");
}

}  // namespace fireweed::predict
