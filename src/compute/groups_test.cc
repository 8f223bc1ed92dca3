// Templates and groups as a client uses them, on the real control plane with the fake driver.
#include <gtest/gtest.h>

#include "compute/compute_fixture.h"

namespace fireweed::compute {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kProject = "/compute/v1/projects/p";
constexpr const char* kZone = "/compute/v1/projects/p/zones/us-east1-b";
constexpr const char* kTemplate = "projects/p/global/instanceTemplates/t";

class GroupsTest : public ::testing::Test {
 protected:
  // A template as gcloud sends it, with labels (the fake driver's script) and more properties as JSON text.
  Reply MakeTemplate(const std::string& labels = "{}", const std::string& more = "",
                     const std::string& name = "t") {
    std::string body =
        R"({"name":")" + name +
        R"(","properties":{"machineType":"n1-standard-1","disks":[{"autoDelete":true,"boot":true,)"
        R"("initializeParams":{"sourceImage":"projects/debian-cloud/global/images/family/debian-12"}}],)"
        R"("networkInterfaces":[{"network":"projects/p/global/networks/default"}],)"
        R"("scheduling":{"automaticRestart":false,"preemptible":true},)"
        R"("guestAccelerators":[{"acceleratorCount":4,"acceleratorType":"nvidia-tesla-k80"}],)"
        R"("serviceAccounts":[{"email":"default","scopes":["cloud-platform"]}],"labels":)" +
        labels + more + "}}";
    return all_.Ask("POST", std::string(kProject) + "/global/instanceTemplates", body);
  }
  Reply MakeGroup(int size, const std::string& more = "") {
    Reply reply = all_.Ask("POST", Groups(),
                           R"({"name":"g","baseInstanceName":"w","instanceTemplate":")" +
                               std::string(kTemplate) + R"(","targetSize":)" +
                               std::to_string(size) + more + "}");
    all_.Settle();
    return reply;
  }
  static std::string Groups() { return std::string(kZone) + "/instanceGroupManagers"; }
  Reply Group() { return all_.Ask("GET", Groups() + "/g"); }
  Reply Post(const std::string& verb, const std::string& body = "") {
    Reply reply = all_.Ask("POST", Groups() + "/g/" + verb, body);
    all_.Settle();
    return reply;
  }
  std::vector<std::string> Members() {
    std::vector<std::string> names;
    for (const auto& row : Query(all_.catalog, [](Txn& t) { return t.Scan<InstanceRecord>({}); })) {
      if (!row.value.group.empty()) names.push_back(row.value.resource.name);
    }
    return names;
  }
  InstanceRecord Stored(const std::string& name) {
    return Query(all_.catalog,
                 [&](Txn& t) { return t.Find<InstanceRecord>("p/us-east1-b/" + name)->value; });
  }
  void After(Duration time) {
    Time until = all_.clock.Now() + time;
    all_.SettleUntil(until);
    all_.clock.JumpTo(until);
    all_.Settle();
  }

  ComputeFixture all_;
};

TEST_F(GroupsTest, ATemplateIsKeptAndShown) {
  Reply made = MakeTemplate();
  ASSERT_EQ(made.status, 200) << made.body;
  EXPECT_EQ(made.Field("status"), "DONE");
  EXPECT_TRUE(made.Has("global/instanceTemplates/t")) << made.body;
  Reply shown = all_.Ask("GET", std::string(kProject) + "/global/instanceTemplates/t");
  EXPECT_TRUE(shown.Has(R"("machineType":"n1-standard-1")")) << shown.body;
  EXPECT_TRUE(shown.Has(R"("acceleratorType":"nvidia-tesla-k80")"));
  EXPECT_EQ(MakeTemplate().status, 409);
  EXPECT_TRUE(all_.Ask("GET", std::string(kProject) + "/aggregated/instanceTemplates")
                  .Has(R"("global":{"instanceTemplates":[)"));
  EXPECT_EQ(all_.Ask("DELETE", std::string(kProject) + "/global/instanceTemplates/t").status, 200);
  EXPECT_EQ(all_.Ask("GET", std::string(kProject) + "/global/instanceTemplates/t").status, 404);
}

