// Serving as a client sees it: batches, limits, deadlines, the HTTP face, Python workers that crash.
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <future>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "net/http_server.h"
#include "predict/batcher.h"
#include "predict/load_engine.h"
#include "predict/serve_api.h"

namespace fireweed::predict {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Doubles its numbers; refuses 13; waits while the gate is shut.
class DoublingEngine final : public Engine {
 public:
  explicit DoublingEngine(int parallel = 1) {
    traits_.parallel = parallel;
    Signature signature;
    signature.name = "serving_default";
    TensorSpec spec;
    spec.name = "x";
    spec.shape = {-1};
    signature.inputs = {spec};
    spec.name = "y";
    signature.outputs = {spec};
    signatures_.push_back(signature);
  }
  const Traits& traits() const override { return traits_; }
  const std::vector<Signature>& signatures() const override { return signatures_; }
  Outputs Predict(const Signature&, const Inputs& inputs) override {
    std::unique_lock lock(mu_);
    ++running_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    --running_;
    batches.push_back(inputs.rows);
    Tensor result = inputs.tensors[0];
    result.bytes.clear();
    for (int64_t i = 0; i < inputs.rows; ++i) {
      float value = inputs.tensors[0].At<float>(i);
      if (value == 13) throw Failure(Code::kInvalid, "thirteen");
      result.Push(2 * value);
    }
    return {result};
  }
  void SetOpen(bool open) {
    std::lock_guard lock(mu_);
    open_ = open;
    changed_.notify_all();
  }
  void AwaitRunning(int count = 1) {
    std::unique_lock lock(mu_);
    changed_.wait(lock, [this, count] { return running_ >= count; });
  }

  Traits traits_;
  std::vector<int64_t> batches;  // guarded by mu_ while something runs

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  bool open_ = true;
  int running_ = 0;
  std::vector<Signature> signatures_;
};

Inputs Values(const std::vector<float>& values) {
  Inputs inputs;
  inputs.rows = static_cast<int64_t>(values.size());
  Tensor tensor{DataType::kFloat, {inputs.rows}, {}, {}};
  for (float value : values) tensor.Push(value);
  inputs.tensors.push_back(tensor);
  return inputs;
}

struct BatchWorld {
  explicit BatchWorld(Batcher::Options options = {}, int parallel = 1)
      : options(options), engine(parallel) {}
  std::future<Result<Outputs>> Submit(const std::vector<float>& values,
                                      Duration limit = std::chrono::hours(1)) {
    return SubmitInputs(Values(values), limit);
  }
  std::future<Result<Outputs>> SubmitInputs(Inputs inputs, Duration limit = std::chrono::hours(1)) {
    auto promise = std::make_shared<std::promise<Result<Outputs>>>();
    batcher.Submit(engine.signatures()[0], std::move(inputs), clock.Now() + limit,
                   [promise](Result<Outputs> outcome) { promise->set_value(std::move(outcome)); });
    return promise->get_future();
  }
  Batcher::Options options;
  SystemClock clock;
  ServingMetrics metrics;
  DoublingEngine engine;
  Batcher batcher{engine, options, clock, metrics};
};

TEST(Batcher, RequestsThatWaitAreComputedTogether) {
  BatchWorld world;
  world.engine.SetOpen(false);
  auto first = world.Submit({1});
  world.engine.AwaitRunning();
  auto second = world.Submit({2, 3});
  auto third = world.Submit({4});
  world.engine.SetOpen(true);
  EXPECT_EQ(first.get().value()[0].At<float>(0), 2);
  Outputs outputs = second.get().value();
  EXPECT_THAT(outputs[0].shape, ElementsAre(2));
  EXPECT_EQ(outputs[0].At<float>(1), 6);
  EXPECT_EQ(third.get().value()[0].At<float>(0), 8);
  EXPECT_THAT(world.engine.batches, ElementsAre(1, 3));
}

TEST(Batcher, OneBadRequestSpoilsNoOther) {
  BatchWorld world;
  world.engine.SetOpen(false);
  auto first = world.Submit({1});
  world.engine.AwaitRunning();
  auto bad = world.Submit({13});
  auto good = world.Submit({4});
  world.engine.SetOpen(true);
  EXPECT_EQ(bad.get().error().message, "thirteen");
  EXPECT_EQ(good.get().value()[0].At<float>(0), 8);
}

TEST(Batcher, LimitsAndDeadlines) {
  BatchWorld world({.max_rows = 4, .max_waiting = 2});
  world.engine.SetOpen(false);
  auto first = world.Submit({1});
  world.engine.AwaitRunning();
  auto late = world.Submit({2}, Duration(0));
  auto wide = world.Submit({1, 2, 3, 4, 5, 6});
  try {
    world.Submit({3});
    FAIL() << "was taken";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().code, Code::kExhausted);
  }
  world.engine.SetOpen(true);
  EXPECT_EQ(late.get().error().code, Code::kCancelled);
  EXPECT_EQ(wide.get().value()[0].elements(), 6);
}

