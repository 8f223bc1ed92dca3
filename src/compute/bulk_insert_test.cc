#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compute/bulk_insert_service.h"
#include "compute/compute_fixture.h"

namespace fireweed::compute {
namespace {

constexpr const char* kZone = "/compute/v1/projects/p/zones/us-east1-b";

std::string Body(int count, const std::string& names, const std::string& more = "") {
  return R"({"count":")" + std::to_string(count) + "\"," + names + more +
         R"(,"instanceProperties":{"machineType":"n1-standard-1","disks":[{"autoDelete":true,"boot":true,)"
         R"("initializeParams":{"sourceImage":"projects/debian-cloud/global/images/family/debian-12"}}],)"
         R"("networkInterfaces":[{"network":"projects/p/global/networks/default"}]}})";
}

TEST(BulkNamesTest, FollowThePatternOrTheList) {
  auto names = [](const api::compute::BulkInsertBody& body) {
    return BulkNames(body, [](const std::string& name) { return name == "vm-02"; });
  };
  EXPECT_EQ(names({.count = 3, .namePattern = "vm-##"}),
            (std::vector<std::string>{"vm-01", "vm-03", "vm-04"}));
  EXPECT_EQ(names({.count = 2, .perInstanceProperties = {{"a", {}}, {"b", {.name = "c"}}}}),
            (std::vector<std::string>{"a", "c"}));
  EXPECT_THROW(names({.count = 10, .namePattern = "vm-#"}), Failure);
  EXPECT_THROW(names({.count = 1, .namePattern = "vm"}), Failure);
  EXPECT_THROW(names({.count = 1, .namePattern = "#-vm-#"}), Failure);
  EXPECT_THROW(names({.count = 2, .perInstanceProperties = {{"a", {}}}}), Failure);
}

TEST(BulkInsertTest, MakesThemAllAndEndsWhenTheyRun) {
  ComputeFixture all;
  Reply reply = all.Ask("POST", fmt::format("{}{}", kZone, "/instances/bulkInsert"),
                        Body(3, R"("namePattern":"vm-#")"));
  ASSERT_EQ(reply.status, 200) << reply.body;
  std::string group = reply.Field("operationGroupId");
  EXPECT_FALSE(group.empty());
  EXPECT_EQ(reply.Field("status"), "RUNNING");
  all.Restart();
  all.Settle();
  for (const char* name : {"vm-1", "vm-2", "vm-3"}) {
    EXPECT_EQ(all.Ask("GET", fmt::format("{}{}{}", kZone, "/instances/", name)).Field("status"),
              "RUNNING");
  }
  Reply operation =
      all.Ask("GET", fmt::format("{}{}{}", kZone, "/operations/", reply.Field("name")));
  EXPECT_EQ(operation.Field("status"), "DONE") << operation.body;
  EXPECT_FALSE(operation.Has("\"error\"")) << operation.body;
  Reply listed = all.Ask(
      "GET", fmt::format("{}{}{}", kZone, "/operations?filter=operationGroupId%20eq%20", group));
  for (const char* name : {"vm-1", "vm-2", "vm-3"}) EXPECT_TRUE(listed.Has(name)) << listed.body;
}

TEST(BulkInsertTest, RefusesWhatMakesNoSenseAndMakesNothing) {
  ComputeFixture all;
  auto ask = [&](const std::string& body) {
    return all.Ask("POST", fmt::format("{}{}", kZone, "/instances/bulkInsert"), body).status;
  };
  EXPECT_EQ(ask(Body(0, R"("namePattern":"vm-#")")), 400);
  EXPECT_EQ(ask(Body(2, R"("namePattern":"vm-#")", R"(,"minCount":"3")")), 400);
  EXPECT_EQ(ask(Body(2, R"("namePattern":"vm")")), 400);
  EXPECT_EQ(ask(Body(2, R"("perInstanceProperties":{"good":{},"Bad_Name":{}})")), 400);
  EXPECT_FALSE(all.Ask("GET", fmt::format("{}{}", kZone, "/instances")).Has("good"));
  EXPECT_EQ(all.Ask("POST", "/compute/v1/projects/p/regions/nowhere1/instances/bulkInsert",
                    Body(1, R"("namePattern":"vm-#")"))
                .status,
            404);
  EXPECT_EQ(all.Ask("POST", "/compute/v1/projects/p/regions/us-east1/instances/bulkInsert",
                    Body(1, R"("namePattern":"vm-#")"))
                .status,
            200);
}

}  // namespace
}  // namespace fireweed::compute
