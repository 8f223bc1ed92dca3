#include "cli/ml/local_train.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fireweed::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

LocalTrain Trainer() {
  return {.package_path = "/src/trainer/",
          .module = "trainer.task",
          .job_dir = "out",
          .args = {"--epochs", "3"},
          .interpreter = "python3"};
}

TEST(LocalTrain, OneProcessHasAnEmptyCluster) {
  std::vector<LocalTask> tasks = PlanLocalTrain(Trainer(), {});
  ASSERT_THAT(tasks, SizeIs(1));
  EXPECT_THAT(tasks[0].argv,
              ElementsAre("python3", "-m", "trainer.task", "--epochs", "3", "--job-dir", "out"));
  EXPECT_EQ(tasks[0].tf_config,
            R"({"environment":"cloud","cluster":{},"task":{},"job":{"job_name":"trainer.task",)"
            R"("args":["--epochs","3","--job-dir","out"]}})");
  EXPECT_EQ(tasks[0].directory, "/src");
}

TEST(LocalTrain, AClusterHasItsRolesAndPorts) {
  LocalTrain train = Trainer();
  train.distributed = true;
  train.worker_count = 2;
  train.ps_count = 1;
  train.evaluator_count = 1;
  ASSERT_EQ(PortsFor(train), 4u);
  std::vector<LocalTask> tasks = PlanLocalTrain(train, {1, 2, 3, 4});
  ASSERT_THAT(tasks, SizeIs(5));
  const char* cluster =
      R"("cluster":{"chief":["localhost:1"],"ps":["localhost:2"],"worker":["localhost:3","localhost:4"]})";
  for (const LocalTask& task : tasks) EXPECT_THAT(task.tf_config, HasSubstr(cluster));
  EXPECT_THAT(tasks[0].tf_config, HasSubstr(R"("task":{"type":"chief","index":0})"));
  EXPECT_THAT(tasks[3].tf_config, HasSubstr(R"("task":{"type":"worker","index":1})"));
  EXPECT_THAT(tasks[4].tf_config, HasSubstr(R"("task":{"type":"evaluator","index":0})"));
}

TEST(LocalTrain, EndsWithTheChiefAndTakesTheOthersAlong) {
  std::string pattern = ::testing::TempDir() + "/local_train.XXXXXX";
  std::string directory = mkdtemp(pattern.data());
  auto task = [&](const std::string& name, const std::string& script) {
    return LocalTask{name, {"sh", "-c", script}, "{}", directory};
  };
  int code = RunLocalTasks(
      {task("chief-0", "while [ ! -e up ]; do sleep 0.01; done; echo $TF_CONFIG > said; exit 3"),
       task("ps-0", "trap 'touch ended; exit 0' TERM; touch up; while :; do sleep 0.05; done")});
  EXPECT_EQ(code, 3);
  EXPECT_TRUE(std::filesystem::exists(directory + "/ended"));
  std::ifstream said(directory + "/said");
  std::string line;
  std::getline(said, line);
  EXPECT_EQ(line, "{}");
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace fireweed::cli
