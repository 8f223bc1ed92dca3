// A version as requests see it: on the way to its process, while that comes, goes and is changed.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <future>

#include <fmt/format.h>

#include "ml/models/backend_call.h"
#include "ml/models/metrics_round.h"
#include "ml/models/models_fixture.h"
#include "ml/models/request_log.h"

namespace fireweed::ml {
namespace {

using std::chrono::seconds;

TEST_F(Models, RequestsWaitWhileAProcessComesBack) {
  MakeModel();
  MakeVersion("v1", R"(,"manualScaling":{"nodes":1})");
  std::shared_ptr<net::Forwarding> way = Predict("census");
  ASSERT_TRUE(way) << refusal_;
  std::shared_ptr<net::Backend> first = way->Next();
  ASSERT_TRUE(first);
  // It was killed: whoever cannot connect says so.
  auto machines = driver_.List().value();
  ASSERT_EQ(machines.size(), 1u);
  EXPECT_TRUE(driver_.Stop(machines[0].second, seconds(0)).ok());
  way->Unreachable(first);
  EXPECT_EQ(way->Next(), nullptr);
  bool back = false;
  way->Await([&] { back = true; });
  Pass(seconds(1));
  Pass(std::chrono::milliseconds(10));
  EXPECT_TRUE(back);
  EXPECT_NE(way->Next(), nullptr);
  EXPECT_NE(way->Next(), first);
  EXPECT_EQ(StateOf("v1"), "READY");
}

TEST_F(Models, ScaleToZeroAndWakeOnARequest) {
  MakeModel();
  MakeVersion("v1");
  EXPECT_EQ(driver_.List()->size(), 1u);
  Pass(std::chrono::minutes(11));
  EXPECT_TRUE(driver_.List()->empty());
  EXPECT_EQ(StateOf("v1"), "READY");
  std::shared_ptr<net::Forwarding> way = Predict("census");
  ASSERT_TRUE(way) << refusal_;
  EXPECT_EQ(way->Next(), nullptr);
  bool there = false;
  way->Await([&] { there = true; });
  Settle();
  Pass(std::chrono::milliseconds(10));
  EXPECT_TRUE(there);
  EXPECT_EQ(fetched_, 1);  // the files were still there
  // While somebody is being served it does not go.
  Pass(std::chrono::hours(1));
  EXPECT_EQ(driver_.List()->size(), 1u);
}

TEST_F(Models, ANewDaemonAdoptsWhatRuns) {
  MakeModel();
  MakeVersion("v1", R"(,"autoScaling":{"minNodes":1})");
  auto before = driver_.List().value();
  Restart();
  // Before it has looked, requests wait instead of failing.
  std::shared_ptr<net::Forwarding> way = Predict("census/versions/v1");
  ASSERT_TRUE(way) << refusal_;
  EXPECT_EQ(way->Next(), nullptr);
  Settle();
  EXPECT_NE(way->Next(), nullptr);
  EXPECT_EQ(driver_.List().value(), before);
}

TEST_F(Models, WhatNobodyRemembersIsRemoved) {
  MachineSpec spec{.id = "serve-forgotten"};
  ASSERT_TRUE(driver_.Start(spec).ok());
  std::filesystem::create_directories(directory_ + "/forgotten/model");
  Restart();
  EXPECT_TRUE(driver_.List()->empty());
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/forgotten"));
}

TEST_F(Models, VersionsAreSwitchedAndDeletedWhileRequestsFinish) {
  MakeModel();
  MakeVersion("v1");
  MakeVersion("v2");
  Reply refused = Ask("DELETE", "/v1/projects/project-one/models/census/versions/v1");
  EXPECT_EQ(refused.status, 400) << refused.text;
  std::shared_ptr<net::Forwarding> under_way = Predict("census");
  ASSERT_NE(under_way->Next(), nullptr);
  EXPECT_EQ(Ask("POST", "/v1/projects/project-one/models/census/versions/v2:setDefault", "{}")
                .body.TextOf("isDefault"),
            "true");
  EXPECT_EQ(Target("v1")->in_flight(), 1);
  std::shared_ptr<net::Forwarding> next = Predict("census");
  EXPECT_EQ(Target("v2")->in_flight(), 1);
  Send("DELETE", "/v1/projects/project-one/models/census/versions/v1");
  Settle();
  EXPECT_EQ(driver_.List()->size(), 2u);  // it drains
  EXPECT_EQ(StateOf("v1"), "DELETING");
  EXPECT_EQ(Predict("census/versions/v1"), nullptr);
  under_way.reset();
  Pass(seconds(1));
  EXPECT_EQ(driver_.List()->size(), 1u);
  EXPECT_EQ(Ask("GET", "/v1/projects/project-one/models/census/versions/v1").status, 404);
}

TEST_F(Models, TrafficIsSharedOutAsAsked) {
  MakeModel();
  MakeVersion("v1");
  MakeVersion("v2");
  Reply bad = Ask("PATCH", "/v1/projects/project-one/models/census",
                  R"({"trafficSplit":{"v9":10}})", "updateMask=trafficSplit");
  EXPECT_EQ(bad.status, 400) << bad.text;
  Reply good = Ask("PATCH", "/v1/projects/project-one/models/census",
                   R"({"trafficSplit":{"v2":10}})", "updateMask=trafficSplit");
  ASSERT_EQ(good.status, 200) << good.text;
  for (int i = 0; i < 1000; ++i) Predict("census");
  EXPECT_EQ(Target("v2")->counters.requests, 100);
  EXPECT_EQ(Target("v1")->counters.requests, 900);
}

TEST_F(Models, LimitsAreToldClearly) {
  MakeModel();
  EXPECT_EQ(Predict("census"), nullptr);
  EXPECT_NE(refusal_.find("no default version"), std::string::npos) << refusal_;
  MakeVersion("v1");
  EXPECT_EQ(Predict("census", std::string(1001, ' ')), nullptr);
  EXPECT_NE(refusal_.find("payload size exceeds the limit: 1000"), std::string::npos) << refusal_;
  std::vector<std::shared_ptr<net::Forwarding>> all;
  for (int i = 0; i < 4; ++i) all.push_back(Predict("census"));
  EXPECT_EQ(Predict("census"), nullptr);
  EXPECT_NE(refusal_.find("429"), std::string::npos) << refusal_;
  all.clear();
  EXPECT_NE(Predict("census"), nullptr);
  EXPECT_EQ(Predict("none"), nullptr);
  EXPECT_NE(refusal_.find("404"), std::string::npos) << refusal_;
  Reply explained = Ask("POST", "/v1/projects/project-one/models/census:explain", "{}");
  EXPECT_EQ(explained.status, 400) << explained.text;
}

TEST(RequestLog, WritesASampleToABucket) {
  SimClock clock;
  SeededRandom random{1};
  IdSource ids(clock, random);
  NullLogger log;
  std::vector<std::pair<std::string, std::string>> written;
  RequestLog requests(
      [&](const VersionRecord&, const std::string& bucket, const std::string& name,
          const std::string& bytes) -> Result<> {
        written.emplace_back(bucket + "/" + name, bytes);
        return Done{};
      },
      ids, log);
  VersionRecord version{.project = "p", .model = "m", .name = "v"};
  requests.Note({version, "{}", "{}", 200, clock.Now()});
  version.resource.requestLoggingConfig =
      api::ml::RequestLoggingConfig{.samplingPercentage = 0.25, .outputUri = "gs://b/some"};
  for (int i = 0; i < 40; ++i) requests.Note({version, "{\"a\":1}", "[2]", 200, clock.Now()});
  requests.Flush();
  requests.Flush();
  ASSERT_EQ(written.size(), 1u);
  EXPECT_TRUE(written[0].first.starts_with("b/some/m/v/")) << written[0].first;
  EXPECT_EQ(std::ranges::count(written[0].second, '\n'), 10);
  EXPECT_NE(written[0].second.find("\"rawData\":\"{\\\"a\\\":1}\""), std::string::npos)
      << written[0].second;
}

// A serving process that answers when the test says.
class Process {
 public:
  explicit Process(std::string path) : path_(std::move(path)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    EXPECT_LT(path_.size(), sizeof address.sun_path);
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_.get(), 8), 0);
    target->Publish(path_);
  }
  ~Process() { unlink(path_.c_str()); }

