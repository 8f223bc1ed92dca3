#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/sim_clock.h"
#include "catalog/memory_catalog.h"
#include "control/action_pool.h"
#include "describe/json_tree.h"
#include "identity/projects.h"
#include "ml/models/backend_call.h"
#include "ml/models/batch_controller.h"
#include "ml/models/batch_shard.h"
#include "records/record_io.h"

namespace fireweed::ml {
namespace {

using api::ml::DataFormat;
using api::ml::JobState;

// All instances of a file that comes in pieces of `size` bytes.
std::vector<BatchInstance> ReadAll(std::string_view file, DataFormat format, size_t size) {
  InstanceReader reader(format);
  std::vector<BatchInstance> all;
  auto take = [&](std::vector<BatchInstance> some) {
    all.insert(all.end(), std::make_move_iterator(some.begin()),
               std::make_move_iterator(some.end()));
  };
  for (; !file.empty(); file.remove_prefix(std::min(size, file.size()))) {
    take(reader.Feed(file.substr(0, size)));
  }
  take(reader.End());
  return all;
}

TEST(BatchInput, TakesLinesWhereverTheyAreCut) {
  for (size_t size : {1, 5, 100}) {
    std::vector<BatchInstance> lines =
        ReadAll("{\"a\": 1}\n\nnot json\n[1,2]", DataFormat::kJson, size);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0].json, "{\"a\":1}");
    EXPECT_TRUE(lines[1].json.empty());
    EXPECT_FALSE(lines[1].error.empty());
    EXPECT_EQ(lines[2].json, "[1,2]");
    EXPECT_EQ(ReadAll("not json", DataFormat::kText, size).at(0).json, "\"not json\"");
  }
}

// Python's gzip.compress of what TwoRecords gives.
std::string PackedRecords() {
  return *Base64Decode("H4sIAAAAAAACA2NmgIANMz35EpOS88I/KkJFGDSZZ7DfeNW0CAAjSrTtIwAAAA==");
}

std::string TwoRecords() {
  std::string file;
  records::AppendRecord(file, "abc");
  records::AppendRecord(file, "");
  return file;
}

TEST(BatchInput, TakesRecordsPlainAndPacked) {
  for (size_t size : {1, 7, 1000}) {
    for (DataFormat format : {DataFormat::kTfRecord, DataFormat::kTfRecordGzip}) {
      std::string file = format == DataFormat::kTfRecord ? TwoRecords() : PackedRecords();
      std::vector<BatchInstance> records = ReadAll(file, format, size);
      ASSERT_EQ(records.size(), 2u);
      EXPECT_EQ(records[0].json, "{\"b64\":\"" + Base64Encode("abc") + "\"}");
      EXPECT_EQ(records[1].json, "{\"b64\":\"\"}");
      EXPECT_THROW(ReadAll(file.substr(0, file.size() - 3), format, size), Failure);
      EXPECT_TRUE(ReadAll("", format, size).empty());
    }
  }
}

TEST(BatchInput, RefusesDamagedRecords) {
  std::string file = TwoRecords();
  for (size_t at : {0, 9, 13, 16}) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_THROW(ReadAll(damaged, DataFormat::kTfRecord, 8), Failure) << at;
  }
  EXPECT_THROW(ReadAll(file, DataFormat::kTfRecordGzip, 8), Failure);
}

TEST(ShardPredictor, OneBadInstanceSpoilsNoOther) {
  api::ml::PredictionInput input{.dataFormat = DataFormat::kJson};
  int asked = 0;
  ShardPredictor predictor(input, {.size = 4}, [&](const std::string& body) -> Result<std::string> {
    ++asked;
    if (body.find("\"bad\"") != std::string::npos) return std::string(R"({"error":"no number"})");
    JsonTree answer = JsonTree::Object();
    answer["predictions"] = *JsonTree::Parse(body).Find("instances");
    return answer.Compact();
  });
  predictor.Feed("1\n2\n\"bad\"\n4\n5\n");
  predictor.End();
  EXPECT_EQ(predictor.results(), "1\n2\n4\n5\n");
  EXPECT_EQ(predictor.predictions(), 4);
  EXPECT_EQ(predictor.errors().Text(), "('\"bad\"', 'no number', 1)\n");
  EXPECT_EQ(asked, 6);
}

