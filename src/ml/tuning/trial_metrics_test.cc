// Figures from event files and the hypertune file into the rows of trials, on a store that tells what was asked of it.
#include "ml/tuning/trial_metrics.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/sim_clock.h"
#include "catalog/memory_catalog.h"
#include "ml/tuning/event_follower.h"
#include "ml/tuning/metric_folder.h"
#include "records/event.h"

namespace fireweed::ml {
namespace {

class MemoryObjects final : public AccountObjects {
 public:
  Result<std::vector<ObjectSight>> List(const std::string& account, const std::string& bucket,
                                        const std::string& prefix) override {
    if (failure) return *failure;
    if (account != "sa@p" || bucket != "b") return Error{Code::kDenied, "", "denied to " + account};
    std::vector<ObjectSight> found;
    for (const auto& [name, object] : objects) {
      if (name.starts_with(prefix))
        found.push_back({name, object.first, static_cast<int64_t>(object.second.size())});
    }
    return found;
  }
  Result<> Read(const std::string&, const std::string&, const ObjectSight& object, int64_t offset,
                const Sink& sink) override {
    std::string_view bytes = std::string_view(objects[object.name].second);
    bytes.remove_prefix(static_cast<size_t>(offset));
    read += static_cast<int64_t>(bytes.size());
    sink(AsBytes(bytes));
    return Done{};
  }
  void Put(const std::string& name, const std::string& bytes) {
    objects[name] = {++generation, bytes};
  }

  std::map<std::string, std::pair<int64_t, std::string>> objects;
  std::optional<Error> failure;
  int64_t generation = 0, read = 0;
};

std::string EventRecord(int64_t step, double value, double wall, const std::string& tag = "acc") {
  std::string bytes;
  records::AppendRecord(bytes, records::EncodeEvent({wall, step, "", {{tag, value}}}));
  return bytes;
}

class EventFiles : public testing::Test {
 protected:
  MemoryObjects objects;
  EventFollower follower{objects, "sa@p", "gs://b/job/1", "acc"};