TEST_F(GroupsTest, ATemplateIsCheckedAsAnInstanceIs) {
  EXPECT_EQ(MakeTemplate("{}", R"(,"completion":"perhaps")").status, 400);
  EXPECT_EQ(MakeTemplate("{}", R"(,"metadata":{"items":[{"key":"a b","value":""}]})").status, 400);
  EXPECT_EQ(MakeTemplate("{}", "", "Bad_Name").status, 400);
  std::string none = R"({"name":"t","properties":{"machineType":"n1-nonsense","disks":[]}})";
  EXPECT_EQ(all_.Ask("POST", std::string(kProject) + "/global/instanceTemplates", none).status,
            404);
}

TEST_F(GroupsTest, AnInstanceIsMadeOfATemplateAndATemplateOfAnInstance) {
  MakeTemplate(R"({"a":"b"})");
  Reply made =
      all_.Ask("POST", std::string(kZone) + "/instances?sourceInstanceTemplate=" + kTemplate,
               R"({"name":"solo","labels":{"c":"d"}})");
  ASSERT_EQ(made.status, 200) << made.body;
  all_.Settle();
  EXPECT_EQ(Stored("solo").resource.labels.at("c"), "d");
  EXPECT_TRUE(*Stored("solo").resource.scheduling.preemptible);
  Reply copied =
      all_.Ask("POST", std::string(kProject) + "/global/instanceTemplates",
               R"({"name":"u","sourceInstance":"projects/p/zones/us-east1-b/instances/solo"})");
  EXPECT_EQ(copied.status, 200) << copied.body;
  EXPECT_TRUE(all_.Ask("GET", std::string(kProject) + "/global/instanceTemplates/u")
                  .Has(R"("machineType":"n1-standard-1")"));
}

TEST_F(GroupsTest, AGroupFillsIsListedAndGoes) {
  MakeTemplate();
  Reply made = MakeGroup(3);
  ASSERT_EQ(made.status, 200) << made.body;
  EXPECT_EQ(made.Field("status"), "DONE");
  EXPECT_EQ(Members().size(), 3u);
  EXPECT_TRUE(Group().Has(R"("isStable":true)")) << Group().body;
  Reply listed = all_.Ask("POST", Groups() + "/g/listManagedInstances?maxResults=500");
  EXPECT_TRUE(listed.Has(R"("instanceStatus":"RUNNING","currentAction":"NONE")")) << listed.body;
  EXPECT_TRUE(listed.Has("/instances/" + Members()[0]));
  Reply plain = all_.Ask("GET", std::string(kZone) + "/instanceGroups/g");
  EXPECT_EQ(plain.Field("size"), "3");
  EXPECT_TRUE(all_.Ask("POST", std::string(kZone) + "/instanceGroups/g/listInstances",
                       R"({"instanceState":"RUNNING"})")
                  .Has(Members()[2]));
  std::optional<std::string> maker =
      Stored(Members()[0]).resource.metadata.items.empty()
          ? std::nullopt
          : std::optional(Stored(Members()[0]).resource.metadata.items.front().value);
  EXPECT_EQ(maker, "projects/4711/zones/us-east1-b/instanceGroupManagers/g");
  EXPECT_EQ(all_.Ask("DELETE", std::string(kProject) + "/global/instanceTemplates/t").status, 400)
      << "in use";
  Reply gone = all_.Ask("DELETE", Groups() + "/g");
  EXPECT_EQ(gone.Field("status"), "RUNNING");
  all_.Settle();
  EXPECT_EQ(Group().status, 404);
  EXPECT_TRUE(Members().empty());
  EXPECT_TRUE(all_.fake.List()->empty());
  EXPECT_EQ(
      all_.Ask("GET", std::string(kZone) + "/operations/" + gone.Field("name")).Field("status"),
      "DONE");
}

TEST_F(GroupsTest, AMemberGetsAnotherNameWhereItsOwnIsTaken) {
  MakeTemplate();
  MakeGroup(0);
  std::string taken = Query(all_.catalog, [](Txn& txn) {
    return MemberName(txn.Find<GroupRecord>("p/us-east1-b/g")->value, 0);
  });
  all_.Ask("POST", std::string(kZone) + "/instances", ComputeFixture::InsertBody(taken));
  Post("resize?size=1");
  ASSERT_EQ(Members().size(), 1u);
  EXPECT_NE(Members()[0], taken);
}