TEST(ShardPredictor, LargeInstancesMakeSmallBatches) {
  api::ml::PredictionInput input{.dataFormat = DataFormat::kText};
  size_t largest = 0;
  ShardPredictor predictor(
      input, {.size = 64}, [&](const std::string& body) -> Result<std::string> {
        largest = std::max(largest, body.size());
        JsonTree request = JsonTree::Parse(body), answer = JsonTree::Object();
        for (size_t left = request["instances"].items().size(); left > 0; --left) {
          answer["predictions"].Append(JsonTree::Parse("1"));
        }
        return answer.Compact();
      });
  constexpr size_t kLarge = kMostBatchBytes / 10;
  for (int i = 0; i < 32; ++i) predictor.Feed(std::string(kLarge, 'x') + "\n");
  predictor.Feed(std::string(2 * kMostBatchBytes, 'y') + "\n");  // alone, for the process to judge
  predictor.End();
  EXPECT_EQ(predictor.predictions(), 33);
  EXPECT_GT(largest, 2 * kMostBatchBytes);
  EXPECT_LT(largest, 2 * kMostBatchBytes + kLarge);
}

TEST(BatchInput, NamesAndPaths) {
  EXPECT_EQ(ShardName("results", 2, 10), "prediction.results-00002-of-00010");
  EXPECT_TRUE(MatchesPath("in/*.json", "in/a.json"));
  EXPECT_FALSE(MatchesPath("in/*.json", "in/b/a.json"));
  EXPECT_TRUE(MatchesPath("in/**", "in/b/a.json"));
  EXPECT_TRUE(MatchesPath("in/a?.json", "in/a1.json"));
  EXPECT_FALSE(MatchesPath("in/a?.json", "in/a.json"));
  BatchErrors errors;
  errors.Add("x'y", "bad");
  errors.Add("z", "bad");
  EXPECT_EQ(errors.Text(), "('x\\'y', 'bad', 2)\n");
}

