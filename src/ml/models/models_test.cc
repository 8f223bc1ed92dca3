// Models from the API to the process and back: the services behind a router, the controller on a driver without machines.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/sim_clock.h"
#include "catalog/memory_catalog.h"
#include "control/action_pool.h"
#include "control/operation_waiters.h"
#include "describe/json_tree.h"
#include "identity/policies.h"
#include "machine/fake/fake_driver.h"
#include "ml/models/deploy_controller.h"
#include "ml/models/models_service.h"
#include "ml/models/predict_gateway.h"
#include "ml/models/request_log.h"
#include "ml/models/versions_service.h"
#include "net/errors.h"

namespace fireweed::ml {
namespace {

using std::chrono::seconds;

class OpenAccess final : public net::AccessControl {
 public:
  std::shared_ptr<const net::Caller> Identify(const net::Request&) override {
    net::Caller caller;
    caller.principal = "user:ann@example.com";
    caller.email = "ann@example.com";
    return std::make_shared<const net::Caller>(caller);
  }
  bool May(const net::Caller&, std::string_view, std::string_view) override { return true; }
};

class Models : public testing::Test {
 protected:
  Models() {
    std::string name = testing::TempDir() + "fireweed-models-XXXXXX";
    directory_ = mkdtemp(name.data());
    net::Caller ann;
    ann.principal = "user:ann@example.com";
    catalog_.Write("test", [&](Txn& txn) { projects_.Create(txn, "project-one", "One", {}, ann); });
    Restart();
  }
  ~Models() override {
    parts_.reset();
    std::filesystem::remove_all(directory_);
  }

  struct Parts {
    explicit Parts(Models& test)
        : loop(test.catalog_, test.clock_, test.log_),
          waiters(test.catalog_),
          pool(loop),
          table([this](const std::string& key) { loop.Wake("ml.version", key); }),
          models(test.catalog_, test.projects_, test.access_, test.ids_, test.clock_, test.log_),
          versions(test.catalog_, test.access_, waiters, test.ids_, test.clock_, test.log_),
          gateway(test.catalog_, table, test.clock_, {.most_at_once = 4, .most_bytes = 1000}),
          router(test.access_),
          controller(test.catalog_, loop, pool, test.World(), table, {}, test.clock_, test.log_) {
      models.Serve(router);
      versions.Serve(router);
      gateway.Serve(router);
      loop.Add(waiters);
      loop.Add(controller);
      controller.RemoveForgotten();
      loop.WakeAll();
    }
    ControlLoop loop;
    OperationWaiters waiters;
    QueuedActionPool pool;
    ServingTable table;
    ModelsService models;
    VersionsService versions;
    PredictGateway gateway;
    net::Router router;
    DeployController controller;
  };

  ServingWorld World() {
    return {.driver = driver_,
            .directory = directory_,
            .fetch = [this](const VersionRecord& record, const std::string& directory) -> Result<> {
              if (fetch_fails_) return *fetch_fails_;
              std::ofstream(directory + "/model.bst") << record.resource.deploymentUri;
              ++fetched_;
              return Done{};
            },
            .describe = [this](const VersionRecord&, const ServingPlace&) -> Result<MachineSpec> {
              MachineSpec spec;
              spec.labels = labels_;
              return spec;
            },
            .ready = [this](const std::string&) { return ready_; }};
  }
  void Restart() {
    parts_.reset();
    parts_ = std::make_unique<Parts>(*this);
  }
  // Runs what is due by now, and actions.
  void Settle() {
    for (int i = 0; i < 200; ++i) {
      parts_->loop.RunDue();
      if (parts_->pool.size() == 0) return;
      parts_->pool.Run(0);
    }
    FAIL() << "does not come to rest";
  }
  void Pass(Duration time) {
    clock_.JumpTo(clock_.Now() + time);
    Settle();
  }