  std::vector<records::Measurement> Follow() {
    Result<> followed = follower.Follow();
    EXPECT_TRUE(followed.ok());
    return follower.Measurements();
  }
};
using Measurements = std::vector<records::Measurement>;

TEST_F(EventFiles, AreReadOnFromWhereTheyEnded) {
  std::string name = "job/1/eval/events.out.tfevents.1.host";
  std::string bytes = EventRecord(1, 0.5, 10) + EventRecord(1, 9, 10, "loss");
  objects.Put(name, bytes + EventRecord(2, 0.25, 20).substr(0, 7));
  objects.Put("job/1/model.ckpt", "no event file");
  objects.Put("job/10/events.out.tfevents.1.host", EventRecord(1, 0.125, 1));
  EXPECT_EQ(Follow(), (Measurements{{1, 0.5, 10}}));
  int64_t before = objects.read;
  EXPECT_EQ(Follow(), (Measurements{{1, 0.5, 10}}));
  EXPECT_EQ(objects.read, before);  // nothing new, nothing read
  bytes += EventRecord(2, 0.25, 20);
  objects.Put(name, bytes);
  EXPECT_EQ(Follow(), (Measurements{{1, 0.5, 10}, {2, 0.25, 20}}));
  EXPECT_EQ(objects.read - before, std::ssize(EventRecord(2, 0.25, 20)));
}

TEST_F(EventFiles, AFileThatBeganAgainIsReadAgain) {
  std::string name = "job/1/events.out.tfevents.1.host";
  objects.Put(name, EventRecord(1, 0.5, 10) + EventRecord(2, 0.5, 11));
  Follow();
  objects.Put(name, EventRecord(1, 0.75, 20));
  EXPECT_EQ(Follow(), (Measurements{{1, 0.75, 20}}));
  // Longer, but not by going on: tags of another length, so that the old end is within a record.
  objects.Put(name,
              EventRecord(1, 1, 30, "a longer tag than the other") + EventRecord(3, 0.125, 31));
  EXPECT_EQ(Follow(), (Measurements{{3, 0.125, 31}}));
}

TEST_F(EventFiles, DamageIsToldAndTheRestIsKept) {
  std::string bytes = EventRecord(1, 0.5, 10) + EventRecord(2, 0.5, 11);
  bytes[bytes.size() - 1] = static_cast<char>(bytes.back() ^ 1);
  objects.Put("job/1/events.out.tfevents.1.host", bytes);
  EXPECT_EQ(Follow(), (Measurements{{1, 0.5, 10}}));
  EXPECT_NE(follower.damage().find("gs://b/job/1/events"), std::string::npos);
}

class Trials : public testing::Test {
 protected:
  void SetUp() override {
    loop.Add(metrics);
    std::string path = (std::filesystem::temp_directory_path() / "fireweed-trials.XXXXXX").string();
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    root = path;
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  void Open(TrialRecord trial) {
    catalog.Write("test", [&](Txn& txn) { OpenTrial(txn, key, trial); });
  }
  bool Close() {
    return Update(catalog, "test", [&](Txn& txn) { return CloseTrial(txn, key); });
  }
  TrialRecord Row() {
    return Query(catalog, [&](Txn& txn) { return txn.Find<TrialRecord>(key); })->value;
  }
  // Until nothing is left but waiting.
  void Run() {
    do {
      loop.RunDue();
      while (pool.size() > 0) pool.Run(0);
      loop.RunDue();
    } while (pool.size() > 0);
  }

  const Key key = TrialKey("p", "j", "1");
  std::string root;
  SimClock clock;
  MemoryCatalog catalog;
  NullLogger logger;
  ControlLoop loop{catalog, clock, logger};
  QueuedActionPool pool{loop};
  MemoryObjects objects;
  std::vector<std::string> warnings;
  TrialMetrics metrics{catalog, pool, objects, clock,
                       [this](const Key&, const std::string& text) { warnings.push_back(text); }};
};

TEST_F(Trials, AreFilledInAndCompletedAfterTheClose) {
  Open({.account = "sa@p", .directory = "gs://b/job/1", .tag = "acc"});
  Run();
  EXPECT_TRUE(Row().metrics.empty());
  objects.Put("job/1/events.out.tfevents.1.host", EventRecord(10, 0.5, 1));
  Run();
  EXPECT_TRUE(Row().metrics.empty());  // not before the interval is over
  clock.Advance(TrialMetrics::kInterval);
  Run();
  ASSERT_EQ(Row().metrics.size(), 1u);
  objects.Put("job/1/events.out.tfevents.2.host", EventRecord(20, 0.75, 2));
  EXPECT_FALSE(Close());
  Run();
  EXPECT_TRUE(Close());
  EXPECT_EQ(Row().final_metric->objectiveValue, 0.75);
  EXPECT_EQ(Row().final_metric->trainingStep, 20);
  EXPECT_EQ(Row().warning, "");
  EXPECT_TRUE(warnings.empty());
  api::ml::HyperparameterOutput shown;
  catalog.Write("test", [&](Txn& txn) { ShowMetrics(txn, key, shown); });
  EXPECT_EQ(shown.allMetrics.size(), 2u);
}

TEST_F(Trials, TheHypertuneFileIsReadAndItsFolderRemoved) {
  std::string folder = MetricFolder(root, "p", "j", "1");
  ASSERT_TRUE(MakeMetricFolder(folder).ok());
  Open({.account = "sa@p", .folder = folder, .tag = "acc"});
  std::ofstream(MetricFile(folder)) << R"({"acc": "0.5", "global_step": "1", "timestamp": 1})"
                                    << "\n";
  Run();
  EXPECT_EQ(Row().metrics.size(), 1u);
  std::ofstream(MetricFile(folder)) << R"({"acc": "0.9", "global_step": "2", "timestamp": 2})"
                                    << "\n";
  Close();
  Run();
  EXPECT_EQ(Row().metrics.size(), 2u);  // the first report is gone from the file, not from the row
  EXPECT_EQ(Row().final_metric->objectiveValue, 0.9);
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_EQ(Row().folder, "");
}

// A job may end the moment its last trial is complete: before the folder is gone.
TEST_F(Trials, AJobThatEndsTakesFoldersAlong) {
  std::string folder = MetricFolder(root, "p", "j", "1");
  ASSERT_TRUE(MakeMetricFolder(folder).ok());
  Open({.account = "sa@p", .folder = folder, .tag = "acc"});
  catalog.Write("test", [&](Txn& txn) { RemoveTrials(txn, "p", "j"); });
  Run();
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_FALSE(Query(catalog, [&](Txn& txn) { return txn.Find<TrialRecord>(key); }));
}

TEST_F(Trials, NoLinkLeadsOutOfTheFolder) {
  std::string folder = MetricFolder(root, "p", "j", "1");
  ASSERT_TRUE(MakeMetricFolder(folder).ok());
  std::ofstream(root + "/secret") << "secret";
  std::filesystem::create_symlink(root + "/secret", MetricFile(folder));
  EXPECT_FALSE(ReadMetricFile(folder).ok());
  std::filesystem::remove(MetricFile(folder));
  ASSERT_EQ(mkfifo(MetricFile(folder).c_str(), 0600), 0);
  EXPECT_FALSE(ReadMetricFile(folder).ok());
  std::filesystem::remove(MetricFile(folder));
  EXPECT_EQ(ReadMetricFile(folder).value(), "");
  EXPECT_TRUE(std::filesystem::exists(root + "/secret"));
}

TEST_F(Trials, AStoreThatRefusesEndsInAWarning) {
  Open({.account = "other@p", .directory = "gs://b/job/1", .tag = "acc"});
  Close();
  Run();
  EXPECT_TRUE(Row().complete);
  EXPECT_NE(Row().warning.find("denied to other@p"), std::string::npos);
  ASSERT_EQ(warnings.size(), 2u);  // and that there is no value
  EXPECT_EQ(warnings[0], Row().warning);
  EXPECT_NE(warnings[1].find("\"acc\""), std::string::npos);
}

TEST_F(Trials, AStoreThatIsAwayIsAskedAgainAFewTimes) {
  Open({.account = "sa@p", .directory = "gs://b/job/1", .tag = "acc"});
  objects.failure = Error{Code::kUnavailable, "", "away"};
  objects.Put("job/1/events.out.tfevents.1.host", EventRecord(10, 0.5, 1));
  Close();
  Run();
  EXPECT_FALSE(Row().complete);
  objects.failure.reset();
  for (int i = 0; i < 100 && !Row().complete; ++i) {
    clock.Advance(std::chrono::seconds(10));
    Run();
  }
  EXPECT_EQ(Row().final_metric->objectiveValue, 0.5);
}

TEST_F(Trials, AStoreThatStaysAwayDoesNotHoldTheTrialForever) {
  Open({.account = "sa@p", .directory = "gs://b/job/1", .tag = "acc"});
  objects.failure = Error{Code::kUnavailable, "", "away"};
  Close();
  for (int i = 0; i < 100 && !Row().complete; ++i) {
    clock.Advance(std::chrono::minutes(1));
    Run();
  }
  EXPECT_TRUE(Row().complete);
  EXPECT_NE(Row().warning.find("away"), std::string::npos);
}

}  // namespace
}  // namespace fireweed::ml
