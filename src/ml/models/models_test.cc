// Models and versions through the API: the services behind a router, the controller on a driver without machines.
#include <filesystem>
#include <fstream>

#include "ml/models/models_fixture.h"

namespace fireweed::ml {
namespace {

using std::chrono::seconds;

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

TEST_F(Models, ThePatchOfADefaultVersionSetsIt) {
  MakeModel();
  MakeVersion("v1");
  MakeVersion("v2");
  MakeVersion("v3");
  const std::string name = "/v1/projects/project-one/models/census";
  auto chosen = [&] { return Ask("GET", name).body.Find("defaultVersion")->TextOf("name"); };
  Reply both = Ask("PATCH", name, R"({"description":"d","defaultVersion":{"name":"v2"}})",
                   "updateMask=description,default_version.name");
  EXPECT_EQ(both.status, 200) << both.text;
  EXPECT_EQ(chosen(), "projects/project-one/models/census/versions/v2");
  EXPECT_EQ(Ask("GET", name).body.TextOf("description"), "d");
  Ask("PATCH", name,
      R"({"defaultVersion":{"name":"projects/project-one/models/census/versions/v3"}})",
      "updateMask=defaultVersion.name");
  EXPECT_EQ(chosen(), "projects/project-one/models/census/versions/v3");
  Reply none =
      Ask("PATCH", name, R"({"defaultVersion":{"name":"v9"}})", "updateMask=defaultVersion.name");
  EXPECT_EQ(none.status, 404) << none.text;
  EXPECT_EQ(chosen(), "projects/project-one/models/census/versions/v3");
}

// Clients name the one they want; gcloud cannot even say null for the other.
TEST_F(Models, OneKindOfScalingReplacesTheOther) {
  MakeModel();
  MakeVersion("v1");
  const std::string name = "/v1/projects/project-one/models/census/versions/v1";
  Reply manual =
      Ask("PATCH", name, R"({"manualScaling":{"nodes":1}})", "updateMask=manualScaling.nodes");
  EXPECT_EQ(manual.status, 200) << manual.text;
  Pass(seconds(1));
  Reply shown = Ask("GET", name);
  EXPECT_TRUE(shown.Has(R"("manualScaling":{"nodes":1})") && !shown.Has("autoScaling"))
      << shown.text;
  Reply automatic =
      Ask("PATCH", name, R"({"autoScaling":{"minNodes":1}})", "updateMask=autoScaling.minNodes");
  EXPECT_EQ(automatic.status, 200) << automatic.text;
  shown = Ask("GET", name);
  EXPECT_TRUE(shown.Has(R"("autoScaling":{"minNodes":1})") && !shown.Has("manualScaling"))
      << shown.text;
  Reply both = Ask("PATCH", name, R"({"autoScaling":{"minNodes":1},"manualScaling":{"nodes":1}})",
                   "updateMask=autoScaling,manualScaling");
  EXPECT_EQ(both.status, 400) << both.text;
}

TEST_F(Models, AProjectIsAlsoKnownByItsNumber) {
  std::string number = Query(catalog_, [&](Txn& txn) {
    return std::to_string(projects_.Find(txn, "project-one")->projectNumber);
  });
  const std::string models = "/v1/projects/" + number + "/models";
  Reply made = Ask("POST", models, R"({"name":"census"})");
  EXPECT_EQ(made.body.TextOf("name"), "projects/project-one/models/census") << made.text;
  Reply version = Ask("POST", models + "/census/versions",
                      R"({"name":"v1","deploymentUri":"gs://b/m","framework":"XGBOOST"})");
  EXPECT_EQ(version.status, 200) << version.text;
  EXPECT_EQ(StateOf("v1"), "READY");
  EXPECT_TRUE(Ask("GET", models).Has("models/census"));
  EXPECT_TRUE(Ask("GET", models + "/census/versions").Has("versions/v1"));
  EXPECT_TRUE(Ask("GET", "/v1/projects/" + number + "/operations").Has("create_census_v1"));
  net::Answer answer = Send("POST", models + "/census:predict", "{}");
  EXPECT_TRUE(std::holds_alternative<std::shared_ptr<net::Forwarding>>(answer));
  EXPECT_EQ(Ask("GET", "/v1/projects/123456789012/models/census").status, 404);
}

TEST_F(Models, TargetsOfScalingAreKept) {
  MakeModel();
  Reply made = MakeVersion("v1", R"(,"lastMigrationModelId":"7","autoScaling":{"minNodes":1,
      "metrics":[{"name":"CPU_USAGE","target":60}]})");
  EXPECT_EQ(made.status, 200) << made.text;
  Reply shown = Ask("GET", "/v1/projects/project-one/models/census/versions/v1");
  EXPECT_TRUE(shown.Has(R"("metrics":[{"name":"CPU_USAGE","target":60}])")) << shown.text;
  EXPECT_FALSE(shown.Has("lastMigration")) << shown.text;
}

TEST(MaskPaths, KnowBothSpellings) {
  EXPECT_EQ(MaskPaths("description, auto_scaling.min_nodes,labels.a_b"),
            (std::vector<std::string>{"description", "autoScaling.minNodes", "labels.a_b"}));
  EXPECT_THROW(MaskPaths(" "), Failure);
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
