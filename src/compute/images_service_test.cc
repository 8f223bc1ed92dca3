#include "compute/images_service.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/compute_fixture.h"
#include "compute/images.h"

namespace fireweed::compute {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kImages = "/compute/v1/projects/p/global/images";
constexpr const char* kInstances = "/compute/v1/projects/p/zones/us-east1-b/instances";
constexpr const char* kDisks = "/compute/v1/projects/p/zones/us-east1-b/disks";

class ImagesTest : public ::testing::Test {
 protected:
  std::string Image(const std::string& name) { return std::string(kImages) + "/" + name; }
  // An instance whose machine has ended, with something written on its disk.
  void StoppedInstance(const std::string& name) {
    ASSERT_EQ(all.Ask("POST", kInstances, ComputeFixture::InsertBody(name)).status, 200);
    all.Settle();
    ASSERT_EQ(all.Ask("POST", std::string(kInstances) + "/" + name + "/stop").status, 200);
    all.SettleUntil(all.clock.Now() + std::chrono::minutes(5));
    ASSERT_EQ(all.Ask("GET", std::string(kInstances) + "/" + name).Field("status"), "TERMINATED");
    std::ofstream(UpperOf(name) + "/installed") << name;
  }
  std::string UpperOf(const std::string& disk) {
    std::string id = all.Ask("GET", std::string(kDisks) + "/" + disk).Field("id");
    return all.disk_root + "/disks/d-" + id + "/upper";
  }
  std::vector<std::string> LayersOf(const std::string& image) {
    return Query(all.catalog, [&](Txn& txn) { return txn.Find<ImageRecord>("p/" + image); })
        ->value.root.layers;
  }
  Reply OperationOf(const Reply& begun) {
    return all.Ask("GET", "/compute/v1/projects/p/global/operations/" + begun.Field("name"));
  }