  // Waits for a question.
  UniqueFd Hear() {
    UniqueFd peer(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    char bytes[512];
    EXPECT_GT(read(peer.get(), bytes, sizeof bytes), 0);
    return peer;
  }
  static void Say(const UniqueFd& peer, const std::string& text, int status = 200) {
    std::string answer =
        fmt::format("HTTP/1.1 {} Word\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}", status,
                    text.size(), text);
    EXPECT_EQ(write(peer.get(), answer.data(), answer.size()), static_cast<ssize_t>(answer.size()));
  }

  std::shared_ptr<ServingTarget> target = std::make_shared<ServingTarget>("v", [] {});

 private:
  const std::string path_;
  UniqueFd listener_{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
};

std::string SocketPath(const std::string& name) {
  return testing::TempDir() + fmt::format("fw-metrics-{}-{}", getpid(), name);
}

// A refusal may come before the request was taken: it is an answer, not a broken process.
TEST(BackendCall, HearsARefusalOfWhatIsTooLarge) {
  Process process(SocketPath("refuses"));
  std::future<void> serving = std::async(
      std::launch::async, [&] { Process::Say(process.Hear(), R"({"error":"too large"})", 413); });
  SimClock clock;
  Result<std::string> answer = CallBackend(*process.target, clock, std::string(20 << 20, ' '), {});
  serving.get();
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(*answer, R"({"error":"too large"})");
}

// What may go well the next time is no judgement of the instances.
TEST(BackendCall, TellsTroubleFromRefusals) {
  for (int status : {400, 429, 500, 503, 504}) {
    Process process(SocketPath("troubled"));
    std::future<void> serving = std::async(
        std::launch::async, [&] { Process::Say(process.Hear(), R"({"error":"no"})", status); });
    SimClock clock;
    Result<std::string> answer = CallBackend(*process.target, clock, "{}", {});
    serving.get();
    EXPECT_EQ(answer.ok(), status == 400 || status == 500) << status;
    if (answer.ok()) continue;
    EXPECT_EQ(answer.error().code, Code::kUnavailable);
    EXPECT_EQ(answer.error().reason, kRefused);
    EXPECT_EQ(answer.error().message, "no");
  }
}

// Whoever is asked first answers last: nobody would answer anybody who asks them in turn.
TEST(MetricsRound, AsksAllAtOnce) {
  Process one(SocketPath("one")), two(SocketPath("two"));
  auto nobody = std::make_shared<ServingTarget>("parked", [] {});
  std::future<void> processes = std::async(std::launch::async, [&] {
    UniqueFd second = two.Hear(), first = one.Hear();
    Process::Say(second, "counted 2\n");
    Process::Say(first, "counted 1\n");
  });
  std::vector<std::string> texts = FetchMetrics({one.target, nobody, two.target}, seconds(30));
  EXPECT_EQ(texts, (std::vector<std::string>{"counted 1\n", "", "counted 2\n"}));
  processes.get();
}

TEST(MetricsRound, LeavesOutWhoBreaksOff) {
  Process breaks(SocketPath("breaks")), good(SocketPath("good"));
  std::future<void> processes = std::async(std::launch::async, [&] {
    UniqueFd broken = breaks.Hear();
    EXPECT_EQ(write(broken.get(), "HTTP/1.1 200 OK\r\n", 17), 17);
    broken.reset();
    Process::Say(good.Hear(), "counted\n");
  });
  std::vector<std::string> texts = FetchMetrics({breaks.target, good.target}, seconds(30));
  EXPECT_EQ(texts, (std::vector<std::string>{"", "counted\n"}));
  processes.get();
}

TEST(MetricsRound, WaitsForNobodyForEver) {
  Process one(SocketPath("silent")), two(SocketPath("mute"));
  std::vector<std::string> texts =
      FetchMetrics({one.target, two.target}, std::chrono::milliseconds(50));
  EXPECT_EQ(texts, (std::vector<std::string>{"", ""}));
}

}  // namespace
}  // namespace fireweed::ml
