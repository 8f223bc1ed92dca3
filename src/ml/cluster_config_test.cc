#include "ml/cluster_config.h"

#include <gtest/gtest.h>

#include "describe/json_tree.h"
#include "ml/replica_layout.h"

namespace fireweed::ml {
namespace {

using api::ml::ScaleTier;
using api::ml::TrainingInput;

const compute::Catalogue kCatalogue({.cpus = 4, .memory_mb = 8192});

std::string Layout(const TrainingInput& input) {
  std::string text;
  for (const ReplicaSet& set : LayoutOf(input)) {
    text += std::to_string(set.count) + " " + std::string(TypeWord(set.type)) + " " +
            set.machine.type +
            (set.machine.accelerators > 0
                 ? "+" + std::to_string(set.machine.accelerators) + set.machine.accelerator
                 : "") +
            ", ";
  }
  return text;
}

TEST(ReplicaLayout, ScaleTiers) {
  struct Case {
    ScaleTier tier;
    const char* layout;
  };
  for (const Case& c : {
           Case{ScaleTier::kBasic, "1 master n1-standard-4, "},
           Case{ScaleTier::kStandard1,
                "1 master n1-highcpu-8, 4 worker n1-highcpu-8, 3 ps n1-standard-4, "},
           Case{ScaleTier::kPremium1,
                "1 master n1-highcpu-16, 19 worker n1-highcpu-16, 11 ps n1-highmem-8, "},
           Case{ScaleTier::kBasicGpu, "1 master n1-standard-8+1NVIDIA_TESLA_K80, "},
       }) {
    EXPECT_EQ(Layout({.scaleTier = c.tier}), c.layout);
  }
  TrainingInput custom{.scaleTier = ScaleTier::kCustom,
                       .masterType = "complex_model_m_gpu",
                       .workerType = "n1-standard-8",
                       .evaluatorType = "standard",
                       .workerCount = 2,
                       .evaluatorCount = 1};
  custom.workerConfig = api::ml::ReplicaConfig{
      .acceleratorConfig = api::ml::ReplicaAccelerator{2, "NVIDIA_TESLA_T4"}};
  EXPECT_EQ(Layout(custom),
            "1 master n1-standard-16+4NVIDIA_TESLA_K80, 2 worker n1-standard-8+2NVIDIA_TESLA_T4, "
            "1 evaluator n1-standard-4, ");
}

TEST(ReplicaLayout, DemandIsClippedAndUnitsAreThePublicOnes) {
  GangDemand demand = DemandOf({.scaleTier = ScaleTier::kStandard1}, kCatalogue);
  EXPECT_DOUBLE_EQ(demand.cpus, 8 * 4);  // each replica is cut down to the machine
  EXPECT_LE(demand.memory_mb, 8 * 8192);
  EXPECT_TRUE(DemandOf({.scaleTier = ScaleTier::kBasicGpu}, kCatalogue).cards.empty());
  compute::Catalogue two({.cpus = 4, .accelerators = {"nvidia-tesla-k80", "nvidia-tesla-k80"}});
  EXPECT_EQ(DemandOf({.scaleTier = ScaleTier::kBasicGpu}, two).cards,
            (CardCounts{{"nvidia-tesla-k80", 1}}));
  EXPECT_NEAR(UnitsPerHour({}, kCatalogue), 0.3878, 0.002);
  EXPECT_NEAR(UnitsPerHour({.scaleTier = ScaleTier::kBasicGpu}, kCatalogue), 1.6939, 0.005);
  EXPECT_NEAR(
      UnitsPerHour({.scaleTier = ScaleTier::kCustom, .masterType = "complex_model_s"}, kCatalogue),
      0.5791, 0.002);
}

JobRecord Distributed(const char* runtime) {
  JobRecord job{.project = "my-project"};
  job.job.jobId = "census";
  job.job.trainingInput = TrainingInput{.scaleTier = ScaleTier::kCustom,
                                        .args = {"--epochs", "3"},
                                        .region = "us-central1",
                                        .jobDir = "gs://b/out",
                                        .runtimeVersion = runtime};
  Gang gang;
  gang.replicas = {{.type = ReplicaType::kMaster, .instance = "m0"},
                   {.type = ReplicaType::kWorker, .instance = "w0"},
                   {.type = ReplicaType::kWorker, .index = 1, .instance = "w1"},
                   {.type = ReplicaType::kParameterServer, .instance = "p0"},
                   {.type = ReplicaType::kEvaluator, .instance = "e0"}};
  job.gangs.push_back(gang);
  return job;
}

TEST(ClusterConfig, TfConfigAsDocumented) {
  JobRecord job = Distributed("1.15");
  JsonTree config = JsonTree::Parse(TfConfig(job, job.gangs[0], 2));
  EXPECT_EQ(config.Find("cluster")->Compact(),
            R"({"master":["m0:2222"],"worker":["w0:2222","w1:2222"],"ps":["p0:2222"]})");
  EXPECT_EQ(config.Find("task")->Compact(), R"({"type":"worker","index":1,"cloud":"fireweed"})");
  EXPECT_EQ(config.TextOf("environment"), "cloud");
  EXPECT_EQ(config.Find("job")->TextOf("job_dir"), "gs://b/out");
  EXPECT_EQ(config.Find("job")->TextOf("scale_tier"), "CUSTOM");

  JobRecord newer = Distributed("2.8");
  newer.gangs[0].trial = "7";
  JsonTree chief = JsonTree::Parse(TfConfig(newer, newer.gangs[0], 0));
  EXPECT_TRUE(chief.Find("cluster")->Find("chief"));
  EXPECT_EQ(chief.Find("task")->Compact(),
            R"({"type":"chief","index":0,"cloud":"fireweed","trial":"7"})");
  JsonTree spec = JsonTree::Parse(ClusterSpec(newer, newer.gangs[0], 4));
  EXPECT_EQ(spec.Find("task")->TextOf("type"), "evaluator");
  EXPECT_FALSE(spec.Find("cluster")->Find("evaluator"));
}

TEST(ClusterConfig, ChiefByRuntimeAndByWish) {
  EXPECT_FALSE(UsesChief({.runtimeVersion = "1.15"}));
  EXPECT_FALSE(UsesChief({.runtimeVersion = "2.0"}));
  EXPECT_TRUE(UsesChief({.runtimeVersion = "2.1"}));
  EXPECT_TRUE(UsesChief({.runtimeVersion = "2.11"}));
  EXPECT_FALSE(UsesChief({.runtimeVersion = ""}));
  TrainingInput image{.useChiefInTfConfig = true};
  image.masterConfig = api::ml::ReplicaConfig{.imageUri = "gcr.io/p/i"};
  EXPECT_TRUE(UsesChief(image));
}

TEST(ClusterConfig, ArgumentsAndThreads) {
  JobRecord job = Distributed("1.15");
  EXPECT_EQ(TrainerArgs(job, job.gangs[0]),
            (std::vector<std::string>{"--epochs", "3", "--job-dir", "gs://b/out"}));
  Gang trial = job.gangs[0];
  trial.trial = "2";
  trial.hyperparameters = {{"lr", "0.1"}};
  trial.port = 20000;
  EXPECT_EQ(TrainerArgs(job, trial),
            (std::vector<std::string>{"--epochs", "3", "--lr=0.1", "--job-dir", "gs://b/out/2"}));
  EXPECT_EQ(ReplicaAddress(trial, 3), "127.0.0.1:20003");
  std::map<std::string, std::string> variables = ReplicaEnvironment(job, trial, 0, 2.5);
  EXPECT_EQ(variables["OMP_NUM_THREADS"], "2");
  EXPECT_EQ(variables["CLOUD_ML_TRIAL_ID"], "2");
  EXPECT_EQ(variables["CLOUD_ML_JOB_ID"], "census");
  EXPECT_EQ(ReplicaEnvironment(job, trial, 0, 0.2)["TF_NUM_INTRAOP_THREADS"], "1");
}

// The shim of rmtree reads them: see runtimes/shims/fireweed_shims/shared_job_dir.py.
TEST(ReplicaEnvironment, OnlyTheChiefMayClearWhatIsNewerThanTheJob) {
  JobRecord job{.project = "p"};
  job.job.jobId = "census";
  job.job.trainingInput = TrainingInput{.jobDir = "gs://b/out"};
  job.job.createTime = Time(std::chrono::milliseconds(1500));
  Gang gang{.replicas = {{.type = ReplicaType::kMaster, .instance = "m"},
                         {.type = ReplicaType::kWorker, .instance = "w"}}};
  EXPECT_FALSE(ReplicaEnvironment(job, gang, 0, 1).contains("FIREWEED_JOB_DIR"));
  std::map<std::string, std::string> worker = ReplicaEnvironment(job, gang, 1, 1);
  EXPECT_EQ(worker["FIREWEED_JOB_DIR"], "gs://b/out");
  EXPECT_EQ(worker["FIREWEED_JOB_CREATED"], "1.500");
}

}  // namespace
}  // namespace fireweed::ml
