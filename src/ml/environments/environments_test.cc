// Environments without machines: the test is the builder.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sim_clock.h"
#include "catalog/memory_catalog.h"
#include "compute/records.h"
#include "ml/environments/environment_controller.h"
#include "ml/job_record.h"

namespace fireweed::ml {
namespace {

namespace fs = std::filesystem;
using compute::InstanceRecord;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kTable = R"(
runtimes:
- versions: ["1.15", "1.14"]
  python: ["2.7", "3.7"]
  requirements: [framework==2.15]
  shims: [old, older]
- versions: ["light"]
)";

TEST(RuntimeTable, LaterRowsWin) {
  RuntimeTable table = ParseRuntimes(kTable);
  ASSERT_TRUE(table.Find("1.14"));
  EXPECT_THAT(table.Find("1.14")->requirements, ElementsAre("framework==2.15"));
  EXPECT_EQ(table.Find("3.0"), nullptr);
  EXPECT_THAT(table.Find("")->requirements, IsEmpty());
  table.runtimes.push_back({.versions = {"1.14"}});
  EXPECT_THAT(table.Find("1.14")->requirements, IsEmpty());
  EXPECT_THAT(table.Versions(), ElementsAre("1.15", "1.14", "light"));
  EXPECT_THROW(ParseRuntimes("runtimes: [{version: 1}]"), Failure);
}

class FakePackages final : public PackageStore {
 public:
  Result<PackageSight> Find(const std::string& uri, const std::string& account) override {
    if (account != "reader@p") return Error{Code::kDenied, "", account + " does not have access"};
    auto found = bytes.find(uri);
    if (found == bytes.end()) return Error{Code::kNotFound, "", "No such object: " + uri};
    return PackageSight{1, found->second};
  }
  Result<> Copy(const std::string& uri, int64_t, const std::string&,
                const std::string& path) override {
    std::ofstream(path) << bytes[uri];
    return Done{};
  }
  std::map<std::string, std::string> bytes{{"gs://b/t-1.tar.gz", "one"}};
};

class EnvironmentsTest : public ::testing::Test {
 protected:
  EnvironmentsTest() : root_(::testing::TempDir() + "environments-" + std::to_string(getpid())) {
    fs::remove_all(root_);
    loop_.Add(controller_);
    controller_.OnChanged([this](const Key& key) { told_.push_back(key); });
  }
  ~EnvironmentsTest() override { fs::remove_all(root_); }

  EnvironmentWish Wish(const std::string& runtime = "") {
    return {.project = "p",
            .runtime_version = runtime,
            .package_uris = {"gs://b/t-1.tar.gz"},
            .account = "reader@p"};
  }
  // Runs everything that is due; actions in the order they came.
  void Settle() {
    loop_.RunDue();
    while (pool_.size() > 0) {
      pool_.Run(0);
      loop_.RunDue();
    }
  }
  std::vector<InstanceRecord> Builders() {
    std::vector<InstanceRecord> builders;
    for (auto& row : Query(catalog_, [](Txn& t) { return t.Scan<InstanceRecord>({}); })) {
      if (row.value.want != compute::InstanceWant::kGone) builders.push_back(row.value);
    }
    return builders;
  }
  // The one builder there is ends like this, having left this behind.
  void Build(const std::string& result, int code, const std::string& asked_by = "WORKLOAD") {
    std::vector<InstanceRecord> builders = Builders();
    ASSERT_THAT(builders, SizeIs(1));
    InstanceRecord builder = builders[0];
    std::string target;
    for (const compute::Mount& mount : builder.workload->mounts) {
      if (mount.writable) target = mount.path;
    }
    EXPECT_TRUE(fs::exists(target + "/upper/order.json"));
    if (!result.empty()) std::ofstream(target + "/upper/result.json") << result;
    builder.last_exit = compute::LastExit{.boot = 1, .code = code, .asked_by = asked_by};
    builder.seen = compute::MachineSeen::kStopped;
    catalog_.Write("test", [&](Txn& txn) { txn.Put(builder.key(), builder); });
    Settle();
  }
  EnvironmentReady Ready() {
    controller_.Ask(Wish());
    Settle();
    Build(kGood, 0);
    return std::get<EnvironmentReady>(controller_.Ask(Wish()));
  }
  static constexpr const char* kGood = R"({"warnings":["w"],"error":""})";

