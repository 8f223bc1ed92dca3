#include "compute/disks_service.h"

#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/compute_fixture.h"

namespace fireweed::compute {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kZone = "/compute/v1/projects/p/zones/us-east1-b";

class DisksTest : public ::testing::Test {
 protected:
  Reply Disks(const char* method, const std::string& rest, const std::string& body = "") {
    return all.Ask(method, fmt::format("{}/disks{}", kZone, rest), body);
  }
  ComputeFixture all;
};

TEST_F(DisksTest, MadeListedResizedDeleted) {
  Reply made = Disks("POST", "",
                     R"({"name":"data","sizeGb":"20","type":"zones/us-east1-b/diskTypes/pd-ssd"})");
  EXPECT_EQ(made.Field("status"), "DONE") << made.body;
  Reply disk = Disks("GET", "/data");
  EXPECT_EQ(disk.Field("sizeGb"), "20");
  EXPECT_THAT(disk.Field("type"), HasSubstr("/diskTypes/pd-ssd"));
  EXPECT_EQ(disk.Field("status"), "READY");
  EXPECT_EQ(Disks("POST", "", R"({"name":"data"})").status, 409);
  EXPECT_TRUE(Disks("GET", "").Has("\"name\":\"data\""));
  Reply everywhere =
      all.Ask("GET", "/compute/v1/projects/p/aggregated/disks?includeAllScopes=true");
  EXPECT_TRUE(everywhere.Has("zones/us-east1-b"));
  EXPECT_TRUE(everywhere.Has("NO_RESULTS_ON_PAGE"));
  EXPECT_EQ(Disks("POST", "/data/resize", R"({"sizeGb":"10"})").status, 400);
  EXPECT_EQ(Disks("POST", "/data/resize", R"({"sizeGb":"30"})").status, 200);
  EXPECT_EQ(Disks("GET", "/data").Field("sizeGb"), "30");
  EXPECT_EQ(Disks("POST", "/data/createSnapshot", R"({"name":"s"})").status, 400);
  EXPECT_EQ(Disks("DELETE", "/data").status, 200);
  EXPECT_EQ(Disks("GET", "/data").status, 404);
  EXPECT_EQ(Disks("DELETE", "/data").status, 404);
}

TEST_F(DisksTest, SizesAndSources) {
  struct Case {
    const char* body;
    int status;
    const char* size;
  };
  for (
      const Case& one : std::vector<Case>{
          {R"({"name":"d"})", 200, "500"},
          {R"({"name":"d","type":"pd-ssd"})", 200, "100"},
          {R"({"name":"d","sourceImage":"projects/debian-cloud/global/images/family/debian-12"})",
           200, "10"},
          {R"({"name":"d","sizeGb":"5","sourceImage":"projects/debian-cloud/global/images/family/debian-12"})",
           400, ""},
          {R"({"name":"d","sizeGb":"-1"})", 400, ""},
          {R"({"name":"d","type":"pd-wonder"})", 404, ""},
          {R"({"name":"d","sourceImage":"global/images/none"})", 404, ""},
          {R"({"name":"d","sourceDisk":"zones/us-east1-b/disks/d"})", 400, ""},
          {R"({"name":"D"})", 400, ""}}) {
    EXPECT_EQ(Disks("POST", "", one.body).status, one.status) << one.body;
    if (one.status != 200) continue;
    EXPECT_EQ(Disks("GET", "/d").Field("sizeGb"), one.size) << one.body;
    Disks("DELETE", "/d");
  }
}

TEST_F(DisksTest, ADataDiskIsMountedAndOutlivesItsInstance) {
  ASSERT_EQ(Disks("POST", "", R"({"name":"data","sizeGb":"20"})").status, 200);
  std::string body = ComputeFixture::InsertBody("vm");
  std::string more =
      R"(}},{"source":"projects/p/zones/us-east1-b/disks/data","deviceName":"work"}],"metadata")";
  body.replace(body.find("}}],\"metadata\""), 14, more);
  auto inserted = all.Ask("POST", fmt::format("{}/instances", kZone), body);
  ASSERT_EQ(inserted.status, 200) << inserted.body;
  all.Settle();
  EXPECT_THAT(Disks("GET", "/data").body, HasSubstr("/instances/vm"));
  auto record =
      Query(all.catalog, [](Txn& txn) { return txn.Find<InstanceRecord>("p/us-east1-b/vm"); });
  ASSERT_TRUE(record);
  BootImage boot = all.plane->boot_disks.Find(record->value).value();
  ASSERT_EQ(boot.volumes.size(), 1u);
  EXPECT_EQ(boot.volumes[0].inside, "/mnt/disks/work");
  EXPECT_TRUE(boot.volumes[0].layers.empty());

  Reply used = Disks("DELETE", "/data");
  EXPECT_EQ(used.status, 400);
  EXPECT_THAT(used.body, HasSubstr("is already being used by"));
  std::string second = body;
  second.replace(second.find("\"vm\""), 4, "\"v2\"");
  EXPECT_EQ(all.Ask("POST", std::string(kZone) + "/instances", second).status, 400);

  ASSERT_EQ(all.Ask("DELETE", std::string(kZone) + "/instances/vm").status, 200);
  all.SettleUntil(all.clock.Now() + std::chrono::minutes(5));
  EXPECT_EQ(Disks("GET", "/vm").status, 404);  // the boot disk went with it
  Reply kept = Disks("GET", "/data");
  EXPECT_EQ(kept.status, 200);
  EXPECT_FALSE(kept.Has("/instances/vm"));
  EXPECT_TRUE(fs::exists(boot.volumes[0].directory + "/upper"));
  EXPECT_FALSE(fs::exists(boot.disk));
}

TEST_F(DisksTest, AnyNumberMayReadOneDiskAndNobodyWritesOnIt) {
  ASSERT_EQ(Disks("POST", "", R"({"name":"data","sizeGb":"20"})").status, 200);
  auto insert = [&](const std::string& name, const std::string& words) {
    std::string body = ComputeFixture::InsertBody(name);
    std::string more =
        R"(}},{"source":"zones/us-east1-b/disks/data",)" + words + R"(}],"metadata")";
    body.replace(body.find("}}],\"metadata\""), 14, more);
    int status = all.Ask("POST", fmt::format("{}/instances", kZone), body).status;
    all.Settle();
    return status;
  };
  auto attach = [&](const std::string& name, const std::string& mode) {
    return all.Ask("POST", fmt::format("{}/instances/{}/attachDisk", kZone, name),
                   R"({"source":"zones/us-east1-b/disks/data","mode":")" + mode + "\"}");
  };
  EXPECT_EQ(insert("r1", R"("mode":"READ_ONLY","autoDelete":true)"), 200);
  EXPECT_EQ(insert("r2", R"("mode":"READ_ONLY")"), 200);
  EXPECT_EQ(insert("w", R"("mode":"READ_WRITE")"), 400);
  ASSERT_EQ(
      all.Ask("POST", fmt::format("{}/instances", kZone), ComputeFixture::InsertBody("r3")).status,
      200);
  all.Settle();
  EXPECT_EQ(attach("r3", "READ_WRITE").status, 400);
  EXPECT_EQ(attach("r3", "READ_ONLY").status, 200);
  EXPECT_EQ(attach("r3", "READ_ONLY").status, 400) << "once in each";
  all.Settle();
  for (const char* name : {"r1", "r2", "r3"}) {
    EXPECT_THAT(Disks("GET", "/data").body, HasSubstr(fmt::format("/instances/{}", name)));
    InstanceRecord record = Query(all.catalog, [&](Txn& txn) {
      return txn.Find<InstanceRecord>(fmt::format("p/us-east1-b/{}", name))->value;
    });
    EXPECT_TRUE(all.plane->boot_disks.Find(record)->volumes.at(0).read_only) << name;
  }
  // Whoever brought it along goes; the others read on.
  all.Ask("DELETE", fmt::format("{}/instances/r1", kZone));
  all.SettleUntil(all.clock.Now() + std::chrono::minutes(5));
  EXPECT_EQ(Disks("GET", "/data").status, 200);
  EXPECT_EQ(Disks("DELETE", "/data").status, 400);
}

