#include "ml/models/predict_gateway.h"

#include <fmt/format.h>

#include "ml/models/model_names.h"
#include "net/errors.h"

namespace fireweed::ml {
namespace {

using api::ml::VersionState;
constexpr size_t kCachedRows = 4096;

// One request on its way to a version's process and back.
class ServedRequest final : public net::Forwarding {
 public:
  ServedRequest(std::shared_ptr<ServingTarget> target,
                std::shared_ptr<const Row<VersionRecord>> version, const Clock& clock,
                const ExchangeSink& sink)
      : target_(std::move(target)),
        version_(std::move(version)),
        clock_(clock),
        sink_(sink),
        begun_(clock.Now()) {}
  ~ServedRequest() override {
    Time now = clock_.Now();
    target_->counters.Count(now - begun_, failed_);
    target_->Leave(now);
  }

  std::shared_ptr<net::Backend> Next() override { return target_->Next(); }
  void Await(std::function<void()> then) override { target_->Await(std::move(then)); }
  void Unreachable(const std::shared_ptr<net::Backend>& backend) override {
    target_->Drop(backend);
  }
  void AppendHead(std::string& out) const override { out += head; }
  bool IsAlone() const override { return target_->in_flight() == 1; }

  net::Response Finish(net::BackendAnswer answer) override {
    failed_ = answer.status >= 500;
    net::Response response;
    response.status = answer.status;
    for (net::ResponseHeader& header : answer.headers) {
      if (header.name.size() == 12) response.Set("Content-Type", std::move(header.value));
    }
    if (sink_ && version_->value.resource.requestLoggingConfig) {
      sink_({version_->value, request, answer.body, answer.status, clock_.Now()});
    }
    response.body = std::move(answer.body);
    return response;
  }
  Error Fail(Error why) override {
    failed_ = true;
    why.message =
        fmt::format("Prediction failed: {}: {}.", version_->value.resource_name(), why.message);
    return why;
  }

  std::string head;
  std::string request;  // kept only where it is logged