  struct Reply {
    int status = 0;
    JsonTree body;
    std::string text;
    bool Has(std::string_view what) const { return text.find(what) != std::string::npos; }
  };
  net::Answer Send(std::string_view method, std::string_view path, std::string_view body = "",
                   std::string_view query = "") {
    request_ = {};
    request_.method = method;
    request_.path = path;
    request_.query = query;
    request_.body = body;
    request_.host = "localhost";
    request_.origin = &origin_;
    try {
      return parts_->router.Handle(request_);
    } catch (const Failure& failure) {
      return net::JsonError(failure.error());
    }
  }
  Reply Ask(std::string_view method, std::string_view path, std::string_view body = "",
            std::string_view query = "") {
    net::Answer answer = Send(method, path, body, query);
    Reply reply;
    auto take = [&](net::Response response) {
      reply.status = response.status;
      reply.text = std::get<std::string>(response.body);
      reply.body = JsonTree::Parse(reply.text);
    };
    if (auto* now = std::get_if<net::Response>(&answer)) {
      take(std::move(*now));
    } else if (auto* later = std::get_if<std::shared_ptr<net::Deferred>>(&answer)) {
      (*later)->OnComplete(take);
      Settle();
      if (reply.status == 0) Pass(std::chrono::milliseconds(10));
      if (reply.status == 0) take((*later)->on_timeout());
    }
    return reply;
  }
  void MakeModel(const std::string& name = "census") {
    Reply made = Ask("POST", "/v1/projects/project-one/models", R"({"name":")" + name + "\"}");
    ASSERT_EQ(made.status, 200) << made.text;
  }
  Reply MakeVersion(const std::string& name, const std::string& more = "") {
    std::string body = R"({"name":")" + name +
                       R"(","deploymentUri":"gs://b/m","framework":"XGBOOST")" + more + "}";
    return Ask("POST", "/v1/projects/project-one/models/census/versions", body);
  }
  std::string StateOf(const std::string& name) {
    return Ask("GET", "/v1/projects/project-one/models/census/versions/" + name)
        .body.TextOf("state");
  }
  std::shared_ptr<ServingTarget> Target(const std::string& version) {
    return parts_->table.Find("project-one/census/" + version);
  }
  std::shared_ptr<net::Forwarding> Predict(const std::string& where, std::string_view body = "{}") {
    net::Answer answer =
        Send("POST", "/v1/projects/project-one/models/" + where + ":predict", body);
    auto* way = std::get_if<std::shared_ptr<net::Forwarding>>(&answer);
    if (way != nullptr) return *way;
    refusal_ = std::get<std::string>(std::get<net::Response>(answer).body);
    return nullptr;
  }

  SimClock clock_;
  SeededRandom random_{7};
  NullLogger log_;
  MemoryCatalog catalog_;
  IdSource ids_{clock_, random_};
  identity::Projects projects_{clock_, random_, {}};
  OpenAccess access_;
  FakeDriver driver_{clock_};
  std::string directory_;
  std::map<std::string, std::string> labels_;
  std::optional<Error> fetch_fails_;
  int fetched_ = 0;
  bool ready_ = true;
  net::Origin origin_;
  net::Request request_;
  std::string refusal_;
  std::unique_ptr<Parts> parts_;
};

TEST_F(Models, AreMadeShownChangedAndDeleted) {
  MakeModel();
  Reply again = Ask("POST", "/v1/projects/project-one/models", R"({"name":"census"})");
  EXPECT_EQ(again.status, 409) << again.text;
  EXPECT_EQ(Ask("POST", "/v1/projects/project-one/models", R"({"name":"9x"})").status, 400);
  Reply got = Ask("GET", "/v1/projects/project-one/models/census");
  EXPECT_EQ(got.body.TextOf("name"), "projects/project-one/models/census");
  Reply patched = Ask("PATCH", "/v1/projects/project-one/models/census",
                      R"({"description":"d","etag":")" + got.body.TextOf("etag") + "\"}",
                      "updateMask=description");
  EXPECT_EQ(patched.body.TextOf("done"), "true") << patched.text;
  EXPECT_EQ(Ask("GET", "/v1/projects/project-one/models/census").body.TextOf("description"), "d");
  Reply stale = Ask("PATCH", "/v1/projects/project-one/models/census",
                    R"({"description":"e","etag":")" + got.body.TextOf("etag") + "\"}",
                    "updateMask=description");
  EXPECT_EQ(stale.status, 409) << stale.text;
  EXPECT_EQ(Ask("GET", "/v1/projects/project-one/models").body.Find("models")->items().size(), 1u);
  Reply policy = Ask("GET", "/v1/projects/project-one/models/census:getIamPolicy");
  EXPECT_EQ(policy.status, 200) << policy.text;
  EXPECT_EQ(Ask("DELETE", "/v1/projects/project-one/models/census").body.TextOf("done"), "true");
  EXPECT_EQ(Ask("GET", "/v1/projects/project-one/models/census").status, 404);
}

