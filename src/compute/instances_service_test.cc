#include "compute/instances_service.h"

#include <fstream>

#include <gtest/gtest.h>

#include "compute/compute_fixture.h"
#include "compute/instance_machine.h"

namespace fireweed::compute {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kZone = "/compute/v1/projects/p/zones/us-east1-b/";

class InstancesTest : public ::testing::Test {
 protected:
  std::string At(std::string_view path) { return kZone + std::string(path); }
  Reply Insert(const std::string& name, const std::string& labels = "{}") {
    return all.Ask("POST", At("instances"), ComputeFixture::InsertBody(name, labels));
  }
  Reply Get(const std::string& name) { return all.Ask("GET", At("instances/" + name)); }
  Reply Operation(const Reply& begun) {
    return all.Ask("GET", At("operations/" + begun.Field("name")));
  }

  ComputeFixture all;
};

TEST_F(InstancesTest, InsertRunsAndTheOperationEnds) {
  Reply begun = Insert("t1");
  ASSERT_EQ(begun.status, 200) << begun.body;
  EXPECT_EQ(begun.Field("status"), "RUNNING");
  EXPECT_EQ(begun.Field("operationType"), "insert");
  EXPECT_EQ(begun.Field("user"), "ann@example.com");
  EXPECT_EQ(begun.Field("targetLink"),
            "https://www.googleapis.com/compute/v1/projects/p/zones/us-east1-b/instances/t1");
  EXPECT_EQ(begun.Field("zone"),
            "https://www.googleapis.com/compute/v1/projects/p/zones/us-east1-b");
  EXPECT_EQ(Get("t1").Field("status"), "PROVISIONING");
  all.Settle();
  Reply instance = Get("t1");
  EXPECT_EQ(instance.Field("status"), "RUNNING") << instance.body;
  EXPECT_EQ(instance.Field("networkIP"), instance.Field("natIP"));
  EXPECT_FALSE(instance.Field("networkIP").empty());
  EXPECT_TRUE(instance.Has("4711-compute@developer.gserviceaccount.com"));
  EXPECT_TRUE(instance.Has("images/debian-12-v"));
  Reply ended = Operation(begun);
  EXPECT_EQ(ended.Field("status"), "DONE");
  EXPECT_FALSE(ended.Has("\"error\""));
  EXPECT_EQ(all.sockets.open.size(), 1u);
  EXPECT_EQ(all.Ask("GET", At("disks/t1")).Field("sizeGb"), "10");
}

TEST_F(InstancesTest, WaitAnswersWhenTheOperationEnds) {
  std::string name = Insert("t1").Field("name");
  auto wait = all.Wait(At("operations/" + name + "/wait"));
  ASSERT_TRUE(wait);
  EXPECT_EQ(wait->timeout_ms, 120'000);
  std::string body;
  wait->OnComplete([&](net::Response r) { body = std::get<std::string>(r.body); });
  EXPECT_TRUE(body.empty());
  all.Settle();
  EXPECT_NE(body.find("\"status\":\"DONE\""), std::string::npos) << body;
  EXPECT_FALSE(all.Wait(At("operations/" + name + "/wait"))) << "answered at once";
  EXPECT_EQ(all.plane->waiters.size(), 0u);
}

TEST_F(InstancesTest, AWaitThatTimesOutShowsTheOperationAsItIs) {
  std::string name = Insert("t1").Field("name");
  auto wait = all.Wait(At("operations/" + name + "/wait"));
  ASSERT_TRUE(wait);
  net::Response response = wait->on_timeout();
  EXPECT_NE(std::get<std::string>(response.body).find("\"status\":\"RUNNING\""), std::string::npos);
  EXPECT_EQ(all.plane->waiters.size(), 0u);
}

TEST_F(InstancesTest, TheSameRequestIdMakesOneInstance) {
  std::string target = At("instances?requestId=11111111-2222-3333-4444-555555555555");
  std::string body = ComputeFixture::InsertBody("t1");
  Reply first = all.Ask("POST", target, body);
  EXPECT_EQ(all.Ask("POST", target, body).Field("name"), first.Field("name"));
  EXPECT_EQ(all.Ask("POST", target, ComputeFixture::InsertBody("t2")).status, 400);
  EXPECT_EQ(Insert("t1").status, 409);
  EXPECT_EQ(Insert("t1").Field("reason"), "alreadyExists");
}

TEST_F(InstancesTest, WhoeverMakesAnInstanceMustBeAllowedToActAsItsAccount) {
  const std::string account = R"("email":"default")", named = R"("email":"known@p")";
  const std::string defaults = "4711-compute@developer.gserviceaccount.com";
  std::string insert = ComputeFixture::InsertBody("t1");
  auto with = [&](std::string body) {
    return body.replace(body.find(account), account.size(), named);
  };
  std::string properties =
      R"({"machineType":"n1-standard-1","networkInterfaces":[{"network":"global/networks/default"}],"disks":)"
      R"([{"boot":true,"initializeParams":{"sourceImage":"projects/debian-cloud/global/images/family/debian-12"}}],)"
      R"("serviceAccounts":[{"email":"default","scopes":["cloud-platform"]}]})";
  std::string in_template = R"({"name":"like-t1","properties":)" + properties + "}";
  std::string bulk = R"({"count":"1","namePattern":"b-#","instanceProperties":)" + properties + "}";
  auto refused = [&](const std::string& target, const std::string& body, const std::string& email) {
    Reply reply = all.Ask("POST", target, body);
    EXPECT_EQ(reply.status, 403) << target << reply.body;
    EXPECT_TRUE(reply.Has("The user does not have access to service account '" + email +
                          "'. User: 'ann@example.com'"))
        << reply.body;
  };
  std::string templates = "/compute/v1/projects/p/global/instanceTemplates";
  all.access.denied = {"iam.serviceAccounts.actAs serviceAccounts/" + defaults,
                       "iam.serviceAccounts.actAs serviceAccounts/known@p"};
  for (const auto& [target, body] :
       {std::pair(At("instances"), insert), std::pair(templates, in_template),
        std::pair(At("instances/bulkInsert"), bulk)}) {
    refused(target, body, defaults);
    refused(target, with(body), "known@p");
  }
  EXPECT_EQ(all.Ask("GET", At("instances/t1")).status, 404);
  // Without an account there is none to act as.
  std::string none = insert;
  size_t from = none.find(R"("serviceAccounts")"), to = none.find("}],", from) + 3;
  EXPECT_EQ(all.Ask("POST", At("instances"), none.erase(from, to - from)).status, 200);
  all.SettleUntil(all.clock.Now() + std::chrono::minutes(1));
  all.Ask("POST", At("instances/t1/stop"));
  all.SettleUntil(all.clock.Now() + std::chrono::minutes(5));
  refused(At("instances/t1/setServiceAccount"), R"({"email":"known@p","scopes":["x"]})", "known@p");
  all.access.denied.clear();
  EXPECT_EQ(
      all.Ask("POST", At("instances/t1/setServiceAccount"), R"({"email":"known@p","scopes":["x"]})")
          .status,
      200);
  EXPECT_EQ(all.Ask("POST", templates, with(in_template)).status, 200);
}

TEST_F(InstancesTest, RefusesWhatIsNotThere) {
  struct Bad {
    const char *from, *to;
    int status;
  };
  for (const Bad& bad :
       {Bad{"\"t1\"", "\"T1\"", 400}, Bad{"\"t1\"", "\"a-\"", 400},
        Bad{"n1-standard-1", "n1-standard-3", 404},
        Bad{"family/debian-12", "family/debian-99", 404},
        Bad{"projects/debian-cloud", "projects/p", 404},
        Bad{"networks/default", "networks/other", 404},
        Bad{"\"default\",\"scopes\"", "\"who@x\",\"scopes\"", 404}, Bad{"\"WORD\"", "\"a b\"", 400},
        Bad{"\"boot\":true", "\"boot\":false", 400},
        Bad{"\"canIpForward\":false", "\"canIpForward\":\"x\"", 400}}) {
    std::string body = ComputeFixture::InsertBody("t1");
    size_t at = body.find(bad.from);
    ASSERT_NE(at, std::string::npos) << bad.from;
    body.replace(at, std::string(bad.from).size(), bad.to);
    Reply reply = all.Ask("POST", At("instances"), body);
    EXPECT_EQ(reply.status, bad.status) << bad.to << " " << reply.body;
  }
  EXPECT_EQ(all.Ask("POST", "/compute/v1/projects/p/zones/mars-1/instances",
                    ComputeFixture::InsertBody("t1"))
                .status,
            404);
  EXPECT_EQ(Get("none").status, 404);
  EXPECT_EQ(all.Ask("DELETE", At("instances/none")).status, 404);
  EXPECT_EQ(all.Ask("GET", At("instances/t1"), "", nullptr).status, 401);
  all.Settle();
  EXPECT_FALSE(all.Ask("GET", At("instances")).Has("items"));
}

TEST_F(InstancesTest, FamilyViewsAndPartialNamesResolve) {
  std::string body = ComputeFixture::InsertBody("t1");
  std::string family = "global/images/family/debian-12";
  body.replace(body.find(family), family.size(), "zones/-/imageFamilyViews/debian-12");
  EXPECT_EQ(all.Ask("POST", At("instances"), body).status, 200);
  EXPECT_EQ(all.Ask("GET", "/compute/v1/projects/debian-cloud/global/images/family/debian-12")
                .Field("family"),
            "debian-12");
  EXPECT_EQ(
      all.Ask("GET", "/compute/v1/projects/debian-cloud/zones/-/imageFamilyViews/debian-12").status,
      200);
  EXPECT_EQ(all.Ask("GET", "/compute/v1/projects/suse-sap-cloud/global/images").status, 200);
}

TEST_F(InstancesTest, StopStartAndDeleteLeaveNothing) {
  Insert("t1", R"({"fake_stop-seconds":"3"})");
  all.Settle();
  Reply stop = all.Ask("POST", At("instances/t1/stop"));
  all.Settle();
  EXPECT_EQ(Get("t1").Field("status"), "STOPPING");
  EXPECT_EQ(Operation(stop).Field("status"), "RUNNING");
  all.SettleUntil(all.clock.Now() + seconds(5));
  EXPECT_EQ(Get("t1").Field("status"), "TERMINATED");
  EXPECT_EQ(Operation(stop).Field("status"), "DONE");
  EXPECT_TRUE(all.sockets.open.empty());
  Reply start = all.Ask("POST", At("instances/t1/start"));
  all.Settle();
  EXPECT_EQ(Get("t1").Field("status"), "RUNNING");
  EXPECT_EQ(Operation(start).Field("status"), "DONE");
  Reply gone = all.Ask("DELETE", At("instances/t1"));
  EXPECT_EQ(gone.Field("operationType"), "delete");
  all.SettleUntil(all.clock.Now() + minutes(2));
  EXPECT_EQ(Operation(gone).Field("status"), "DONE");
  EXPECT_EQ(Get("t1").status, 404);
  EXPECT_EQ(all.Ask("GET", At("disks/t1")).status, 404);
  EXPECT_TRUE(all.fake.List().value().empty());
}

TEST_F(InstancesTest, AGuestThatPowersOffIsTerminated) {
  Insert("t1", R"({"fake_run-seconds":"30"})");
  all.Settle();
  EXPECT_EQ(Get("t1").Field("status"), "RUNNING");
  all.SettleUntil(all.clock.Now() + seconds(31));
  EXPECT_EQ(Get("t1").Field("status"), "TERMINATED");
  EXPECT_FALSE(Get("t1").Field("lastStopTimestamp").empty());
}

TEST_F(InstancesTest, ResetBootsAgain) {
  Insert("t1");
  all.Settle();
  Reply reset = all.Ask("POST", At("instances/t1/reset"));
  all.Settle();
  EXPECT_EQ(Operation(reset).Field("status"), "DONE");
  EXPECT_EQ(Get("t1").Field("status"), "RUNNING");
  EXPECT_NE(all.fake.List().value()[0].second.text.find("\"boot\":2"), std::string::npos);
}

TEST_F(InstancesTest, StopAndStartDuringTheFirstBootBootAgain) {
  Reply start;
  all.sockets.meanwhile = [&] {
    for (const char* verb : {"stop", "start"}) {
      start = all.Ask("POST", At("instances/t1/") + verb);
      all.plane->loop.RunDue();
    }
  };
  Insert("t1");
  all.SettleUntil(all.clock.Now() + minutes(1));
  EXPECT_EQ(Get("t1").Field("status"), "RUNNING");
  EXPECT_EQ(all.Ask("GET", At("disks/t1")).status, 200);
  EXPECT_EQ(Operation(start).Field("status"), "DONE");
  EXPECT_FALSE(Operation(start).Has("\"error\"")) << Operation(start).body;
  EXPECT_NE(all.fake.List().value()[0].second.text.find("\"boot\":2"), std::string::npos);
}

TEST_F(InstancesTest, AFailedInsertEndsInAnErrorAndLeavesNothing) {
  Reply begun = Insert("t1", R"({"fake_start-failures":"99"})");
  all.SettleUntil(all.clock.Now() + minutes(10));
  Reply ended = Operation(begun);
  EXPECT_EQ(ended.Field("status"), "DONE");
  EXPECT_TRUE(ended.Has("\"error\":{\"errors\":[{\"code\":\"UNAVAILABLE\"")) << ended.body;
  EXPECT_EQ(ended.Field("httpErrorStatusCode"), "503");
  EXPECT_EQ(Get("t1").status, 404);
  EXPECT_EQ(all.Ask("GET", At("disks/t1")).status, 404);
}

TEST_F(InstancesTest, ADriverThatFailsTwiceIsTriedAgain) {
  Reply begun = Insert("t1", R"({"fake_start-failures":"2"})");
  all.SettleUntil(all.clock.Now() + minutes(1));
  EXPECT_EQ(Get("t1").Field("status"), "RUNNING");
  EXPECT_FALSE(Operation(begun).Has("\"error\""));
}

TEST_F(InstancesTest, MetadataNeedsTheFingerprint) {
  Insert("t1");
  all.Settle();
  std::string print = Get("t1").Field("fingerprint");  // of tags, the first in the body
  std::string body = Get("t1").body;
  size_t at = body.find("\"metadata\":");
  print = Reply{200, body.substr(at)}.Field("fingerprint");
  std::string items = R"("items":[{"key":"WORD","value":"lily"}]})";
  std::string sent = "{\"fingerprint\":\"" + print + "\"," + items;
  Reply done = all.Ask("POST", At("instances/t1/setMetadata"), sent);
  EXPECT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(done.Field("status"), "DONE");
  EXPECT_TRUE(Get("t1").Has("lily"));
  Reply stale = all.Ask("POST", At("instances/t1/setMetadata"), sent);
  EXPECT_EQ(stale.status, 412);
  EXPECT_EQ(stale.Field("reason"), "conditionNotMet");
  EXPECT_EQ(all.Ask("POST", At("instances/t1/setMetadata"), "{" + items).status, 412);
}

TEST_F(InstancesTest, ProjectMetadataIsAGlobalOperation) {
  Reply done = all.Ask("POST", "/compute/v1/projects/p/setCommonInstanceMetadata",
                       R"({"items":[{"key":"ssh-keys","value":"ann:ssh-rsa AAAA"}]})");
  EXPECT_EQ(done.Field("status"), "DONE") << done.body;
  EXPECT_EQ(done.Field("targetLink"), "https://www.googleapis.com/compute/v1/projects/p");
  EXPECT_FALSE(done.Has("\"zone\""));
  EXPECT_EQ(all.Ask("GET", "/compute/v1/projects/p/global/operations/" + done.Field("name")).status,
            200);
  EXPECT_TRUE(all.Ask("GET", "/compute/v1/projects/p").Has("ssh-rsa"));
}

TEST_F(InstancesTest, ListsPageFilterAndAggregate) {
  for (const char* name : {"a1", "a2", "b1"}) Insert(name);
  all.Settle();
  Reply page = all.Ask("GET", At("instances?maxResults=2"));
  EXPECT_TRUE(page.Has("\"a2\"") && !page.Has("\"b1\""));
  Reply rest =
      all.Ask("GET", At("instances?maxResults=2&pageToken=" + page.Field("nextPageToken")));
  EXPECT_TRUE(rest.Has("\"b1\"") && !rest.Has("\"a2\"") && !rest.Has("nextPageToken"));
  Reply some = all.Ask("GET", At("instances?filter=name%20eq%20a.*&fields=items/name"));
  EXPECT_EQ(some.body, R"({"items":[{"name":"a1"},{"name":"a2"}]})");
  EXPECT_EQ(all.Ask("GET", At("instances?filter=name%20eq%20%5B")).status, 400);
  Reply aggregated =
      all.Ask("GET", "/compute/v1/projects/p/aggregated/instances?includeAllScopes=True");
  EXPECT_TRUE(aggregated.Has("\"zones/us-east1-b\":{\"instances\":["));
  EXPECT_TRUE(aggregated.Has("\"zones/us-west1-a\":{\"warning\":{\"code\":\"NO_RESULTS_ON_PAGE\""));
  EXPECT_TRUE(all.Ask("GET", "/compute/beta/projects/p/aggregated/instances").Has("\"b1\""));
  EXPECT_TRUE(all.Ask("GET", "/compute/v1/projects/p/aggregated/operations").Has("insert"));
  EXPECT_TRUE(all.Ask("GET", "/compute/v1/projects/p/aggregated/disks").Has("\"b1\""));
}

TEST_F(InstancesTest, ListsComeTheNewestFirstWhereThatIsAskedFor) {
  for (const char* name : {"b", "c", "a"}) {
    Insert(name);
    all.Settle();
    all.clock.JumpTo(all.clock.Now() + seconds(1));
  }
  const std::string kNewest = "?orderBy=creationTimestamp%20desc&fields=nextPageToken,items/name";
  EXPECT_EQ(all.Ask("GET", At("instances" + kNewest)).body,
            R"({"items":[{"name":"a"},{"name":"c"},{"name":"b"}]})");
  Reply page = all.Ask("GET", At("instances" + kNewest + "&maxResults=2"));
  EXPECT_TRUE(page.Has("\"a\"") && page.Has("\"c\"") && !page.Has("\"b\"")) << page.body;
  std::string token = "&pageToken=" + page.Field("nextPageToken");
  Reply rest = all.Ask("GET", At("instances" + kNewest + "&maxResults=2" + token));
  EXPECT_EQ(rest.body, R"({"items":[{"name":"b"}]})");
  EXPECT_EQ(all.Ask("GET", At("instances?maxResults=2" + token)).status, 400) << "another order's";
  Reply operations = all.Ask("GET", At("operations?orderBy=creationTimestamp%20desc&maxResults=1"));
  EXPECT_TRUE(operations.Has("instances/a")) << operations.body;
  EXPECT_EQ(all.Ask("GET", At("machineTypes" + kNewest + "&maxResults=1")).status, 200);
  EXPECT_EQ(all.Ask("GET", At("instances?orderBy=status")).status, 400);
}

TEST_F(InstancesTest, APageIsOfAKnownSizeAndBeginsSomewhere) {
  for (const char* name : {"a1", "a2"}) Insert(name);
  EXPECT_EQ(all.Ask("GET", At("instances?maxResults=501")).status, 400);
  EXPECT_EQ(all.Ask("GET", At("instances?maxResults=-1")).status, 400);
  EXPECT_TRUE(all.Ask("GET", At("instances?maxResults=0")).Has("\"a2\""));
  EXPECT_EQ(all.Ask("GET", At("instances?maxResults=500")).status, 200);
  EXPECT_EQ(all.Ask("GET", At("instances?pageToken=garbage")).status, 400);
  EXPECT_EQ(all.Ask("GET", At("disks?pageToken=YWJj")).status, 400);
}

TEST_F(InstancesTest, AnAddressThatIsAskedForIsGivenOrRefused) {
  auto insert = [&](const std::string& name, const std::string& address) {
    std::string body = ComputeFixture::InsertBody(name);
    body.insert(body.find(R"("accessConfigs")"), R"("networkIP":")" + address + "\",");
    Reply reply = all.Ask("POST", At("instances"), body);
    all.Settle();
    return reply;
  };
  EXPECT_EQ(insert("t1", "10.0.9.9").status, 200);
  EXPECT_EQ(Get("t1").Field("networkIP"), "10.0.9.9");
  Reply taken = insert("t2", "10.0.9.9");
  EXPECT_EQ(taken.status, 400);
  EXPECT_TRUE(taken.Has("IP '10.0.9.9' is already being used by another resource.")) << taken.body;
  EXPECT_EQ(insert("t2", "garbage").status, 400);
  EXPECT_EQ(insert("t2", "10.0.9.10").status, 200);
}

TEST_F(InstancesTest, OperationsKnowTheIdOfTheirTarget) {
  Reply inserted = Insert("t1");
  all.Settle();
  std::string id = Get("t1").Field("id");
  EXPECT_EQ(inserted.Field("targetId"), id);
  EXPECT_EQ(all.Ask("POST", At("instances/t1/stop")).Field("targetId"), id);
  all.SettleUntil(all.clock.Now() + minutes(5));
  const std::string kGlobal = "/compute/v1/projects/p/global/";
  struct Case {
    std::string collection, body;
  };
  for (const Case& one : std::vector<Case>{
           {At("disks"), R"({"name":"x"})"},
           {At("instanceGroups"), R"({"name":"x"})"},
           {kGlobal + "firewalls", R"({"name":"x"})"},
           {kGlobal + "images",
            R"({"name":"x","sourceImage":"projects/debian-cloud/global/images/family/debian-12"})"},
           {kGlobal + "instanceTemplates",
            R"({"name":"x","properties":)" + ComputeFixture::InsertBody("x") + "}"}}) {
    Reply made = all.Ask("POST", one.collection, one.body);
    std::string made_id = all.Ask("GET", one.collection + "/x").Field("id");
    EXPECT_EQ(made.Field("targetId"), made_id) << made.body;
    EXPECT_EQ(all.Ask("DELETE", one.collection + "/x").Field("targetId"), made_id);
  }
  Reply project = all.Ask("POST", "/compute/v1/projects/p/setCommonInstanceMetadata", "{}");
  EXPECT_EQ(project.Field("targetId"), "4711");
  EXPECT_EQ(all.Ask("DELETE", At("instances/t1")).Field("targetId"), id);
}

TEST_F(InstancesTest, AMachineIsToldItsFullName) {
  auto insert = [&](const std::string& name, const std::string& words) {
    std::string body = ComputeFixture::InsertBody(name);
    body.insert(1, words);
    return all.Ask("POST", At("instances"), body).status;
  };
  auto told = [&](const std::string& name) {
    InstanceRecord record = Query(all.catalog, [&](Txn& txn) {
      return txn.Find<InstanceRecord>("p/us-east1-b/" + name)->value;
    });
    return SpecOf(record, {}, "", true).hostname;
  };
  EXPECT_EQ(insert("t1", ""), 200);
  EXPECT_EQ(told("t1"), "t1.us-east1-b.c.p.internal");
  EXPECT_EQ(insert("t2", R"("hostname":"my.host.example",)"), 200);
  EXPECT_EQ(told("t2"), "my.host.example");
  for (const char* bad : {"short", "a b.example", "a..b", ".a.b", "a.b.", "a.b\\nc"}) {
    EXPECT_EQ(insert("t3", R"("hostname":")" + std::string(bad) + "\","), 400) << bad;
  }
}

