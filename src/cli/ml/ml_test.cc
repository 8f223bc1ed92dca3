// Jobs from flags and files, packages from sources, entries as lines: each case a line.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/process.h"
#include "cli/compute/compute_commands.h"
#include "cli/format/key_path.h"
#include "cli/grammar.h"
#include "cli/ml/batch_flags.h"
#include "cli/ml/job_flags.h"
#include "cli/ml/log_follower.h"
#include "cli/ml/log_lines.h"
#include "cli/ml/ml_commands.h"
#include "cli/ml/package_build.h"
#include "describe/json_codec.h"

namespace fireweed::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

JobFlags Parse(Words words) {
  JobFlags flags;
  Command app;
  flags.AddTo(app);
  EXPECT_EQ(app.Run(std::move(words)), 0);
  return flags;
}

std::string Input(const Words& words, std::string_view config = "{}", const Words& packages = {}) {
  api::ml::Job job = MakeJob(Parse(words), JobFromConfig(config), packages);
  return EncodeJson(*job.trainingInput);
}

TEST(JobFlags, BecomeATrainingInput) {
  EXPECT_EQ(Input({"j", "--module-name", "t.task", "--scale-tier=basic-gpu", "--region=r",
                   "--runtime-version", "1.15", "--", "--epochs=3", "x"},
                  "{}", {"gs://b/p.tar.gz"}),
            R"({"scaleTier":"BASIC_GPU","packageUris":["gs://b/p.tar.gz"],"pythonModule":"t.task",)"
            R"("args":["--epochs=3","x"],"region":"r","runtimeVersion":"1.15"})");
  EXPECT_EQ(
      Input({"j", "--scale-tier", "CUSTOM", "--master-machine-type=n1-standard-8",
             "--master-accelerator=count=2,type=nvidia-tesla-t4", "--worker-count=2",
             "--worker-machine-type=n1-highmem-2", "--worker-image-uri=i"}),
      R"({"scaleTier":"CUSTOM","masterType":"n1-standard-8","masterConfig":{"acceleratorConfig":)"
      R"({"count":"2","type":"NVIDIA_TESLA_T4"}},"workerType":"n1-highmem-2",)"
      R"("workerConfig":{"imageUri":"i"},"workerCount":"2"})");
  EXPECT_EQ(Input({"j", "--command", "./prog", "--package-path", ".", "--", "-v"}),
            R"({"scaleTier":"BASIC","args":["-v"],"command":["./prog"]})");
}

TEST(JobFlags, WinOverTheFile) {
  std::string_view config =
      "labels: {a: b, c: d}\n"
      "trainingInput:\n"
      "  scaleTier: STANDARD_1\n"
      "  region: here\n"
      "  hyperparameters:\n"
      "    goal: MAXIMIZE\n"
      "    maxTrials: 4\n"
      "    params:\n"
      "    - {parameterName: lr, type: DOUBLE, minValue: 0.0001, maxValue: 0.1, scaleType: "
      "UNIT_LOG_SCALE}\n";
  EXPECT_EQ(
      Input({"j", "--region=there"}, config),
      R"({"scaleTier":"STANDARD_1","hyperparameters":{"goal":"MAXIMIZE","params":[{"parameterName":"lr",)"
      R"("type":"DOUBLE","minValue":0.0001,"maxValue":0.1,"scaleType":"UNIT_LOG_SCALE"}],"maxTrials":4},)"
      R"("region":"there"})");
  api::ml::Job job = MakeJob(Parse({"j", "--labels=c=e"}), JobFromConfig(config), {});
  EXPECT_EQ(job.jobId, "j");
  EXPECT_EQ(job.labels, (std::map<std::string, std::string>{{"a", "b"}, {"c", "e"}}));
}

TEST(JobFlags, RefuseWhatMakesNoSense) {
  try {
    JobFromConfig("trainingInput: {scaleTeir: BASIC}");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().message,
              "Unknown name \"trainingInput.scaleTeir\": Cannot find field.");
  }
  EXPECT_THROW(JobFromConfig("trainingInput: ["), Failure);
  EXPECT_THROW(Input({"j", "--scale-tier=huge"}), Failure);
  EXPECT_THROW(Input({"j", "--master-accelerator=count=x,type=t"}), Failure);
  EXPECT_THROW(Parse({"j", "--command=./p", "--module-name=m"}).Check(), Failure);
  EXPECT_THROW(Parse({"j", "--command=./p"}).Check(), Failure);
  EXPECT_THROW(Parse({"j", "--master-image-uri=i", "--module-name=m"}).Check(), Failure);
  EXPECT_NO_THROW(Parse({"j", "--packages=gs://b/p", "--module-name=m"}).Check());
}

JsonTree Entry(const std::string& id, const std::string& time, const std::string& more) {
  return JsonTree::Parse(R"({"logName":"l","insertId":")" + id + R"(","timestamp":")" + time +
                         R"(",)" + R"("resource":{"labels":{"task_name":"master-replica-0"}},)" +
                         more + "}");
}