  ComputeFixture all;
};

TEST_F(ImagesTest, FromAFamilyIsReadyAtOnce) {
  Reply made =
      all.Ask("POST", kImages,
              R"({"name":"base","family":"mine","sourceType":"RAW",)"
              R"("sourceImage":"projects/ubuntu-os-cloud/global/images/family/ubuntu-1604-lts"})");
  EXPECT_EQ(made.Field("status"), "DONE") << made.body;
  EXPECT_THAT(made.Field("targetLink"), HasSubstr("/global/images/base"));
  Reply image = all.Ask("GET", Image("base"));
  EXPECT_EQ(image.Field("status"), "READY");
  EXPECT_THAT(image.Field("sourceImage"),
              HasSubstr("ubuntu-os-cloud/global/images/ubuntu-1604-lts-v"));
  EXPECT_EQ(all.Ask("GET", Image("family/mine")).Field("name"), "base");
  EXPECT_EQ(all.Ask("POST", kImages, R"({"name":"base","sourceImage":"base"})").status, 409);
}

TEST_F(ImagesTest, FromADiskIsACopyOfWhatWasWritten) {
  StoppedInstance("build");
  Reply begun =
      all.Ask("POST", kImages,
              R"({"name":"built","family":"mine","sourceDisk":"zones/us-east1-b/disks/build"})");
  ASSERT_EQ(begun.status, 200) << begun.body;
  EXPECT_EQ(begun.Field("status"), "RUNNING");
  EXPECT_EQ(all.Ask("GET", Image("built")).Field("status"), "PENDING");
  EXPECT_EQ(all.Ask("GET", Image("family/mine")).status, 404);  // not before it is there
  all.Settle();
  EXPECT_EQ(OperationOf(begun).Field("status"), "DONE");
  EXPECT_EQ(all.Ask("GET", Image("built")).Field("status"), "READY");
  std::vector<std::string> layers = LayersOf("built");
  ASSERT_EQ(layers.size(), 1u);
  std::string installed = all.store.LayerDirectory(layers[0]) + "/installed";
  EXPECT_TRUE(fs::exists(installed));

  // An instance from the family boots over that layer, also once image and source are deleted.
  std::string body = ComputeFixture::InsertBody("user");
  size_t at = body.find("projects/debian-cloud/global/images/family/debian-12");
  body.replace(at, 52, "projects/p/global/images/family/mine");
  ASSERT_EQ(all.Ask("POST", kInstances, body).status, 200);
  ASSERT_EQ(all.Ask("DELETE", Image("built")).status, 200);
  ASSERT_EQ(all.Ask("DELETE", std::string(kInstances) + "/build").status, 200);
  all.SettleUntil(all.clock.Now() + std::chrono::minutes(5));
  EXPECT_EQ(all.Ask("GET", Image("built")).status, 404);
  EXPECT_TRUE(fs::exists(installed));
  auto record =
      Query(all.catalog, [](Txn& txn) { return txn.Find<InstanceRecord>("p/us-east1-b/user"); });
  BootImage boot = all.plane->boot_disks.Find(record->value).value();
  EXPECT_EQ(boot.layers, (std::vector<std::string>{all.store.LayerDirectory(layers[0]), "/image"}));
  EXPECT_EQ(boot.disk + "/upper", UpperOf("user"));
  ASSERT_EQ(all.Ask("DELETE", std::string(kInstances) + "/user").status, 200);
  all.SettleUntil(all.clock.Now() + std::chrono::minutes(5));
  EXPECT_FALSE(fs::exists(installed));  // nobody stands on it any more
  EXPECT_TRUE(fs::is_empty(all.disk_root + "/disks"));
}

TEST_F(ImagesTest, WhatAnImageIsMadeOfOutlivesItsDiskUntilItIsMade) {
  StoppedInstance("build");
  all.Ask("POST", kImages, R"({"name":"below","sourceDisk":"zones/us-east1-b/disks/build"})");
  all.Settle();
  std::string below = all.store.LayerDirectory(LayersOf("below").at(0));
  ASSERT_EQ(
      all.Ask("POST", kDisks, R"({"name":"data","sourceImage":"global/images/below"})").status,
      200);
  std::string upper = UpperOf("data");
  fs::create_directories(upper);
  std::ofstream(upper + "/file") << "x";
  all.Ask("POST", kImages, R"({"name":"late","sourceDisk":"zones/us-east1-b/disks/data"})");
  auto change = [&](const std::function<void(ImageRecord&)>& how) {
    all.catalog.Write("test", [&](Txn& txn) {
      auto row = txn.Find<ImageRecord>("p/late");
      how(row->value);
      txn.Put(row->key, row->value);
    });
    all.Settle();
  };
  // Its making takes as long as this test likes.
  Time never = all.clock.Now() + std::chrono::hours(1);
  change([&](ImageRecord& image) { image.backoff = {.attempts = 1, .next_try = never}; });
  EXPECT_EQ(all.Ask("DELETE", Image("below")).status, 200);
  EXPECT_EQ(all.Ask("DELETE", std::string(kDisks) + "/data").status, 200);
  all.Settle();
  EXPECT_TRUE(fs::exists(upper + "/file"));
  EXPECT_TRUE(fs::exists(below));
  change([&](ImageRecord& image) { image.resource.status = "READY"; });
  EXPECT_FALSE(fs::exists(upper)) << "the copy is there";
  EXPECT_TRUE(fs::exists(below)) << "the image stands on it";
}

TEST_F(ImagesTest, AnImageOfADiskThatWentBeforeItsTurnIsNotMade) {
  StoppedInstance("build");
  Reply begun =
      all.Ask("POST", kImages, R"({"name":"late","sourceDisk":"zones/us-east1-b/disks/build"})");
  all.catalog.Write("test", [](Txn& txn) { txn.Erase<DiskRecord>("p/us-east1-b/build"); });
  all.Settle();
  EXPECT_THAT(OperationOf(begun).body, HasSubstr("disks/build' was not found"));
  EXPECT_EQ(all.Ask("GET", Image("late")).status, 404);
  EXPECT_TRUE(fs::is_empty(all.disk_root + "/disks"));
}

TEST_F(ImagesTest, ADiskOfARunningMachineNeedsForce) {
  ASSERT_EQ(all.Ask("POST", kInstances, ComputeFixture::InsertBody("vm")).status, 200);
  all.Settle();
  std::string body = R"({"name":"live","sourceDisk":"projects/p/zones/us-east1-b/disks/vm"})";
  Reply refused = all.Ask("POST", kImages, body);
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body,
              HasSubstr("is already being used by 'projects/p/zones/us-east1-b/instances/vm'"));
  std::ofstream(UpperOf("vm") + "/x") << "x";
  EXPECT_EQ(all.Ask("POST", std::string(kImages) + "?forceCreate=True", body).status, 200);
  all.Settle();
  EXPECT_EQ(LayersOf("live").size(), 1u);
}