TEST_F(InstancesTest, AProjectsNumberIsAnotherNameForIt) {
  Insert("t1");
  all.Settle();
  const std::string by_number = "/compute/v1/projects/4711/zones/us-east1-b/instances";
  EXPECT_TRUE(all.Ask("GET", by_number).Has("\"t1\""));
  EXPECT_TRUE(all.Ask("GET", by_number + "/t1").Has("projects/p/zones/us-east1-b/instances/t1"));
  // As a guest does that goes by what the metadata server calls its zone.
  Reply gone = all.Ask("DELETE", by_number + "/t1");
  EXPECT_TRUE(gone.Has("projects/p/zones/us-east1-b/instances/t1")) << gone.body;
  all.SettleUntil(all.clock.Now() + minutes(5));
  EXPECT_EQ(Get("t1").status, 404);
  all.access.denied.insert("compute.instances.list projects/p");
  EXPECT_EQ(all.Ask("GET", by_number).status, 403) << "the number opens nothing";
}

TEST_F(InstancesTest, LargeMachineTypesAreClippedAndSaySo) {
  std::string body = ComputeFixture::InsertBody("t1");
  std::string type = "n1-standard-1\"";
  body.replace(body.find(type), type.size(), "n1-standard-64\"");
  Reply begun = all.Ask("POST", At("instances"), body);
  EXPECT_TRUE(begun.Has("\"warnings\":[{")) << begun.body;
  all.Settle();
  auto row = Query(all.catalog, [](Txn& t) { return t.Find<InstanceRecord>("p/us-east1-b/t1"); });
  EXPECT_EQ(row->value.cpus, 4);
  EXPECT_EQ(row->value.visible_cpus, 4);
  EXPECT_EQ(row->value.memory_mb, 8192);
  EXPECT_TRUE(all.Ask("GET", At("instances/t1/serialPort")).Has("n1-standard-64 asks for 64"));
}