TEST(LogLines, ShowWhatGcloudShows) {
  LineStyle plain{.utc = true};
  std::string time = "2026-11-15T07:00:00.123456789Z";
  std::string head = "INFO\t2026-11-15 07:00:00 +0000\tmaster-replica-0\t\t";
  EXPECT_EQ(LinesOf(Entry("1", time, R"("severity":"INFO","textPayload":"a\nb")"), plain),
            (Words{head + "a", head + "b"}));
  EXPECT_EQ(LinesOf(Entry("1", time, R"("severity":"INFO","textPayload":"a\nb")"),
                    {.multiline = true, .utc = true}),
            (Words{head + "a\nb"}));
  EXPECT_EQ(LinesOf(Entry("1", time,
                          R"("labels":{"ml.googleapis.com/trial_id":"3"},)"
                          R"("jsonPayload":{"message":"m","levelname":"INFO","step":1})"),
                    plain),
            (Words{"DEFAULT\t2026-11-15 07:00:00 +0000\tmaster-replica-0\t3\tm {\"step\":1}"}));
  EXPECT_FALSE(PreparationOf(Entry("1", time, R"("textPayload":"Installing x: 5 s so far.")")));
  auto preparation = PreparationOf(
      Entry("1", time,
            R"("textPayload":"Installing x: 5 s so far.","labels":{"fireweed/waits_since":")"
            R"(2026-11-15T10:00:00Z"})"));
  ASSERT_TRUE(preparation);
  Time begun = *ParseTime("2026-11-15T10:00:00Z");
  EXPECT_EQ(PreparationText(*preparation, begun + std::chrono::seconds(7), 80),
            "Installing x: 7 s");
  EXPECT_EQ(PreparationText(*preparation, begun + std::chrono::seconds(67), 80),
            "Installing x: 1:07 min");
  EXPECT_EQ(PreparationText(*preparation, begun + std::chrono::seconds(7), 12), "Inst...: 7 s");
  std::string coloured = LinesOf(Entry("1", time, R"("severity":"ERROR","textPayload":"a")"),
                                 {.colours = true, .utc = true})[0];
  EXPECT_TRUE(coloured.starts_with("\x1b[31m")) << coloured;
  EXPECT_TRUE(coloured.ends_with("\x1b[0ma")) << coloured;
}

// Lines as the daemon gives them out: one that does not wait names no page after the last.
class FollowedLines : public testing::Test {
 protected:
  void Write(const std::string& id, const std::string& second) {
    std::string time = "2026-11-15T07:00:" + second + ".000000000Z";
    store[{time, id}] = Entry(id, time, R"("textPayload":"x")");
  }
  JsonTree Ask(const EntryQuery& query) {
    std::string bound;
    if (size_t at = query.filter.find(">=\""); at != std::string::npos)
      bound = query.filter.substr(at + 3, 30);
    JsonTree page = JsonTree::Object();
    std::string last = query.page;
    int count = 0;
    for (const auto& [key, entry] : store) {
      if (key.first < bound || key.first + key.second <= query.page) continue;
      if (++count > query.size) break;
      page["entries"].Append(entry);
      last = key.first + key.second;
    }
    if (query.wait > 0 || count > query.size) page["nextPageToken"] = JsonTree::Text(last);
    return page;
  }

  std::map<std::pair<std::string, std::string>, JsonTree> store;  // by time and id
  Words shown;
  LogFollower follower{"f", [this](const EntryQuery& query) { return Ask(query); },
                       [this](const JsonTree& entry) {
                         shown.push_back(entry.TextOf("insertId"));
                         if (shown.size() > 9000) throw Failure(Code::kExhausted, "it never ends");
                       }};
};

TEST_F(FollowedLines, OfAJobThatHasEndedAreShownOnce) {
  for (int i = 0; i < 2900; ++i) Write(fmt::format("{:04}", i), fmt::format("{:02}", i / 50));
  follower.Finish();
  EXPECT_EQ(shown.size(), 2900u);
  EXPECT_TRUE(std::ranges::is_sorted(shown));
}

TEST_F(FollowedLines, LateOnesAreShownAndNothingTwice) {
  auto write = [this](const char* id, const char* second) { Write(id, second); };
  EXPECT_FALSE(follower.Step(1));
  write("a", "01");
  write("b", "10");
  EXPECT_TRUE(follower.Step(1));
  EXPECT_EQ(shown, (Words{"a", "b"}));
  write("late", "09");
  write("c", "11");
  EXPECT_TRUE(follower.Step(1));
  EXPECT_EQ(shown, (Words{"a", "b", "c", "late"}));
  write("very late", "02");
  EXPECT_FALSE(follower.Step(1));
  follower.Finish();
  EXPECT_EQ(shown, (Words{"a", "b", "c", "late", "very late"}));
  follower.Finish();
  EXPECT_EQ(shown.size(), 5u);
  // An insert id tells entries of one time apart, and no others.
  write("c", "12");
  EXPECT_TRUE(follower.Step(1));
  EXPECT_EQ(shown.size(), 6u);
}