class Batch : public testing::Test {
 protected:
  Batch() { Restart(); }
  void Restart() {
    controller_.reset();
    pool_.reset();
    loop_ = std::make_unique<ControlLoop>(catalog_, clock_, log_);
    pool_ = std::make_unique<QueuedActionPool>(*loop_);
    controller_ = std::make_unique<BatchController>(catalog_, *pool_, World(), ids_, clock_, log_);
    loop_->Add(*controller_);
    loop_->WakeAll();
  }
  BatchWorld World() {
    BatchWorld world;
    world.may = [this](const std::string& account, std::string_view permission,
                       const std::string& resource) {
      return !denied_.contains(account + " " + std::string(permission) + " " + resource);
    };
    world.list = [this](const std::string&, const std::string& bucket,
                        const std::string& prefix) -> Result<std::vector<BatchFile>> {
      std::vector<BatchFile> found;
      for (const auto& [name, bytes] : files_) {
        if (name.starts_with(prefix)) found.push_back({bucket, name, 1, std::ssize(bytes)});
      }
      return found;
    };
    world.read = [this](const std::string&, const BatchFile& file, const auto& sink) -> Result<> {
      ++reads_[file.name];
      std::string_view rest = files_[file.name];
      for (; !rest.empty(); rest.remove_prefix(std::min<size_t>(5, rest.size()))) {
        sink(rest.substr(0, 5));
      }
      return Done{};
    };
    world.write = [this](const std::string&, const std::string& bucket, const std::string& name,
                         const std::string& bytes) -> Result<> {
      written_[bucket + "/" + name] = bytes;
      return Done{};
    };
    world.predict = [this](const Key& version, const std::string& body) -> Result<std::string> {
      if (trouble_) return *trouble_;
      if (body.find("\"kills\"") != body.npos && ++killed_ <= kills_) {
        return Error{Code::kUnavailable, std::string(kRefused), "the worker ended"};
      }
      if (on_predict_) on_predict_();
      asked_ = version;
      JsonTree answer = JsonTree::Object();
      answer["predictions"] = JsonTree::Parse(body)["instances"];
      return answer.Compact();
    };
    return world;
  }
  void Submit(const std::string& version = "projects/p/models/m/versions/v") {
    JobRecord job{.project = "p", .account = "robot@p"};
    job.job.jobId = "j";
    job.job.state = JobState::kQueued;
    job.job.predictionInput = api::ml::PredictionInput{.versionName = version,
                                                       .dataFormat = DataFormat::kJson,
                                                       .inputPaths = {"gs://b/in/*"},
                                                       .outputPath = "gs://b/out",
                                                       .batchSize = 2};
    VersionRecord v{.project = "p", .model = "m", .name = "v"};
    ModelRecord m{.project = "p", .name = "m", .default_version = "v"};
    catalog_.Write("test", [&](Txn& txn) {
      txn.Put(v.key(), v);
      txn.Put(m.key(), m);
      txn.Put(job.key(), job);
    });
  }
  void Settle() {
    for (int i = 0; i < 100; ++i) {
      loop_->RunDue();
      if (pool_->size() == 0) return;
      pool_->Run(0);
    }
    FAIL() << "does not come to rest";
  }
  void CallOff() {
    catalog_.Write("test", [](Txn& txn) {
      auto row = txn.Find<JobRecord>("p/j");
      row->value.cancel = true;
      row->value.job.state = JobState::kCancelling;
      txn.Put("p/j", row->value);
    });
  }
  api::ml::Job Job() {
    return Query(catalog_, [](Txn& txn) { return txn.Find<JobRecord>("p/j")->value.job; });
  }

  SimClock clock_;
  SeededRandom random_{3};
  NullLogger log_;
  MemoryCatalog catalog_;
  IdSource ids_{clock_, random_};
  std::map<std::string, std::string> files_, written_;
  std::map<std::string, int> reads_;
  std::optional<Error> trouble_;
  std::set<std::string> denied_;  // "ACCOUNT PERMISSION RESOURCE"
  int kills_ = 0, killed_ = 0;    // how often an instance "kills" its process, and did
  std::function<void()> on_predict_;
  Key asked_;
  std::unique_ptr<ControlLoop> loop_;
  std::unique_ptr<QueuedActionPool> pool_;
  std::unique_ptr<BatchController> controller_;
};

TEST_F(Batch, PredictsEveryFileAndCounts) {
  files_ = {{"in/a", "[1]\n[2]\n[3]\n"}, {"in/b", "bad\n[4]"}, {"other", "[9]\n"}};
  Submit();
  Settle();
  api::ml::Job job = Job();
  EXPECT_EQ(job.state, JobState::kSucceeded) << job.errorMessage;
  EXPECT_EQ(job.predictionOutput->predictionCount, 4);
  EXPECT_EQ(job.predictionOutput->errorCount, 1);
  EXPECT_EQ(written_["b/out/prediction.results-00000-of-00002"], "[1]\n[2]\n[3]\n");
  EXPECT_EQ(written_["b/out/prediction.results-00001-of-00002"], "[4]\n");
  EXPECT_NE(written_["b/out/prediction.errors_stats-00001-of-00002"].find("'bad'"),
            std::string::npos);
  EXPECT_EQ(asked_, "p/m/v");
}