TEST_F(ImagesTest, AnImageThatCannotBeMadeIsForgottenAndSaysWhy) {
  int tries = 0;
  all.import = [&](const std::string&, const std::string&) -> Result<ContainerConfig> {
    ++tries;
    return Error{Code::kInvalid, "", "not a root"};
  };
  Reply begun =
      all.Ask("POST", kImages, R"({"name":"raw","rawDisk":{"source":"gs://b/root.tar.gz"}})");
  ASSERT_EQ(begun.status, 200) << begun.body;
  all.Settle();
  EXPECT_EQ(tries, 1);
  Reply ended = OperationOf(begun);
  EXPECT_EQ(ended.Field("status"), "DONE");
  EXPECT_THAT(ended.body, HasSubstr("not a root"));
  EXPECT_EQ(all.Ask("GET", Image("raw")).status, 404);
}

TEST_F(ImagesTest, ATransientFailureIsTriedAgainAlsoAfterARestart) {
  int tries = 0;
  all.import = [&](const std::string& source,
                   const std::string& directory) -> Result<ContainerConfig> {
    EXPECT_EQ(source, "gs://b/root.tar.gz");
    if (++tries < 3) return Error{Code::kUnavailable, "", "not now"};
    std::ofstream(directory + "/file") << "x";
    return ContainerConfig{
        .entrypoint = {"/run"}, .command = {}, .environment = {}, .directory = "/w"};
  };
  all.Ask("POST", kImages, R"({"name":"raw","rawDisk":{"source":"gs://b/root.tar.gz"}})");
  all.Settle();
  EXPECT_EQ(tries, 1);
  all.Restart();
  all.SettleUntil(all.clock.Now() + std::chrono::minutes(5));
  EXPECT_EQ(tries, 3);
  EXPECT_EQ(all.Ask("GET", Image("raw")).Field("status"), "READY");
  EXPECT_TRUE(fs::exists(all.store.LayerDirectory(LayersOf("raw").at(0)) + "/file"));
  // How it wants to be run goes with the root: to disks, and to images of those.
  EXPECT_EQ(all.Ask("POST", kImages, R"({"name":"copy","sourceImage":"global/images/raw"})").status,
            200);
  all.Settle();
  for (const char* name : {"raw", "copy"}) {
    auto row = Query(all.catalog,
                     [&](Txn& txn) { return txn.Find<ImageRecord>(std::string("p/") + name); });
    ASSERT_TRUE(row) << name;
    EXPECT_EQ(row->value.root.container.entrypoint, std::vector<std::string>{"/run"}) << name;
    EXPECT_EQ(row->value.root.container.directory, "/w") << name;
  }
}

TEST_F(ImagesTest, LeftoversOfACrashAreSwept) {
  fs::create_directories(all.disk_root + "/layers/l-17.part");
  fs::create_directories(all.disk_root + "/disks/d-17/upper");
  all.Restart();
  all.Settle();
  EXPECT_TRUE(fs::is_empty(all.disk_root + "/layers"));
  EXPECT_TRUE(fs::is_empty(all.disk_root + "/disks"));
}

TEST_F(ImagesTest, FamiliesFollowTheNewestThatIsNotDeprecated) {
  for (const char* name : {"v1", "v2"}) {
    all.clock.Advance(std::chrono::seconds(1));
    all.Ask(
        "POST", kImages,
        std::string(R"({"name":")") + name +
            R"(","family":"f","sourceImage":"projects/debian-cloud/global/images/family/debian-12"})");
  }
  EXPECT_EQ(all.Ask("GET", Image("family/f")).Field("name"), "v2");
  EXPECT_EQ(all.Ask("POST", Image("v2/deprecate"), R"({"state":"DEPRECATED"})").status, 200);
  EXPECT_EQ(all.Ask("GET", Image("family/f")).Field("name"), "v1");
  EXPECT_EQ(all.Ask("POST", Image("v2/deprecate"), R"({"state":"ACTIVE"})").status, 200);
  EXPECT_EQ(all.Ask("GET", Image("family/f")).Field("name"), "v2");
  EXPECT_EQ(all.Ask("POST", Image("v1/deprecate"), R"({"state":"TIRED"})").status, 400);
}

TEST_F(ImagesTest, LabelsNeedTheFingerprintAndPatchKeepsWhatCannotChange) {
  all.Ask("POST", kImages,
          R"({"name":"i","sourceImage":"projects/debian-cloud/global/images/family/debian-12"})");
  EXPECT_EQ(
      all.Ask("POST", Image("i/setLabels"), R"({"labels":{"a":"b"},"labelFingerprint":"AAAA"})")
          .status,
      412);
  std::string print = all.Ask("GET", Image("i")).Field("labelFingerprint");
  EXPECT_EQ(all.Ask("POST", Image("i/setLabels"),
                    R"({"labels":{"a":"b"},"labelFingerprint":")" + print + "\"}")
                .status,
            200);
  EXPECT_TRUE(all.Ask("GET", Image("i")).Has(R"("labels":{"a":"b"})"));
  EXPECT_EQ(all.Ask("PATCH", Image("i"), R"({"family":"later"})").status, 200);
  EXPECT_EQ(all.Ask("GET", Image("family/later")).Field("name"), "i");
}