 private:
  const std::shared_ptr<ServingTarget> target_;
  const std::shared_ptr<const Row<VersionRecord>> version_;
  const Clock& clock_;
  const ExchangeSink& sink_;
  const Time begun_;
  bool failed_ = true;  // until an answer came
};

void RequireReady(const VersionRecord& version) {
  VersionState state = version.resource.state;
  if (!version.deleting && (state == VersionState::kReady || state == VersionState::kUpdating)) {
    return;
  }
  std::string why = "it is being deleted";
  if (!version.deleting && state == VersionState::kCreating) why = "it is still being created";
  if (!version.deleting && state == VersionState::kFailed) {
    why = "its creation failed: " + version.resource.errorMessage;
  }
  throw Failure(Code::kInvalid, "failedPrecondition",
                fmt::format("Field: name Error: The version {} cannot predict: {}.",
                            version.resource_name(), why));
}

void AppendHead(std::string& out, const net::Call& call, const std::string& path) {
  out.append(VerbName(call.method.verb))
      .append(" ")
      .append(path)
      .append(" HTTP/1.1\r\nHost: model\r\n");
  if (auto type = call.http.Header("Content-Type")) {
    out.append("Content-Type: ").append(*type).append("\r\n");
  }
  // The Open Inference Protocol's binary form says in a header where the JSON ends.
  if (auto size = call.http.Header("Inference-Header-Content-Length")) {
    out.append("Inference-Header-Content-Length: ").append(*size).append("\r\n");
  }
}

}  // namespace

PredictGateway::PredictGateway(Catalog& catalog, ServingTable& table, const Clock& clock,
                               GatewayLimits limits, ExchangeSink sink)
    : numbers_(catalog, kCachedRows),
      models_(catalog, kCachedRows),
      versions_(catalog, kCachedRows),
      table_(table),
      clock_(clock),
      limits_(limits),
      sink_(std::move(sink)) {}

void PredictGateway::ServeAt(net::Router& router, const api::MethodEntry& method, bool versioned,
                             std::string path) {
  router.OnRaw(method, [this, versioned, path](const net::Call& call) -> net::Answer {
    return Prepare(call, versioned, path, From::kCatalog);
  });
  router.OnForward(method, [this, versioned, path = std::move(path)](const net::Call& call) {
    return Prepare(call, versioned, path, From::kMemory);
  });
}

void PredictGateway::Serve(net::Router& router) {
  namespace m = api::ml;
  ServeAt(router, m::kPredictModel.entry(), false, "/v1/predict");
  ServeAt(router, m::kPredictVersion.entry(), true, "/v1/predict");
  ServeAt(router, m::kTfPredictModel.entry(), false, "/v1/models/{}:predict");
  ServeAt(router, m::kTfPredictVersion.entry(), true, "/v1/models/{}:predict");
  ServeAt(router, m::kTfStatus.entry(), false, "/v1/models/{}");
  ServeAt(router, m::kTfMetadata.entry(), false, "/v1/models/{}/metadata");
  ServeAt(router, m::kKserveInfer.entry(), false, "/v2/models/{}/infer");
  ServeAt(router, m::kKserveInferVersion.entry(), true, "/v2/models/{}/infer");
  ServeAt(router, m::kKserveModel.entry(), false, "/v2/models/{}");
  ServeAt(router, m::kKserveReady.entry(), false, "/v2/models/{}/ready");
  ServeAt(router, m::kTfStatusVersion.entry(), true, "/v1/models/{}");
  ServeAt(router, m::kTfMetadataVersion.entry(), true, "/v1/models/{}/metadata");
  ServeAt(router, m::kKserveModelVersion.entry(), true, "/v2/models/{}");
  ServeAt(router, m::kKserveReadyVersion.entry(), true, "/v2/models/{}/ready");
  auto say = [&](const api::MethodEntry& method, std::string_view text) {
    router.OnRaw(method, [text](const net::Call&) -> net::Answer {
      return net::JsonResponse(200, std::string(text));
    });
  };
  say(m::kKserveServer.entry(),
      R"({"name":"fireweed","version":")" FIREWEED_VERSION R"(","extensions":[]})");
  say(m::kKserveLive.entry(), R"({"live":true})");
  say(m::kKserveServerReady.entry(), R"({"ready":true})");
  auto refuse = [](const net::Call&) -> net::Answer {
    throw Failure(Code::kInvalid, "Explanations are not served here: use :predict.");
  };
  router.OnRaw(m::kExplainModel.entry(), refuse);
  router.OnRaw(m::kExplainVersion.entry(), refuse);
}

// The id of a project that is named by it or by its number.
std::optional<std::string> PredictGateway::FindProject(const std::string& name, From from) {
  if (!IsProjectNumber(name)) return name;
  auto row = from == From::kMemory ? numbers_.Peek(name) : std::optional(numbers_.Get(name));
  if (!row) return std::nullopt;
  return *row ? (*row)->value.project : name;
}

std::optional<PredictGateway::VersionRow> PredictGateway::FindVersion(const Key& key, From from) {
  return from == From::kMemory ? versions_.Peek(key) : std::optional(versions_.Get(key));
}

std::optional<PredictGateway::ModelRow> PredictGateway::FindModel(const Key& key, From from) {
  return from == From::kMemory ? models_.Peek(key) : std::optional(models_.Get(key));
}

// Shares are met exactly over each hundred requests, spread evenly among them.
const std::string& PredictGateway::ChooseVersion(const ModelRecord& model) {
  if (model.resource.trafficSplit.empty()) return model.default_version;
  constexpr uint32_t kStride = 61;  // has no divisor in common with 100
  uint32_t place = turn_.fetch_add(1, std::memory_order_relaxed) % 100 * kStride % 100;
  for (const auto& [version, percent] : model.resource.trafficSplit) {
    if (place < static_cast<uint32_t>(percent)) return version;
    place -= static_cast<uint32_t>(percent);
  }
  return model.default_version;
}

std::shared_ptr<net::Forwarding> PredictGateway::Prepare(const net::Call& call, bool versioned,
                                                         const std::string& path, From from) {
  std::string model_name = call.Path("model");
  std::optional<std::string> project = FindProject(call.Path("project"), from);
  if (!project) return nullptr;
  Key model_key = *project + "/" + model_name;
  std::string version_name = versioned ? call.Path("version") : "";
  if (!versioned) {
    std::optional<ModelRow> model = FindModel(model_key, from);
    if (!model) return nullptr;
    if (!*model) {
      throw Failure(Code::kNotFound, fmt::format("Field: name Error: The model resource: \"{}\" "
                                                 "was not found.",
                                                 model_name));
    }
    version_name = ChooseVersion((*model)->value);
    if (version_name.empty()) {
      throw Failure(Code::kInvalid, "failedPrecondition",
                    fmt::format("Field: name Error: The model {} has no default version: name a "
                                "version, or make one the default.",
                                (*model)->value.resource_name()));
    }
  }
  Key key = model_key + "/" + version_name;
  std::optional<VersionRow> version = FindVersion(key, from);
  if (!version) return nullptr;
  if (!*version) {
    throw Failure(Code::kNotFound,
                  fmt::format("Field: name Error: The version resource: \"{}\" of the model \"{}\" "
                              "was not found.",
                              version_name, model_name));
  }
  RequireReady((*version)->value);
  if (static_cast<int64_t>(call.http.body.size()) > limits_.most_bytes) {
    throw Failure(Code::kInvalid, fmt::format("Request payload size exceeds the limit: {} bytes.",
                                              limits_.most_bytes));
  }
  std::shared_ptr<ServingTarget> target = table_.Ensure(key);
  if (!target->Enter(limits_.most_at_once)) {
    throw Failure(Code::kExhausted,
                  fmt::format("There are {} requests under way to {} already. Try again later.",
                              limits_.most_at_once, (*version)->value.resource_name()));
  }
  auto request = std::make_shared<ServedRequest>(target, *version, clock_, sink_);
  request->wait_limit = limits_.wake_limit;
  request->answer_limit = limits_.answer_limit;
  std::string filled = path;
  if (size_t hole = path.find("{}"); hole != path.npos) filled.replace(hole, 2, model_name);
  AppendHead(request->head, call, filled);
  if (sink_ && (*version)->value.resource.requestLoggingConfig) request->request = call.http.body;
  return request;
}

}  // namespace fireweed::ml