TEST_F(Models, VersionsBecomeReadyAndTheFirstIsTheDefault) {
  MakeModel();
  Reply made = MakeVersion("v1");
  ASSERT_EQ(made.body.TextOf("done"), "true") << made.text;
  EXPECT_EQ(made.body.Find("metadata")->TextOf("operationType"), "CREATE_VERSION");
  EXPECT_EQ(made.body.Find("response")->TextOf("state"), "READY") << made.text;
  EXPECT_EQ(fetched_, 1);
  Reply model = Ask("GET", "/v1/projects/project-one/models/census");
  EXPECT_EQ(model.body.Find("defaultVersion")->TextOf("name"),
            "projects/project-one/models/census/versions/v1");
  EXPECT_EQ(MakeVersion("v1").status, 409);
  std::string operation = made.body.TextOf("name");
  EXPECT_EQ(Ask("GET", "/v1/" + operation).body.TextOf("name"), operation);
  EXPECT_EQ(
      Ask("GET", "/v1/projects/project-one/operations").body.Find("operations")->items().size(),
      1u);
  EXPECT_EQ(Ask("DELETE", "/v1/projects/project-one/models/census").status, 400);
}

TEST_F(Models, ListsAreFiltered) {
  MakeModel();
  MakeModel("other");
  MakeVersion("v1", R"(,"labels":{"stage":"old"})");
  MakeVersion("v2", R"(,"labels":{"stage":"new"})");
  const std::string models = "/v1/projects/project-one/models";
  Reply all = Ask("GET", models);
  EXPECT_TRUE(all.Has("models/census") && all.Has("models/other")) << all.text;
  Reply some = Ask("GET", models, "", "filter=name%3Aother&pageSize=1");
  EXPECT_TRUE(some.Has("models/other") && !some.Has("models/census")) << some.text;
  Reply versions = Ask("GET", models + "/census/versions", "", "filter=labels.stage%3Dnew");
  EXPECT_TRUE(versions.Has("versions/v2") && !versions.Has("versions/v1")) << versions.text;
  EXPECT_EQ(Ask("GET", models, "", "filter=%28%28").status, 400);
  EXPECT_EQ(Ask("GET", models + "/census/versions", "", "filter=%28%28").status, 400);
}

TEST_F(Models, AreUpdatingUntilTheirNodesAreThere) {
  MakeModel();
  MakeVersion("v1");
  Pass(std::chrono::minutes(20));
  EXPECT_FALSE(Target("v1")->published());
  const std::string name = "/v1/projects/project-one/models/census/versions/v1";
  const std::string nodes = R"({"autoScaling":null,"manualScaling":{"nodes":1}})";
  EXPECT_TRUE(Ask("GET", name).Has(R"("autoScaling":{"minNodes":0})"));
  ready_ = false;
  Reply begun = Ask("PATCH", name, nodes, "updateMask=autoScaling,manualScaling");
  EXPECT_EQ(begun.status, 200) << begun.text;
  EXPECT_NE(begun.body.TextOf("done"), "true") << begun.text;
  EXPECT_EQ(StateOf("v1"), "UPDATING");
  Reply second = Ask("PATCH", name, R"({"description":"d"})", "updateMask=description");
  EXPECT_EQ(second.status, 400) << second.text;
  ready_ = true;
  Pass(seconds(1));
  EXPECT_EQ(StateOf("v1"), "READY");
  EXPECT_TRUE(Target("v1")->published());
  std::string operation = begun.body.TextOf("name");
  EXPECT_EQ(Ask("GET", "/v1/" + operation).body.TextOf("done"), "true");
  Reply words = Ask("PATCH", name, R"({"description":"d"})", "updateMask=description");
  EXPECT_EQ(words.body.TextOf("done"), "true") << words.text;
  EXPECT_EQ(StateOf("v1"), "READY");
  Reply shown = Ask("GET", name);
  EXPECT_FALSE(shown.Has("autoScaling")) << shown.text;
}