TEST_F(GroupsTest, APreemptedMemberComesBack) {
  MakeTemplate(R"({"fake_stop-seconds":"10"})");
  MakeGroup(1);
  std::string name = Members().at(0);
  int64_t id = Stored(name).resource.id;
  ASSERT_EQ(all_.Ask("POST", std::string(kZone) + "/instances/" + name + "/preempt").status, 200);
  all_.Settle();
  EXPECT_TRUE(Group().Has(R"("isStable":false)"));
  EXPECT_EQ(all_.Ask("GET", Groups() + "/g").Field("recreating"), "1") << Group().body;
  all_.Restart();
  After(seconds(11));
  ASSERT_EQ(Members(), std::vector<std::string>{name});
  EXPECT_NE(Stored(name).resource.id, id);
  EXPECT_EQ(EnumName(Stored(name).resource.status), "RUNNING");
  EXPECT_TRUE(Group().Has(R"("isStable":true)"));
}

TEST_F(GroupsTest, ResizedRecreatedDeletedAbandonedCreated) {
  MakeTemplate();
  MakeGroup(1);
  EXPECT_EQ(Post("resize?size=4").status, 200);
  EXPECT_EQ(Members().size(), 4u);
  std::string one = Members()[0], two = Members()[1];
  int64_t id = Stored(one).resource.id;
  EXPECT_EQ(
      Post("recreateInstances", R"({"instances":["zones/us-east1-b/instances/)" + one + R"("]})")
          .status,
      200);
  EXPECT_NE(Stored(one).resource.id, id);
  EXPECT_EQ(
      Post("deleteInstances", R"({"instances":["zones/us-east1-b/instances/)" + one + R"("]})")
          .status,
      200);
  EXPECT_EQ(Members().size(), 3u);
  EXPECT_EQ(Group().Field("targetSize"), "3");
  EXPECT_EQ(Post("abandonInstances", R"({"instances":[")" + two + R"("]})").status, 200);
  EXPECT_EQ(Members().size(), 2u);
  EXPECT_EQ(EnumName(Stored(two).resource.status), "RUNNING") << "it lives on, alone";
  EXPECT_EQ(Post("createInstances", R"({"instances":[{"name":"mine"}]})").status, 200);
  EXPECT_EQ(EnumName(Stored("mine").resource.status), "RUNNING");
  EXPECT_EQ(Post("createInstances", R"({"instances":[{"name":"mine"}]})").status, 409);
  const std::string kKept = R"({"instances":[{"name":"kept","preservedState":{"disks":{)";
  EXPECT_EQ(Post("createInstances", kKept + R"("d":{"source":"x"}}}}]})").status, 400);
  EXPECT_EQ(Post("createInstances", kKept + R"(},"metadata":{}}}]})").status, 200);
  EXPECT_EQ(Post("deleteInstances", R"({"instances":["stranger"]})").status, 400);
  EXPECT_EQ(Post("resize?size=-1").status, 400);
  size_t members = Members().size();
  EXPECT_EQ(Post("resize").status, 400);
  EXPECT_EQ(Post("resize?size=").Field("reason"), "required");
  EXPECT_EQ(Members().size(), members) << "a size that was forgotten is not zero";
  EXPECT_EQ(Post("setTargetPools", R"({"targetPools":["x"]})").status, 400);
}