// One thread waits for company and then computes; what cannot join it is for the other one.
TEST(Batcher, ARequestThatCannotJoinWaitsForNoOther) {
  BatchWorld world({.budget = std::chrono::milliseconds(1)}, 2);
  for (int round = 0; round < 20; ++round) {
    world.engine.SetOpen(false);
    auto first = world.Submit({1});
    Inputs alone = Values({2});
    alone.parameters = "alone";
    auto second = world.SubmitInputs(alone);
    world.engine.AwaitRunning(2);
    world.engine.SetOpen(true);
    EXPECT_EQ(first.get().value()[0].At<float>(0), 2);
    EXPECT_EQ(second.get().value()[0].At<float>(0), 4);
  }
}

TEST(Batcher, WhatWaitsAtTheEndIsTold) {
  auto world = std::make_unique<BatchWorld>();
  world->engine.SetOpen(false);
  auto first = world->Submit({1});
  world->engine.AwaitRunning();
  auto second = world->Submit({2});
  std::thread opener([&engine = world->engine] { engine.SetOpen(true); });
  opener.join();
  world.reset();
  EXPECT_TRUE(first.get().ok());
  Result<Outputs> outcome = second.get();
  EXPECT_TRUE(outcome.ok() || outcome.error().code == Code::kUnavailable);
}

// A client of a Unix socket: one request, the whole answer.
std::string Talk(const std::string& path, std::string_view request) {
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return "";
  for (size_t sent = 0; sent < request.size();) {
    ssize_t count = send(fd.get(), request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) break;
    sent += static_cast<size_t>(count);
  }
  std::string answer;
  char bytes[4096];
  for (ssize_t count; (count = read(fd.get(), bytes, sizeof bytes)) > 0;) {
    answer.append(bytes, static_cast<size_t>(count));
  }
  return answer;
}

struct Directory {
  std::string path = (std::filesystem::temp_directory_path() / "fireweed-serve-XXXXXX").string();
  Directory() {
    if (mkdtemp(path.data()) == nullptr) Abort("no temporary directory");
  }
  ~Directory() { std::filesystem::remove_all(path); }
};

struct ApiWorld {
  explicit ApiWorld(int64_t inline_rows = 0, ServeOptions options = {}) {
    engine.traits_.inline_rows = inline_rows;
    api = std::make_unique<ServeApi>(engine, options, clock, metrics);
    server = std::make_unique<net::HttpServer>(net::HttpServer::Options{}, clock, log);
    net::ListenerConfig listener;
    listener.socket = net::ListenUnix(socket_path());
    listener.dispatcher = api.get();
    server->Open(std::move(listener));
  }
  std::string socket_path() const { return directory.path + "/s"; }
  std::string Post(std::string_view path, std::string_view body, std::string_view headers = "") {
    return Talk(socket_path(), fmt::format("POST {} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                                           "{}Content-Length: {}\r\n\r\n{}",
                                           path, headers, body.size(), body));
  }
  std::string Get(std::string_view path) {
    return Talk(socket_path(),
                fmt::format("GET {} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", path));
  }
  Directory directory;
  SystemClock clock;
  NullLogger log;
  ServingMetrics metrics;
  DoublingEngine engine;
  std::unique_ptr<ServeApi> api;
  std::unique_ptr<net::HttpServer> server;  // ends first
};

class ServeApiTest : public ::testing::TestWithParam<int64_t> {};