TEST_F(Models, BadRequestsAreRefusedWithTheField) {
  MakeModel();
  const std::pair<const char*, const char*> cases[] = {
      {R"({"name":"v","framework":"XGBOOST"})", "deployment_uri"},
      {R"({"name":"v","deploymentUri":"some/where"})", "deployment_uri"},
      {R"({"name":"v","deploymentUri":"gs://b/m","machineType":"huge"})", "machine_type"},
      {R"({"name":"v","deploymentUri":"gs://b/m","manualScaling":{"nodes":0}})", "manual_scaling"},
      {R"({"name":"v","deploymentUri":"gs://b/m","container":{"image":"x"}})", "container"},
      {R"({"name":"v","deploymentUri":"gs://b/m","framework":"CAFFE"})", "framework"},
      {R"({"name":"v-1","deploymentUri":"gs://b/m"})", "version.name"},
  };
  for (const auto& [body, field] : cases) {
    Reply reply = Ask("POST", "/v1/projects/project-one/models/census/versions", body);
    EXPECT_EQ(reply.status, 400) << body;
    EXPECT_TRUE(reply.Has(field)) << reply.text;
  }
  EXPECT_EQ(Ask("POST", "/v1/projects/project-one/models/none/versions",
                R"({"name":"v","deploymentUri":"gs://b/m"})")
                .status,
            404);
}

TEST_F(Models, AModelThatCannotBeCopiedFailsWithTheReason) {
  MakeModel();
  fetch_fails_ = Error{Code::kNotFound, "", "gs://b/m is empty"};
  Reply made = MakeVersion("v1");
  EXPECT_TRUE(made.Has("gs://b/m is empty")) << made.text;
  EXPECT_NE(made.body.Find("error"), nullptr) << made.text;
  EXPECT_EQ(StateOf("v1"), "FAILED");
  EXPECT_EQ(Predict("census"), nullptr);
  EXPECT_NE(refusal_.find("is empty"), std::string::npos) << refusal_;
  // The next one takes its place as the default.
  fetch_fails_.reset();
  MakeVersion("v2");
  EXPECT_NE(Predict("census"), nullptr) << refusal_;
}

TEST_F(Models, AModelThatCannotBeLoadedFailsWithItsOwnWords) {
  MakeModel();
  Settle();
  labels_ = {{"fake.run-seconds", "0"}, {"fake.exit", "3"}};
  ready_ = false;
  auto console = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      std::ofstream(entry.path() / "console.log") << "fireweed-serve: model.bst is truncated\n";
    }
  };
  Send("POST", "/v1/projects/project-one/models/census/versions",
       R"({"name":"v1","deploymentUri":"gs://b/m","framework":"XGBOOST"})");
  parts_->loop.RunDue();
  parts_->pool.Run(0);  // start
  console();
  Pass(seconds(1));
  Reply got = Ask("GET", "/v1/projects/project-one/models/census/versions/v1");
  EXPECT_EQ(got.body.TextOf("state"), "FAILED") << got.text;
  EXPECT_EQ(got.body.TextOf("errorMessage"), "model.bst is truncated") << got.text;
  EXPECT_TRUE(driver_.List()->empty());
}

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

TEST_F(Models, ACreationCanBeCalledOff) {
  MakeModel();
  ready_ = false;
  Reply made = MakeVersion("v1");
  EXPECT_EQ(made.body.TextOf("done"), "false") << made.text;
  std::string operation = made.body.TextOf("name");
  EXPECT_EQ(Ask("POST", "/v1/" + operation + ":cancel", "{}").status, 200);
  Pass(seconds(1));
  Reply after = Ask("GET", "/v1/" + operation);
  EXPECT_EQ(after.body.Find("error")->TextOf("code"), "1") << after.text;
  EXPECT_EQ(Ask("GET", "/v1/projects/project-one/models/census/versions/v1").status, 404);
  EXPECT_TRUE(driver_.List()->empty());
}

}  // namespace
}  // namespace fireweed::ml