TEST_F(GroupsTest, ANewTemplateIsForWhatIsMadeFromNowOn) {
  MakeTemplate(R"({"age":"old"})");
  MakeTemplate(R"({"age":"new"})", "", "t2");
  MakeGroup(1);
  EXPECT_EQ(Post("setInstanceTemplate",
                 R"({"instanceTemplate":"projects/p/global/instanceTemplates/t2"})")
                .status,
            200);
  EXPECT_EQ(Stored(Members()[0]).resource.labels.at("age"), "old");
  EXPECT_EQ(Group().Field("isReached"), "false");
  Post("resize?size=2");
  EXPECT_EQ(all_.Ask("PATCH", Groups() + "/g", R"({"completion":"on-poweroff"})").status, 200);
  EXPECT_EQ(Group().Field("completion"), "on-poweroff");
  EXPECT_EQ(
      all_.Ask("PATCH", Groups() + "/g", R"({"statefulPolicy":{"preservedState":{}}})").status,
      400);
  Post("recreateInstances", R"({"instances":[")" + Members()[0] + R"("]})");
  Post("recreateInstances", R"({"instances":[")" + Members()[1] + R"("]})");
  for (const std::string& name : Members()) {
    EXPECT_EQ(Stored(name).resource.labels.at("age"), "new");
  }
  EXPECT_EQ(Group().Field("isReached"), "true");
}

TEST_F(GroupsTest, AFinishedTrainerIsNotStartedForEver) {
  MakeTemplate(R"({"fake_run-seconds":"30"})", R"(,"completion":"on-poweroff")");
  MakeGroup(2);
  After(seconds(31));
  EXPECT_TRUE(Members().empty());
  EXPECT_EQ(Group().Field("targetSize"), "0");
  EXPECT_EQ(Group().Field("completedInstances"), "2");
  EXPECT_TRUE(Group().Has(R"("isStable":true)")) << Group().body;
}

TEST_F(GroupsTest, WithoutCompletionItIsMadeAnewAsInTheCloud) {
  MakeTemplate(R"({"fake_run-seconds":"30"})");
  MakeGroup(1);
  int64_t id = Stored(Members().at(0)).resource.id;
  After(seconds(31));
  ASSERT_EQ(Members().size(), 1u);
  EXPECT_NE(Stored(Members()[0]).resource.id, id);
}

TEST_F(GroupsTest, AMemberThatDiesOrIsPreemptedHasNotFinished) {
  MakeTemplate(R"({"fake_run-seconds":"30","fake_exit":"killed"})",
               R"(,"metadata":{"items":[{"key":"fireweed-completion","value":"on-poweroff"}]})");
  MakeGroup(1);
  After(seconds(31));
  EXPECT_EQ(Members().size(), 1u);
  all_.Ask("POST", std::string(kZone) + "/instances/" + Members().at(0) + "/preempt");
  After(seconds(5));
  EXPECT_EQ(Members().size(), 1u);
  EXPECT_EQ(Group().Field("completedInstances"), "0");
}

TEST_F(GroupsTest, AWordThatSaysNoCompletionIsRefused) {
  std::string words =
      R"(,"metadata":{"items":[{"key":"fireweed-completion","value":"on-powerof"}]})";
  Reply refused = MakeTemplate("{}", words);
  EXPECT_EQ(refused.status, 400);
  EXPECT_TRUE(refused.Has("Must be one of [never, on-poweroff, on-success]")) << refused.body;
  std::string instance = ComputeFixture::InsertBody("vm");
  const std::string kWord = R"("key":"WORD","value":"rose")";
  instance.replace(instance.find(kWord), kWord.size(),
                   R"("key":"fireweed-completion","value":"on-powerof")");
  EXPECT_EQ(all_.Ask("POST", std::string(kZone) + "/instances", instance).status, 400);
  // A template from the time when nobody looked.
  MakeTemplate();
  all_.catalog.Write("old", [&](Txn& txn) {
    auto row = txn.Find<TemplateRecord>("p/t");
    row->value.resource.properties->metadata.items = {{"fireweed-completion", "on-powerof"}};
    txn.Put("p/t", row->value);
  });
  EXPECT_EQ(MakeGroup(1).status, 400);
}

TEST_F(GroupsTest, SuccessIsSaidByTheGuest) {
  MakeTemplate(R"({"fake_run-seconds":"30"})");
  MakeGroup(1, R"(,"completion":"on-success")");
  After(seconds(31));
  ASSERT_EQ(Members().size(), 1u) << "it only went off";
  Key key = "p/us-east1-b/" + Members().at(0);
  all_.catalog.Write("guest", [&](Txn& txn) {
    txn.Put(key, GuestAttributes{{{"fireweed/startup-exit", "0"}}});
  });
  all_.Settle();
  EXPECT_TRUE(Members().empty());
  EXPECT_EQ(Group().Field("completedInstances"), "1");
}