TEST_F(ImagesTest, PublicNamesStandForTheBaseUntilARealOneIsRegistered) {
  std::string list = "/compute/v1/projects/ubuntu-os-cloud/global/images";
  EXPECT_THAT(all.Ask("GET", list + "/family/ubuntu-1604-lts").body,
              HasSubstr("runs this machine's base image"));
  all.import = [](const std::string&, const std::string& directory) -> Result<ContainerConfig> {
    std::ofstream(directory + "/file") << "x";
    return ContainerConfig{};
  };
  ASSERT_EQ(
      all.Ask("POST", list,
              R"({"name":"real","family":"ubuntu-1604-lts","rawDisk":{"source":"gs://b/r.tar"}})")
          .status,
      200);
  all.Settle();
  EXPECT_EQ(all.Ask("GET", list + "/family/ubuntu-1604-lts").Field("name"), "real");
  EXPECT_TRUE(all.Ask("GET", list).Has("\"name\":\"real\""));
  EXPECT_TRUE(all.Ask("GET", list).Has("ubuntu-1804-lts-v"));
}

TEST_F(ImagesTest, AnImageThatTheBaseStandsForIsReported) {
  const std::string kUbuntu = "projects/ubuntu-os-cloud/global/images/family/ubuntu-1604-lts";
  const std::string kWarning =
      "Image family ubuntu-1604-lts of ubuntu-os-cloud is not available on this host; Debian 12 is "
      "used instead.";
  Reply image = all.Ask("POST", kImages, R"({"name":"i","sourceImage":")" + kUbuntu + "\"}");
  EXPECT_TRUE(image.Has(kWarning)) << image.body;
  Reply disk = all.Ask("POST", kDisks, R"({"name":"d","sourceImage":")" + kUbuntu + "\"}");
  EXPECT_TRUE(disk.Has(kWarning)) << disk.body;
  all.catalog.Read([&](Txn& txn) {
    EXPECT_THROW(ImageWarnings(txn, kUbuntu, "p", true), Failure);
    EXPECT_TRUE(
        ImageWarnings(txn, "projects/debian-cloud/global/images/family/debian-12", "p", true)
            .empty());
  });
}

TEST_F(ImagesTest, SourcesAreChecked) {
  struct Case {
    const char* body;
    int status;
  };
  for (const Case& one :
       std::vector<Case>{{R"({"name":"i"})", 400},
                         {R"({"name":"i","sourceImage":"a","sourceDisk":"b"})", 400},
                         {R"({"name":"I","sourceImage":"a"})", 400},
                         {R"({"name":"i","family":"-","sourceImage":"a"})", 400},
                         {R"({"name":"i","sourceImage":"nowhere"})", 404},
                         {R"({"name":"i","sourceDisk":"zones/us-east1-b/disks/nowhere"})", 404},
                         {R"({"name":"i","sourceSnapshot":"global/snapshots/s"})", 404},
                         {R"({"name":"i","rawDisk":{"source":"ftp://x/y"}})", 400},
                         {R"({"name":"i","rawDisk":{"source":"gs://bucket"}})", 400}}) {
    EXPECT_EQ(all.Ask("POST", kImages, one.body).status, one.status) << one.body;
  }
}

}  // namespace
}  // namespace fireweed::compute