TEST_F(DisksTest, WhoWritesOnADiskHasItAlone) {
  ASSERT_EQ(Disks("POST", "", R"({"name":"data","sizeGb":"20"})").status, 200);
  for (const char* name : {"w", "r"}) {
    all.Ask("POST", fmt::format("{}/instances", kZone), ComputeFixture::InsertBody(name));
  }
  all.Settle();
  auto attach = [&](const std::string& name, const std::string& mode) {
    return all.Ask("POST", fmt::format("{}/instances/{}/attachDisk", kZone, name),
                   R"({"source":"zones/us-east1-b/disks/data","mode":")" + mode + "\"}");
  };
  EXPECT_EQ(attach("w", "READ_WRITE").status, 200);
  EXPECT_THAT(attach("r", "READ_ONLY").body, HasSubstr("is already being used by")) << "at once";
  all.Settle();
  EXPECT_THAT(attach("r", "READ_ONLY").body, HasSubstr("is already being used by"));
}

TEST_F(DisksTest, DeviceNamesStayBelowTheirDirectory) {
  for (const char* name : {"../etc", "a/b", "..", ".x", "a b"}) {
    std::string body = ComputeFixture::InsertBody("vm");
    std::string more =
        std::string(R"(}},{"deviceName":")") + name + R"(","initializeParams":{}}],"metadata")";
    body.replace(body.find("}}],\"metadata\""), 14, more);
    EXPECT_EQ(all.Ask("POST", fmt::format("{}/instances", kZone), body).status, 400) << name;
  }
}

}  // namespace
}  // namespace fireweed::compute