TEST_P(ServeApiTest, SpeaksThreeProtocols) {
  ApiWorld world(GetParam());
  world.api->WarmUp();
  EXPECT_THAT(world.Post("/v1/predict", R"({"instances":[1,2]})"),
              HasSubstr(R"({"predictions":[{"y":2.0},{"y":4.0}]})"));
  EXPECT_THAT(world.Post("/v1/models/model:predict", R"({"instances":[{"x":1}]})"),
              HasSubstr(R"({"predictions":[2.0]})"));
  EXPECT_THAT(world.Post("/v1/models/model/versions/1:predict", R"({"inputs":{"x":[1,3]}})"),
              HasSubstr(R"({"outputs":[2.0,6.0]})"));
  EXPECT_THAT(world.Post("/v2/models/model/infer",
                         R"({"inputs":[{"name":"x","shape":[1],"datatype":"FP32","data":[4]}]})"),
              HasSubstr(R"("shape":[1],"datatype":"FP32","data":[8.0])"));
  EXPECT_THAT(world.Get("/v1/models/model"), HasSubstr("AVAILABLE"));
  EXPECT_THAT(world.Get("/v1/models/model/metadata"), HasSubstr(R"("dtype":"DT_FLOAT")"));
  EXPECT_THAT(world.Get("/v2/models/model"), HasSubstr(R"("datatype":"FP32")"));
  EXPECT_THAT(world.Get("/v2/health/ready"), HasSubstr(R"({"ready":true})"));
  // A request is counted after its answer is sent, so the last one may be missing at first.
  constexpr const char* kCounted =
      "fireweed_predict_requests_total{model=\"model\",version=\"1\",code=\"2xx\"} 4";
  std::string metrics;
  for (int i = 0; i < 1000 && metrics.find(kCounted) == std::string::npos; ++i) {
    metrics = world.Get("/metrics");
  }
  EXPECT_THAT(metrics, HasSubstr(kCounted));
  EXPECT_THAT(metrics,
              HasSubstr("fireweed_predict_instances_total{model=\"model\",version=\"1\"} 6"));
  world.api->SetDraining();
  EXPECT_THAT(world.Get("/readyz"), HasSubstr("503 "));
}