TEST_F(GroupsTest, FailuresAreListedAndTriedAgain) {
  MakeTemplate();
  all_.image = Error{Code::kInvalid, "", "no such image"};
  MakeGroup(1);
  Reply errors = all_.Ask("GET", Groups() + "/g/listErrors");
  EXPECT_TRUE(errors.Has("no such image")) << errors.body;
  EXPECT_TRUE(Group().Has(R"("isStable":false)"));
  all_.image = BootImage{.layers = {"/image"}};
  After(minutes(5));
  EXPECT_TRUE(Group().Has(R"("isStable":true)"));
}

TEST_F(GroupsTest, MembersCountAgainstTheQuotaAndComeWhenThereIsRoom) {
  all_.quotas.project["PREEMPTIBLE_CPUS"] = 2;
  all_.Restart();
  MakeTemplate();
  MakeGroup(3);
  EXPECT_EQ(Members().size(), 2u);
  EXPECT_TRUE(all_.Ask("GET", Groups() + "/g/listErrors").Has("PREEMPTIBLE_CPUS"));
  all_.quotas.project.clear();
  all_.Restart();
  After(minutes(5));
  EXPECT_EQ(Members().size(), 3u);
}

TEST_F(GroupsTest, WhatIsNotSupportedIsSaid) {
  MakeTemplate();
  EXPECT_EQ(MakeGroup(1, R"(,"targetPools":["x"])").status, 400);
  EXPECT_EQ(MakeGroup(1, R"(,"updatePolicy":{"type":"PROACTIVE"})").status, 400);
  EXPECT_EQ(
      MakeGroup(1, R"(,"autoHealingPolicies":[{"healthCheck":"global/healthChecks/h"}])").status,
      404);
  Reply regional =
      all_.Ask("POST", std::string(kProject) + "/regions/us-east1/instanceGroupManagers",
               R"({"name":"g","instanceTemplate":")" + std::string(kTemplate) + R"("})");
  EXPECT_EQ(regional.status, 400);
  EXPECT_TRUE(regional.Has("name a zone")) << regional.body;
  EXPECT_EQ(all_.Ask("GET", std::string(kZone) + "/autoscalers").status, 200);
}

TEST_F(GroupsTest, AGroupFilledByHand) {
  std::string groups = std::string(kZone) + "/instanceGroups";
  ASSERT_EQ(all_.Ask("POST", groups, R"({"name":"hand"})").status, 200);
  all_.Ask("POST", std::string(kZone) + "/instances", ComputeFixture::InsertBody("a"));
  all_.Settle();
  std::string one = R"({"instances":[{"instance":"projects/p/zones/us-east1-b/instances/a"}]})";
  EXPECT_EQ(all_.Ask("POST", groups + "/hand/addInstances", one).status, 200);
  EXPECT_EQ(all_.Ask("POST", groups + "/hand/addInstances", one).status, 400);
  EXPECT_EQ(all_.Ask("GET", groups + "/hand").Field("size"), "1");
  EXPECT_TRUE(all_.Ask("POST", groups + "/hand/listInstances").Has("instances/a"));
  EXPECT_EQ(all_.Ask("POST", groups + "/hand/setNamedPorts",
                     R"({"namedPorts":[{"name":"http","port":80}]})")
                .status,
            200);
  EXPECT_TRUE(all_.Ask("GET", groups).Has(R"("name":"http","port":80)"));
  EXPECT_EQ(all_.Ask("POST", groups + "/hand/removeInstances", one).status, 200);
  MakeTemplate();
  EXPECT_EQ(MakeGroup(1).status, 200);
  EXPECT_EQ(all_.Ask("POST", groups, R"({"name":"g"})").status, 409) << "one name, one group";
  EXPECT_EQ(all_.Ask("POST", groups + "/g/addInstances", one).status, 400);
  EXPECT_EQ(all_.Ask("DELETE", groups + "/hand").status, 200);
  EXPECT_EQ(all_.Ask("GET", groups + "/hand").status, 404);
}

}  // namespace
}  // namespace fireweed::compute