  const std::string root_;
  SimClock clock_;
  SeededRandom random_{1};
  IdSource ids_{clock_, random_};
  NullLogger log_;
  MemoryCatalog catalog_;
  ControlLoop loop_{catalog_, clock_, log_};
  QueuedActionPool pool_{loop_};
  compute::Catalogue catalogue_{{.cpus = 4, .memory_mb = 8192}};
  FakePackages packages_;
  EnvironmentPlace place_{
      {root_ + "/sets", root_ + "/runtimes", root_ + "/scripts", "d1", root_ + "/python"}};
  EnvironmentController controller_{
      {catalog_, loop_, pool_, catalogue_, packages_, ids_, clock_, log_},
      place_,
      {.runtimes = ParseRuntimes(kTable)}};
  std::vector<Key> told_;
};

TEST_F(EnvironmentsTest, IsBuiltOnceAndSharedByAll) {
  EnvironmentAnswer first = controller_.Ask(Wish());
  ASSERT_TRUE(std::holds_alternative<EnvironmentBuilding>(first));
  Settle();
  EXPECT_TRUE(std::holds_alternative<EnvironmentBuilding>(controller_.Ask(Wish())));
  Settle();
  Build(kGood, 0);
  EXPECT_THAT(Builders(), IsEmpty());
  EXPECT_THAT(told_, Contains(std::get<EnvironmentBuilding>(first).key));
  EnvironmentAnswer answer = controller_.Ask(Wish());
  ASSERT_TRUE(std::holds_alternative<EnvironmentReady>(answer));
  EnvironmentReady ready = std::get<EnvironmentReady>(answer);
  EXPECT_EQ(ready.interpreter, root_ + "/sets/" + ready.key + "/upper/venv/bin/python");
  EXPECT_THAT(ready.warnings, ElementsAre("w"));
  // The same bytes under another name of the directory are the same set; other bytes are not.
  packages_.bytes["gs://other/x/t-1.tar.gz"] = "one";
  EnvironmentWish again = Wish();
  again.package_uris = {"gs://other/x/t-1.tar.gz"};
  EXPECT_TRUE(std::holds_alternative<EnvironmentReady>(controller_.Ask(again)));
  packages_.bytes["gs://other/x/t-1.tar.gz"] = "two";
  EXPECT_TRUE(std::holds_alternative<EnvironmentBuilding>(controller_.Ask(again)));
}

TEST_F(EnvironmentsTest, ARuntimeIsBuiltFirstAndBelow) {
  EnvironmentAnswer first = controller_.Ask(Wish("1.15"));
  ASSERT_TRUE(std::holds_alternative<EnvironmentBuilding>(first));
  Settle();
  ASSERT_THAT(Builders(), SizeIs(1));
  EXPECT_THAT(Builders()[0].resource.name, HasSubstr("runtime-"));
  Build(kGood, 0);
  ASSERT_THAT(Builders(), SizeIs(1));
  EXPECT_THAT(Builders()[0].resource.name, HasSubstr("packages-"));
  Build(kGood, 0);
  EnvironmentWish wish = Wish("1.14");  // the same row
  wish.python_version = "2.7";
  EnvironmentAnswer answer = controller_.Ask(wish);
  ASSERT_TRUE(std::holds_alternative<EnvironmentReady>(answer));
  EnvironmentReady ready = std::get<EnvironmentReady>(answer);
  EXPECT_THAT(ready.mounts, SizeIs(3));
  EXPECT_EQ(fs::read_symlink(root_ + "/python"), ready.mounts[1].path + "/upper/venv/bin/python");
  EXPECT_EQ(ready.environment["FIREWEED_SHIMS"], "old,older");
  EXPECT_THAT(ready.warnings, Contains(HasSubstr("Python 2.7 was asked for; Python 3.11")));
  EXPECT_THAT(PythonCommand(ready, "trainer.task", {"--a", "b"}),
              ElementsAre(ready.interpreter, "-m", "trainer.task", "--a", "b"));
}

TEST_F(EnvironmentsTest, PipsOwnWordsAreTheAnswer) {
  controller_.Ask(Wish());
  Settle();
  Build(R"({"warnings":[],"error":"ERROR: No matching distribution found for nosuch==1"})", 1);
  EnvironmentAnswer answer = controller_.Ask(Wish());
  ASSERT_TRUE(std::holds_alternative<EnvironmentFailed>(answer));
  EXPECT_EQ(std::get<EnvironmentFailed>(answer).message,
            "ERROR: No matching distribution found for nosuch==1");
  // Later it is tried again: an index may be back.
  clock_.JumpTo(clock_.Now() + std::chrono::minutes(2));
  EXPECT_TRUE(std::holds_alternative<EnvironmentBuilding>(controller_.Ask(Wish())));
}

TEST_F(EnvironmentsTest, ALostBuilderIsReplacedAFewTimes) {
  controller_.Ask(Wish());
  Settle();
  for (int i = 1; i < EnvironmentController::kMostAttempts; ++i) {
    Build("", 137, "LOST");
    EXPECT_TRUE(std::holds_alternative<EnvironmentBuilding>(controller_.Ask(Wish())));
  }
  Build("", 137, "LOST");
  EXPECT_TRUE(std::holds_alternative<EnvironmentFailed>(controller_.Ask(Wish())));
  EXPECT_THAT(Builders(), IsEmpty());
}

TEST_F(EnvironmentsTest, WhatTheAccountMayNotReadIsRefused) {
  EnvironmentWish wish = Wish();
  wish.account = "stranger@p";
  EnvironmentAnswer answer = controller_.Ask(wish);
  ASSERT_TRUE(std::holds_alternative<EnvironmentFailed>(answer));
  EXPECT_THAT(std::get<EnvironmentFailed>(answer).message, HasSubstr("does not have access"));
  wish = Wish("9.9");
  EXPECT_THAT(std::get<EnvironmentFailed>(controller_.Ask(wish)).message,
              HasSubstr("Runtime version 9.9 is not supported. Supported are: 1.15, 1.14, light."));
}

TEST_F(EnvironmentsTest, ABuildersLinkIsNotFollowed) {
  controller_.Ask(Wish());
  Settle();
  std::ofstream(root_ + "/secret") << kGood;
  std::string target = Builders()[0].workload->mounts[1].path;
  fs::create_symlink(root_ + "/secret", target + "/upper/result.json");
  Build("", 0);
  EXPECT_TRUE(std::holds_alternative<EnvironmentFailed>(controller_.Ask(Wish())));
}

TEST_F(EnvironmentsTest, WhatNobodyAsksForGoes) {
  Key key = Ready().key;
  controller_.Sweep();
  EXPECT_TRUE(fs::exists(root_ + "/sets/" + key + "/ready"));
  clock_.JumpTo(clock_.Now() + std::chrono::hours(24 * 31));
  controller_.Sweep();
  EXPECT_FALSE(fs::exists(root_ + "/sets/" + key));
  EXPECT_TRUE(std::holds_alternative<EnvironmentBuilding>(controller_.Ask(Wish())));
}

// Its replicas may be down for a moment, or its next trial not yet there.
TEST_F(EnvironmentsTest, WhatAJobWasPreparedWithStaysUntilTheJobHasEnded) {
  EnvironmentReady ready = Ready();
  JobRecord job{.project = "p"};
  job.job.jobId = "j";
  job.prepared = PreparedEnvironment{.mounts = ready.mounts};
  catalog_.Write("test", [&](Txn& txn) {
    txn.Put(job.key(), job);
    txn.Put(job.key(), ActiveJob{});
  });
  clock_.JumpTo(clock_.Now() + std::chrono::hours(24 * 31));
  controller_.Sweep();
  EXPECT_TRUE(fs::exists(ready.mounts[0].path + "/ready"));
  catalog_.Write("test", [&](Txn& txn) { txn.Erase<ActiveJob>(job.key()); });
  controller_.Sweep();
  EXPECT_FALSE(fs::exists(ready.mounts[0].path));
}

// Whoever has just had the answer has not stored it yet.
TEST_F(EnvironmentsTest, WhatWasAskedForLatelyStaysHoweverLargeItIs) {
  EnvironmentReady ready = Ready();
  EnvironmentController full{{catalog_, loop_, pool_, catalogue_, packages_, ids_, clock_, log_},
                             place_,
                             {.runtimes = ParseRuntimes(kTable), .most_bytes = -1}};
  clock_.JumpTo(clock_.Now() + std::chrono::minutes(59));
  ASSERT_TRUE(std::holds_alternative<EnvironmentReady>(full.Ask(Wish())));
  clock_.JumpTo(clock_.Now() + std::chrono::minutes(59));
  full.Sweep();
  EXPECT_TRUE(fs::exists(ready.mounts[0].path + "/ready"));
  clock_.JumpTo(clock_.Now() + std::chrono::minutes(5));
  full.Sweep();
  EXPECT_FALSE(fs::exists(ready.mounts[0].path));
}

// Otherwise a new one could be built, or a shared one be found, where the old one is about to be removed.
TEST_F(EnvironmentsTest, ADirectoryGoesBeforeItsRow) {
  std::string path = Ready().mounts[0].path;
  int commits = 0;
  catalog_.OnCommit([&](std::string_view kind, const Key&) {
    EXPECT_EQ(kind, kEnvironmentKind);
    EXPECT_FALSE(fs::exists(path));
    ++commits;
  });
  clock_.JumpTo(clock_.Now() + std::chrono::hours(24 * 31));
  controller_.Sweep();
  EXPECT_EQ(commits, 1);
  EXPECT_TRUE(fs::is_empty(root_ + "/sets"));
}

TEST_F(EnvironmentsTest, AProgramsArchiveIsATree) {
  EnvironmentWish wish = Wish();
  wish.python = false;
  controller_.Ask(wish);
  Settle();
  Build(R"({"warnings":[],"error":""})", 0);
  EnvironmentReady ready = std::get<EnvironmentReady>(controller_.Ask(wish));
  EXPECT_EQ(ready.interpreter, "");
  EXPECT_EQ(ready.tree, root_ + "/sets/" + ready.key + "/upper/tree");
}

}  // namespace
}  // namespace fireweed::ml