TEST_F(Batch, GoesOnAfterARestartWithWhatIsLeft) {
  files_ = {{"in/a", "[1]\n"}, {"in/b", "[2]\n"}};
  Submit();
  loop_->RunDue();
  pool_->Run(0);  // prepare
  loop_->RunDue();
  pool_->Run(0);  // the first shard
  Restart();
  Settle();
  EXPECT_EQ(Job().state, JobState::kSucceeded);
  EXPECT_EQ(reads_["in/a"], 1);
  EXPECT_EQ(reads_["in/b"], 1);
}

TEST_F(Batch, TriesAgainAndThenGivesUp) {
  files_ = {{"in/a", "[1]\n"}};
  trouble_ = Error{Code::kUnavailable, "", "not now"};
  Submit();
  Settle();
  EXPECT_EQ(Job().state, JobState::kRunning);
  for (int i = 0; i < 10; ++i) {
    clock_.JumpTo(clock_.Now() + std::chrono::minutes(2));
    Settle();
  }
  EXPECT_EQ(Job().state, JobState::kFailed);
  EXPECT_NE(Job().errorMessage.find("not now"), std::string::npos);
}

TEST_F(Batch, AProcessThatBreaksIsAskedAgain) {
  files_ = {{"in/a", "[1]\n\"kills\"\n[3]\n"}};
  kills_ = 3;
  Submit();
  for (int i = 0; i < 10; ++i) {
    Settle();
    clock_.JumpTo(clock_.Now() + std::chrono::minutes(2));
  }
  EXPECT_EQ(Job().state, JobState::kSucceeded) << Job().errorMessage;
  EXPECT_EQ(Job().predictionOutput->predictionCount, 3);
  EXPECT_EQ(Job().predictionOutput->errorCount, 0);
}

TEST_F(Batch, AnInstanceThatAlwaysBreaksItsProcessSpoilsNoOther) {
  files_ = {{"in/a", "[1]\n\"kills\"\n[3]\n"}};
  kills_ = 1000;
  Submit();
  for (int i = 0; i < 10; ++i) {
    Settle();
    clock_.JumpTo(clock_.Now() + std::chrono::minutes(2));
  }
  EXPECT_EQ(Job().state, JobState::kSucceeded) << Job().errorMessage;
  EXPECT_EQ(Job().predictionOutput->predictionCount, 2);
  EXPECT_EQ(written_["b/out/prediction.errors_stats-00000-of-00001"],
            "('\"kills\"', 'the worker ended', 1)\n");
}

TEST_F(Batch, SaysWhatIsMissing) {
  Submit();
  Settle();
  EXPECT_EQ(Job().state, JobState::kFailed);
  EXPECT_NE(Job().errorMessage.find("No input file"), std::string::npos);
}

TEST_F(Batch, AsksNoModelThatItsAccountMayNotAsk) {
  files_ = {{"in/a", "[1]\n"}};
  denied_ = {"robot@p ml.versions.predict projects/p/models/m"};
  Submit();
  Settle();
  EXPECT_EQ(Job().state, JobState::kFailed);
  EXPECT_NE(Job().errorMessage.find("ml.versions.predict"), std::string::npos);
  EXPECT_NE(Job().errorMessage.find("robot@p"), std::string::npos);
  EXPECT_EQ(asked_, "");
}

TEST_F(Batch, EndsWhenItIsCalledOff) {
  files_ = {{"in/a", "[1]\n"}};
  trouble_ = Error{Code::kUnavailable, "", "not now"};
  Submit("projects/p/models/m");
  Settle();
  CallOff();
  Settle();
  EXPECT_EQ(Job().state, JobState::kCancelled);
}

TEST_F(Batch, WritesNothingAfterItsEnd) {
  files_ = {{"in/a", "[1]\n[2]\n[3]\n"}};
  int asked = 0;
  on_predict_ = [&] {
    ++asked;
    CallOff();
    loop_->RunDue();
    EXPECT_EQ(Job().state, JobState::kCancelling);  // a shard is under way
  };
  Submit();
  Settle();
  EXPECT_EQ(Job().state, JobState::kCancelled);
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(written_.empty());
}

}  // namespace
}  // namespace fireweed::ml