TEST_F(InstancesTest, SerialPortByOffsets) {
  Insert("t1");
  all.Settle();
  auto row = Query(all.catalog, [](Txn& t) { return t.Find<InstanceRecord>("p/us-east1-b/t1"); });
  std::ofstream(ConsolePath(all.consoles, row->value)) << "hello\nworld\n";
  Reply whole = all.Ask("GET", At("instances/t1/serialPort?port=1"));
  EXPECT_EQ(whole.Field("next"), "12");
  EXPECT_TRUE(whole.Has(R"("contents":"hello\nworld\n")"));
  EXPECT_TRUE(all.Ask("GET", At("instances/t1/serialPort?start=6")).Has(R"("contents":"world\n")"));
  Reply none = all.Ask("GET", At("instances/t1/serialPort?start=12"));
  EXPECT_TRUE(none.Has(R"("contents":"")"));
  EXPECT_EQ(none.Field("next"), "12");
  EXPECT_TRUE(all.Ask("GET", At("instances/t1/serialPort?port=2")).Has(R"("contents":"")"));
  EXPECT_EQ(all.Ask("GET", At("instances/t1/serialPort?port=9")).status, 400);
}

TEST_F(InstancesTest, ARestartedDaemonFindsItsMachines) {
  Insert("t1", R"({"fake_run-seconds":"60"})");
  Insert("t2");
  all.Settle();
  all.fake.Start({.id = "i-999"}).value();
  all.Restart();
  all.plane->controller.RemoveForgotten();
  EXPECT_EQ(all.fake.List().value().size(), 2u);
  all.Settle();
  EXPECT_EQ(all.sockets.open.size(), 2u) << "sockets are opened again";
  all.SettleUntil(all.clock.Now() + seconds(70));
  EXPECT_EQ(Get("t1").Field("status"), "TERMINATED");
  EXPECT_EQ(Get("t2").Field("status"), "RUNNING");
}

