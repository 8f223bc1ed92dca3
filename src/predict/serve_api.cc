#include "predict/serve_api.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/error.h"
#include "net/errors.h"
#include "predict/reply_writer.h"

namespace fireweed::predict {
namespace {

constexpr size_t kInlineBytes = 8 << 10;
constexpr size_t kKeptReaders = 32;

net::Response Json(int status, std::string body) {
  return net::JsonResponse(status, std::move(body));
}

int StatusOf(Code code) {
  switch (code) {
    case Code::kExhausted: return 429;
    case Code::kCancelled: return 504;
    case Code::kUnavailable: return 503;
    case Code::kPrecondition: return 500;  // the model's state, not the caller's
    default: return net::WordsFor(code).status;
  }
}

// Google's own header for how long the caller waits, in seconds.
std::optional<Duration> CallerLimit(const net::Request& request) {
  std::optional<std::string_view> header = request.Header("x-server-timeout");
  if (!header) return std::nullopt;
  double seconds = 0;
  auto [end, error] = std::from_chars(header->data(), header->data() + header->size(), seconds);
  if (error != std::errc() || !(seconds > 0 && seconds < 1e6)) return std::nullopt;
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

struct ServeApi::Asked {
  ServeCall call = ServeCall::kPredict;
  const Signature* signature = nullptr;
  Inputs inputs;
  bool columns = false;
  std::string id;
  std::vector<std::string> outputs;
};

// Counts a request while it is not answered; refuses it where there are too many.
class ServeApi::Pending {
 public:
  Pending(ServingMetrics& metrics, int64_t most) : metrics_(metrics) {
    int64_t before = metrics_.pending.fetch_add(1);
    if (before < most) return;
    metrics_.pending.fetch_sub(1);
    throw Failure(Code::kExhausted,
                  fmt::format("{} requests are being served already; try again later", before));
  }
  ~Pending() { metrics_.pending.fetch_sub(1); }
  Pending(const Pending&) = delete;

 private:
  ServingMetrics& metrics_;
};

ServeApi::ServeApi(Engine& engine, ServeOptions options, const Clock& clock,
                   ServingMetrics& metrics)
    : engine_(engine),
      options_(std::move(options)),
      clock_(clock),
      metrics_(metrics),
      labels_(fmt::format("model=\"{}\",version=\"{}\"", options_.model, options_.version)),
      batcher_(std::make_unique<Batcher>(engine, options_.batching, clock, metrics)) {}

ServeApi::~ServeApi() = default;

std::unique_ptr<RequestReader> ServeApi::BorrowReader() {
  std::unique_ptr<RequestReader> reader = readers_.With([](auto& free) {
    std::unique_ptr<RequestReader> last;
    if (!free.empty()) {
      last = std::move(free.back());
      free.pop_back();
    }
    return last;
  });
  return reader ? std::move(reader) : std::make_unique<RequestReader>(options_.max_instances);
}

void ServeApi::ReturnReader(std::unique_ptr<RequestReader> reader) {
  readers_.With([&](auto& free) {
    if (free.size() < kKeptReaders) free.push_back(std::move(reader));
  });
}

void ServeApi::ExpectModel(const ServePath& path) const {
  bool named = path.model.empty() || path.model == options_.model;
  bool right = path.version.empty() || path.version == options_.version;
  if (named && right) return;
  throw Failure(Code::kNotFound,
                fmt::format("Servable not found for request: {}({}{})",
                            path.version.empty() ? "Latest" : "Specific", path.model,
                            path.version.empty() ? "" : fmt::format(", {}", path.version)));
}

ServePath ServeApi::Route(const net::Request& request) const {
  ServePath path = ParseServePath(request.path);
  if (path.call == ServeCall::kUnknown) {
    throw Failure(Code::kNotFound, fmt::format("there is nothing at {}", request.path));
  }
  bool fits =
      path.post ? request.method == "POST" : request.method == "GET" || request.method == "HEAD";
  if (!fits) {
    throw Failure(Code::kInvalid,
                  fmt::format("{} takes {}", request.path, path.post ? "POST" : "GET"));
  }
  ExpectModel(path);
  if (path.call == ServeCall::kInfer && request.Header("Inference-Header-Content-Length")) {
    throw Failure(Code::kInvalid, "binary tensors are not taken: send the data as JSON");
  }
  return path;
}

ServeApi::Asked ServeApi::Read(const ServePath& path, std::string_view body) {
  std::unique_ptr<RequestReader> reader = BorrowReader();
  Asked asked;
  asked.call = path.call;
  if (path.call == ServeCall::kInfer) {
    InferRequest read = reader->ReadInfer(body, engine_.signatures());
    asked.signature = read.signature;
    asked.inputs = std::move(read.inputs);
    asked.id = std::move(read.id);
    asked.outputs = std::move(read.outputs);
  } else {
    PredictRequest read = reader->ReadPredict(body, engine_.signatures());
    asked.signature = read.signature;
    asked.inputs = std::move(read.inputs);
    asked.columns = read.columns;
  }
  ReturnReader(std::move(reader));
  return asked;
}

std::string ServeApi::Render(const Asked& asked, const Outputs& outputs) const {
  if (asked.call == ServeCall::kInfer) {
    InferReply reply{options_.model, options_.version, asked.id, &asked.outputs};
    return InferJson(reply, *asked.signature, outputs);
  }
  if (asked.columns) return ColumnsJson(*asked.signature, outputs);
  bool unwrap = asked.call == ServeCall::kServingPredict;
  return PredictionsJson(*asked.signature, outputs, asked.inputs.rows, unwrap);
}

net::Response ServeApi::Compute(const Asked& asked, Time since) {
  metrics_.Batch(std::max<int64_t>(1, asked.inputs.rows));
  std::string body = Render(asked, engine_.Predict(*asked.signature, asked.inputs));
  metrics_.Answered(200, asked.inputs.rows, clock_.Now() - since);
  return Json(200, std::move(body));
}

std::optional<net::Response> ServeApi::TryInline(const net::Request& request) {
  if (request.method == "GET") return Describe(Route(request));
  bool quick = engine_.traits().inline_rows > 0 && !request.body.empty() &&
               request.body.size() <= kInlineBytes;
  if (!quick) return std::nullopt;
  ServePath path = Route(request);
  if (!path.post) return std::nullopt;
  Time since = clock_.Now();
  Asked asked = Read(path, request.body);
  if (asked.inputs.rows > engine_.traits().inline_rows) return std::nullopt;
  return Compute(asked, since);
}

net::BodyPlan ServeApi::PlanBody(const net::Request& request) {
  Route(request);
  return net::TakeWhole{options_.max_request_bytes};
}

net::Answer ServeApi::Handle(const net::Request& request) {
  ServePath path = Route(request);
  if (!path.post) return Describe(path);
  Time since = clock_.Now();
  Asked asked = Read(path, request.body);
  if (engine_.traits().inline_rows > 0) {
    Pending pending(metrics_, options_.max_pending);
    return Compute(asked, since);
  }
  return Enqueue(std::move(asked), since, CallerLimit(request).value_or(options_.deadline));
}

net::Answer ServeApi::Enqueue(Asked asked, Time since, Duration limit) {
  auto pending = std::make_shared<Pending>(metrics_, options_.max_pending);
  auto deferred = std::make_shared<net::Deferred>();
  deferred->soon = true;
  deferred->timeout_ms =
      std::max<int64_t>(1, std::chrono::duration_cast<std::chrono::milliseconds>(limit).count());
  deferred->on_timeout = [this, since] {
    metrics_.Answered(504, 0, clock_.Now() - since);
    return Json(504, ErrorText("the deadline has passed"));
  };
  const Signature& signature = *asked.signature;
  Inputs inputs = std::move(asked.inputs);
  asked.inputs.rows = inputs.rows;
  auto kept = std::make_shared<Asked>(std::move(asked));
  auto done = [this, kept, deferred, pending, since](Result<Outputs> outcome) {
    net::Response response;
    try {
      response = Json(200, Render(*kept, outcome.value()));
    } catch (const Failure& failure) {
      response = Json(StatusOf(failure.error().code), ErrorText(failure.error().message));
    }
    int status = response.status;
    if (deferred->Complete(std::move(response))) {
      metrics_.Answered(status, status == 200 ? kept->inputs.rows : 0, clock_.Now() - since);
    }
  };
  batcher_->Submit(signature, std::move(inputs), since + limit, std::move(done));
  return deferred;
}

net::Response ServeApi::RenderError(const net::Request& request, const Error& error) {
  int status = StatusOf(error.code);
  ServePath path = ParseServePath(request.path);
  if (path.post) metrics_.Answered(status, 0, Duration::zero());
  net::Response response = Json(status, ErrorText(error.message));
  if (status == 429) response.Set("Retry-After", "1");
  return response;
}

namespace {

// An instance of zeros and empty texts; nullopt where the signature takes what cannot be made up.
std::optional<Inputs> MadeUp(const Signature& signature) {
  Inputs inputs;
  inputs.rows = 1;
  for (const TensorSpec& spec : signature.inputs) {
    if (spec.type == DataType::kJson) return std::nullopt;
    Tensor& tensor = inputs.tensors.emplace_back();
    tensor.type = spec.type;
    tensor.shape = spec.any_rank ? std::vector<int64_t>{1} : spec.shape;
    for (int64_t& size : tensor.shape) size = size < 0 ? 1 : size;
    if (tensor.elements() > (1 << 24)) return std::nullopt;
    size_t count = static_cast<size_t>(tensor.elements());
    tensor.bytes.resize(count * SizeOf(spec.type));
    if (SizeOf(spec.type) == 0) tensor.texts.resize(count);
  }
  return inputs;
}

}  // namespace

void ServeApi::WarmUp() {
  for (const Signature& signature : engine_.signatures()) {
    std::optional<Inputs> inputs = MadeUp(signature);
    if (!inputs) continue;
    try {
      engine_.Predict(signature, *inputs);
    } catch (const Failure& failure) {
      // Zeros may well be refused; a model that lacks something it needs will refuse everything.
      if (failure.error().code == Code::kPrecondition) throw;
    }
  }
}

}  // namespace fireweed::predict