class Packages : public testing::Test {
 protected:
  void SetUp() override {
    if (!RunProgram({{"python3", "-c", "import setuptools"}}, std::chrono::seconds(60))->ok())
      GTEST_SKIP() << "no python3 with setuptools";
  }
  void Write(const std::string& name, std::string_view text) {
    fs::create_directories(fs::path(root.path() + "/" + name).parent_path());
    std::ofstream(root.path() + "/" + name) << text;
  }
  std::string Listed(const std::string& archive) {
    return RunProgram({{"tar", "-tf", archive}}, std::chrono::seconds(60))->output;
  }

  ScratchDirectory root{fs::temp_directory_path().string()};
  ScratchDirectory scratch{fs::temp_directory_path().string()};
};

TEST_F(Packages, AreBuiltWithoutASetup) {
  Write("trainer/__init__.py", "");
  Write("trainer/task.py", "print(1)");
  Write("trainer/inner/__init__.py", "");
  Write("unrelated/__init__.py", "");
  Words built = BuildPackage(root.path() + "/trainer", scratch);
  ASSERT_EQ(built.size(), 1u);
  EXPECT_EQ(fs::path(built[0]).filename(), "trainer-0.0.0.tar.gz");
  std::string names = Listed(built[0]);
  EXPECT_NE(names.find("trainer-0.0.0/trainer/task.py"), std::string::npos) << names;
  EXPECT_NE(names.find("trainer-0.0.0/trainer/inner/__init__.py"), std::string::npos) << names;
  EXPECT_EQ(names.find("unrelated"), std::string::npos) << names;
  EXPECT_FALSE(fs::exists(root.path() + "/setup.py"));
  EXPECT_FALSE(fs::exists(root.path() + "/trainer.egg-info"));
}

TEST_F(Packages, AreBuiltByTheirOwnSetup) {
  Write("trainer/__init__.py", "");
  Write("setup.py",
        "from setuptools import setup\nsetup(name='mine', version='1.5', packages=['trainer'])\n");
  Words built = BuildPackage(root.path() + "/trainer/", scratch);
  ASSERT_EQ(built.size(), 1u);
  EXPECT_EQ(fs::path(built[0]).filename(), "mine-1.5.tar.gz");
}

TEST_F(Packages, SayWhatIsWrong) {
  Write("trainer/task.py", "");
  EXPECT_THROW(BuildPackage(root.path() + "/trainer", scratch), Failure);
  EXPECT_THROW(BuildPackage(root.path() + "/nowhere", scratch), Failure);
  Write("trainer/__init__.py", "");
  Write("setup.py", "raise SystemExit('no luck today')");
  try {
    BuildPackage(root.path() + "/trainer", scratch);
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_NE(failure.error().message.find("no luck today"), std::string::npos);
  }
}

TEST_F(Packages, OfProgramsAreTheSameBytesAgain) {
  Write("prog", "#!/bin/sh\necho hello\n");
  ScratchDirectory second(fs::temp_directory_path().string());
  std::string one = PackDirectory(root.path(), scratch), two = PackDirectory(root.path(), second);
  auto bytes = [](const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(bytes(one), bytes(two));
  EXPECT_NE(Listed(one).find("./prog"), std::string::npos);
}

TEST(MlCommands, AreThere) {
  Settings settings;
  Command root;
  AddJobCommands(root, settings);
  AddSubmitCommands(root, settings);
  AddLoggingCommands(root, settings);
  Command& jobs = GroupOf(root, "jobs");
  for (const char* word : {"list", "describe", "cancel", "update", "stream-logs", "submit"})
    EXPECT_NE(jobs.Find(word), nullptr) << word;
  EXPECT_NE(GroupOf(root, "jobs submit").Find("training"), nullptr);
  EXPECT_NE(GroupOf(root, "logging").Find("read"), nullptr);
}

TEST(BatchFlags, MakeTheJobThatGcloudMakes) {
  BatchFlags flags;
  flags.job = "many";
  flags.model = "iris";
  flags.data_format = "tf-record";
  flags.input_paths = {"gs://b/in/*,gs://b/more"};
  flags.output_path = "gs://b/out";
  flags.batch_size = 8;
  EXPECT_EQ(flags.Job("p").Compact(),
            R"({"jobId":"many","predictionInput":{"modelName":"projects/p/models/iris",)"
            R"("dataFormat":"TF_RECORD","inputPaths":["gs://b/in/*","gs://b/more"],)"
            R"("outputPath":"gs://b/out","batchSize":"8"}})");
  flags.version = "v1";
  EXPECT_EQ(KeyPath::Parse("predictionInput.versionName").Get(flags.Job("p")).text(),
            "projects/p/models/iris/versions/v1");
  flags.model_dir = "gs://b/model";
  EXPECT_THROW(flags.Job("p"), Failure);
  flags.model.clear();
  EXPECT_EQ(KeyPath::Parse("predictionInput.uri").Get(flags.Job("p")).text(), "gs://b/model");
}

}  // namespace
}  // namespace fireweed::cli