TEST_P(ServeApiTest, BadRequestsGetTheRightStatus) {
  ServeOptions options;
  options.max_request_bytes = 1'000;
  ApiWorld world(GetParam(), options);
  EXPECT_THAT(
      world.Post("/v1/predict", R"({"instances":["a"]})"),
      AllOf(HasSubstr("HTTP/1.1 400"), HasSubstr(R"({"error":"instance 0: input 'x': a string)")));
  EXPECT_THAT(world.Post("/v1/predict", R"({"instances":[13]})"),
              AllOf(HasSubstr("HTTP/1.1 400"), HasSubstr("thirteen")));
  EXPECT_THAT(world.Post("/v1/predict", ""), HasSubstr("HTTP/1.1 400"));
  EXPECT_THAT(world.Post("/v1/predict", std::string(2'000, ' ')), HasSubstr("HTTP/1.1 413"));
  EXPECT_THAT(world.Post("/v1/models/other:predict", "{}"), HasSubstr("HTTP/1.1 404"));
  EXPECT_THAT(world.Post("/v1/nothing", "{}"), HasSubstr("HTTP/1.1 404"));
  EXPECT_THAT(world.Get("/v1/predict"), HasSubstr("HTTP/1.1 400"));
}

INSTANTIATE_TEST_SUITE_P(Paths, ServeApiTest, ::testing::Values(0, 32));

TEST(ServeApi, TooManyAndTooLate) {
  ServeOptions options;
  options.max_pending = 1;
  ApiWorld world(0, options);
  world.engine.SetOpen(false);
  // Answered when its caller's patience ends, though the engine is still at it.
  EXPECT_THAT(world.Post("/v1/predict", R"({"instances":[1]})", "X-Server-Timeout: 0.05\r\n"),
              HasSubstr("HTTP/1.1 504"));
  world.engine.AwaitRunning();
  EXPECT_THAT(world.Post("/v1/predict", R"({"instances":[1]})"),
              AllOf(HasSubstr("HTTP/1.1 429"), HasSubstr("Retry-After: 1")));
  world.engine.SetOpen(true);
}

constexpr const char kRoutine[] = R"py(
import os, signal
class Routine:
    @classmethod
    def from_path(cls, directory):
        return cls(open(os.path.join(directory, 'factor')).read())
    def __init__(self, factor):
        self.factor = float(factor)
    def predict(self, instances, **kwargs):
        print('noise on standard output')
        if instances == ['crash']:
            os.kill(os.getpid(), signal.SIGSEGV)
        if instances == ['throw']:
            raise RuntimeError('no "way"')
        if instances == ['short']:
            return []
        if instances == ['nan']:
            return [{'v': [float('nan'), (float('-inf'), 1.5)], float('inf'): 'NaN'}]
        return [{'v': x * self.factor, 'k': sorted(kwargs)} for x in instances]
)py";

struct PythonWorld {
  PythonWorld() {
    std::ofstream(directory.path + "/routine.py") << kRoutine;
    std::ofstream(directory.path + "/factor") << "2";
    settings.python.prediction_class = "routine.Routine";
    settings.python.packages = {directory.path};
    settings.python.workers = 1;
  }
  std::string Ask(Engine& engine, std::vector<std::string> instances, std::string parameters = "") {
    Inputs inputs;
    inputs.rows = static_cast<int64_t>(instances.size());
    inputs.tensors = {Tensor{DataType::kJson, {inputs.rows}, {}, std::move(instances)}};
    inputs.parameters = std::move(parameters);
    try {
      Outputs outputs = engine.Predict(engine.signatures()[0], inputs);
      std::string all;
      for (const std::string& text : outputs[0].texts) all += text;
      return all;
    } catch (const Failure& failure) {
      return std::string(CodeName(failure.error().code)) + ": " + failure.error().message;
    }
  }
  Directory directory;
  SystemClock clock;
  EngineSettings settings;
};

TEST(PythonEngine, CustomRoutine) {
  PythonWorld world;
  std::unique_ptr<Engine> engine = LoadEngine(world.directory.path, world.settings, world.clock);
  EXPECT_EQ(world.Ask(*engine, {"1", "2.5"}), R"({"v": 2.0, "k": []}{"v": 5.0, "k": []})");
  EXPECT_EQ(world.Ask(*engine, {"1"}, R"({"a":1})"), R"({"v": 2.0, "k": ["a"]})");
  EXPECT_THAT(world.Ask(*engine, {R"("throw")"}), HasSubstr(R"(RuntimeError: no "way")"));
  EXPECT_THAT(world.Ask(*engine, {R"("short")"}), HasSubstr("0 predictions for 1 instances"));
  EXPECT_EQ(world.Ask(*engine, {R"("nan")"}), R"({"v": [null, [null, 1.5]], "Infinity": "NaN"})");
  EXPECT_THAT(world.Ask(*engine, {R"("crash")"}), HasSubstr("the Python worker ended (signal 11)"));
  EXPECT_EQ(world.Ask(*engine, {"3"}), R"({"v": 6.0, "k": []})");
}

// A model whose class is the user's own code, and which takes what no matrix could hold.
TEST(PythonEngine, PickledModelsHavePackages) {
  PythonWorld world;
  std::ofstream(world.directory.path + "/kinds.py") << R"py(
class Kinds:
    def predict(self, instances):
        return [[type(value).__name__ for value in instance] for instance in instances]
)py";
  std::ofstream(world.directory.path + "/model.pkl") << "ckinds\nKinds\n(tR.";
  world.settings.python.prediction_class = "";
  std::unique_ptr<Engine> engine = LoadEngine(world.directory.path, world.settings, world.clock);
  EXPECT_EQ(world.Ask(*engine, {R"([1,"a"])", "[2.5]"}), R"(["int", "str"]["float"])");
}

TEST(PythonEngine, LoadingFailsWithTheReason) {
  PythonWorld world;
  auto error = [&world] {
    try {
      LoadEngine(world.directory.path, world.settings, world.clock);
    } catch (const Failure& failure) {
      return failure.error().message;
    }
    return std::string("loaded");
  };
  std::filesystem::remove(world.directory.path + "/factor");
  EXPECT_THAT(error(), HasSubstr("the model cannot be loaded: FileNotFoundError"));
  world.settings.python.prediction_class = "nowhere.Routine";
  EXPECT_THAT(error(), HasSubstr("ModuleNotFoundError"));
  world.settings.python.prediction_class = "";
  std::ofstream(world.directory.path + "/model.pkl") << "no pickle";
  EXPECT_THAT(error(), HasSubstr("UnpicklingError"));
  world.settings.python.interpreter = world.directory.path + "/python";
  EXPECT_THAT(error(), HasSubstr("Python cannot be started"));
}

}  // namespace
}  // namespace fireweed::predict