TEST_F(InstancesTest, NoTwoRoutesMatchOnePath) {
  EXPECT_TRUE(all.plane->router.Collisions().empty());
}

TEST_F(InstancesTest, TheCatalogueIsThere) {
  EXPECT_EQ(all.Ask("GET", "/compute/v1/projects/p/zones/us-east1-b").Field("status"), "UP");
  EXPECT_EQ(all.Ask("GET", "/compute/v1/projects/p/zones/us-east1-a").status, 404);
  EXPECT_TRUE(all.Ask("GET", "/compute/v1/projects/p/zones?maxResults=500").Has("us-central1-f"));
  EXPECT_TRUE(all.Ask("GET", "/compute/v1/projects/p/regions/us-central1").Has("us-central1-f"));
  Reply type = all.Ask("GET", At("machineTypes/n1-highcpu-8"));
  EXPECT_EQ(type.Field("guestCpus"), "8");
  EXPECT_EQ(type.Field("memoryMb"), "7373");
  EXPECT_EQ(type.Field("zone"), "us-east1-b");
  EXPECT_EQ(all.Ask("GET", At("machineTypes/n2-custom-4-8192")).Field("memoryMb"), "8192");
  EXPECT_EQ(all.Ask("GET", At("machineTypes/custom-3-1024")).status, 404);
  EXPECT_EQ(all.Ask("GET", At("machineTypes/local")).Field("guestCpus"), "4");
  EXPECT_TRUE(
      all.Ask("GET", "/compute/v1/projects/p/aggregated/machineTypes?filter=name%20eq%20e2-.*")
          .Has("e2-medium"));
  EXPECT_TRUE(all.Ask("GET", At("diskTypes/pd-ssd")).Has("pd-ssd"));
  EXPECT_TRUE(all.Ask("GET", "/compute/v1/projects/p/global/networks").Has("default"));
}

}  // namespace
}  // namespace fireweed::compute
