// Jobs from the API to the fake driver and back, and through restarts of the daemon.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compute/hidden.h"
#include "compute/stop_all.h"
#include "describe/json_tree.h"
#include "ml/cancel_all.h"
#include "ml/job_metrics.h"
#include "ml/ml_fixture.h"
#include "ml/tuning/trial_record.h"

namespace fireweed::ml {
namespace {

using api::ml::JobState;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kJobs = "/v1/projects/my-project/jobs";

std::string Path(const char* id) { return std::string(kJobs) + "/" + id; }

// Masters end well after ten seconds; everything else runs for ever.
void MastersEnd(MachineSpec& spec) {
  if (spec.labels["fireweed-task"] == "master-replica-0") spec.labels["fake.run-seconds"] = "10";
}

const char* const kDistributed =
    R"("scaleTier":"CUSTOM","masterType":"n1-standard-1","workerType":"n1-standard-1","workerCount":"4",)"
    R"("parameterServerType":"n1-standard-1","parameterServerCount":"1")";

TEST(Jobs, RunsToItsEnd) {
  MlFixture all;
  all.driver.script = MastersEnd;
  compute::Reply created = all.Submit("census", R"("jobDir":"gs://b/out","args":["--epochs","3"])");
  ASSERT_EQ(created.status, 200) << created.body;
  EXPECT_EQ(created.Field("state"), "QUEUED");
  all.base.Settle();
  JobRecord running = all.Job("census");
  EXPECT_EQ(running.job.state, JobState::kRunning);
  std::vector<compute::InstanceRecord> instances = all.Instances();
  ASSERT_EQ(instances.size(), 1u);
  const compute::InstanceRecord& master = instances[0];
  EXPECT_TRUE(master.resource.name.starts_with("cmle-training-"));
  EXPECT_TRUE(master.resource.name.ends_with("-master-replica-0"));
  EXPECT_EQ(master.resource.labels.at("fireweed-job"), "census");
  ASSERT_TRUE(master.workload);
  EXPECT_EQ(master.workload->argv.front(), "/env/bin/python");
  EXPECT_EQ(master.workload->argv.back(), "gs://b/out");
  EXPECT_TRUE(master.workload->environment.contains("TF_CONFIG"));

  all.SettleFor(minutes(1));
  JobRecord ended = all.Job("census");
  EXPECT_EQ(ended.job.state, JobState::kSucceeded);
  EXPECT_TRUE(ended.job.endTime);
  EXPECT_TRUE(all.Instances().empty()) << "nothing is left";
  EXPECT_TRUE(all.base.fake.List()->empty());
  EXPECT_FALSE(Query(all.base.catalog, [](Txn& txn) {
    return txn.Find<ActiveJob>("my-project/census").has_value();
  }));
  std::vector<std::string> lines = all.LinesOf("service");
  EXPECT_EQ(all.sealed, std::set<std::string>{"census"});
  EXPECT_EQ(lines.front(), "Validating job requirements...");
  EXPECT_EQ(lines.back(), "Job completed successfully.");
  compute::Reply shown = all.Ask("GET", Path("census"));
  EXPECT_TRUE(shown.Has("\"timeline\""));
  EXPECT_TRUE(shown.Has("\"consumedMLUnits\""));
}

TEST(Jobs, AreCountedForOperators) {
  MlFixture all;
  all.driver.script = MastersEnd;
  JobMetrics counts(all.base.catalog, all.base.clock);
  auto value = [&](const std::string& name) {
    std::vector<Metric> metrics;
    counts.Collect(metrics);
    auto found = std::ranges::find_if(
        metrics, [&](const Metric& metric) { return metric.name + metric.labels == name; });
    return found == metrics.end() ? -1 : found->value;
  };
  EXPECT_EQ(value("fireweed_job_queue_length"), 0);
  all.Submit("census", "");
  EXPECT_EQ(value("fireweed_job_queue_length"), 1);
  all.SettleFor(minutes(1));
  EXPECT_EQ(value("fireweed_job_queue_length"), 0);
  EXPECT_EQ(value("fireweed_jobsstate=\"SUCCEEDED\""), 1);
  EXPECT_EQ(value("fireweed_jobsstate=\"RUNNING\""), 0);
}

TEST(Jobs, ADistributedJobKnowsItsCluster) {
  MlFixture all;
  all.driver.script = MastersEnd;
  ASSERT_EQ(all.Submit("spread", kDistributed).status, 200);
  all.base.Settle();
  std::vector<compute::InstanceRecord> instances = all.Instances();
  ASSERT_EQ(instances.size(), 6u);
  std::set<std::string> clusters;
  for (const compute::InstanceRecord& instance : instances) {
    JsonTree config = JsonTree::Parse(instance.workload->environment.at("TF_CONFIG"));
    clusters.insert(config.Find("cluster")->Compact());
    EXPECT_EQ(config.Find("cluster")->Find("worker")->items().size(), 4u);
  }
  EXPECT_EQ(clusters.size(), 1u) << "all see the same cluster";
  all.SettleFor(minutes(2));
  EXPECT_EQ(all.Job("spread").job.state, JobState::kSucceeded);
  EXPECT_TRUE(all.base.fake.List()->empty()) << "parameter servers end with the job";
}

TEST(Jobs, PortsOfTheirOwnWhereTheNetworkIsShared) {
  MlFixture all;
  all.own_network = false;
  all.Restart();
  ASSERT_EQ(all.Submit("one", kDistributed).status, 200);
  ASSERT_EQ(all.Submit("two", kDistributed).status, 200);
  all.base.Settle();
  EXPECT_EQ(all.Job("two").gangs.at(0).port - all.Job("one").gangs.at(0).port, 6);
}

TEST(Jobs, ThePositionCountsAllJobsAhead) {
  constexpr int kAhead = 1200;  // more than a page of rows
  MlFixture all;
  all.base.catalog.Write("test", [&](Txn& txn) {
    for (int i = 0; i < kAhead; ++i) {
      ActiveJob ahead{
          .created = all.base.clock.Now() - minutes(1), .number = i, .cards = {}, .key = ""};
      txn.Put(fmt::format("my-project/ahead{:04}", i), ahead);
    }
  });
  ASSERT_EQ(all.Submit("last").status, 200);
  EXPECT_EQ(all.Ask("GET", Path("last")).Field("jobPosition"), std::to_string(kAhead + 1));
}

TEST(Jobs, AClientThatHasNotReadTheLastLinesDoesNotSeeTheEnd) {
  MlFixture all;
  all.driver.script = MastersEnd;
  bool behind = true;
  Time asked_for{};
  all.reads_behind = [&](const net::Call&, const JobRecord& job, Time end) {
    EXPECT_EQ(job.key(), "my-project/census");
    asked_for = end;
    return behind;
  };
  all.Restart();
  ASSERT_EQ(all.Submit("census").status, 200);
  all.SettleFor(minutes(1));
  compute::Reply shown = all.Ask("GET", Path("census"));
  EXPECT_EQ(shown.Field("state"), "SUCCEEDED");
  EXPECT_EQ(shown.Field("endTime"), "");
  EXPECT_EQ(asked_for, all.Job("census").job.endTime);
  behind = false;
  EXPECT_NE(all.Ask("GET", Path("census")).Field("endTime"), "");
}

TEST(Jobs, AFailureNamesTheReplicaAndItsLastLines) {
  MlFixture all;
  all.driver.script = [](MachineSpec& spec) {
    bool worker = spec.labels["fireweed-task"] == "worker-replica-2";
    if (!worker) return;
    spec.labels["fake.run-seconds"] = "3";
    spec.labels["fake.exit"] = "2";
  };
  ASSERT_EQ(all.Submit("broken", kDistributed).status, 200);
  all.SettleFor(minutes(3));
  JobRecord job = all.Job("broken");
  EXPECT_EQ(job.job.state, JobState::kFailed);
  EXPECT_EQ(job.job.errorMessage,
            "The replica worker 2 exited with a non-zero status of 2. Its last lines:\n"
            "Traceback of worker-replica-2");
  EXPECT_TRUE(all.base.fake.List()->empty());
}

TEST(Jobs, SubstitutesAreReportedInTheJobAndItsLog) {
  MlFixture all;
  all.runtimes.runtimes[0].framework = "TensorFlow";
  all.runtimes.runtimes[0].requirements = {"tensorflow-cpu==2.11.1"};
  compute::Reply plain = all.Submit(
      "plain", R"("runtimeVersion":"2.11","scaleTier":"CUSTOM","masterType":"n1-standard-1")");
  ASSERT_EQ(plain.status, 200) << plain.body;
  EXPECT_FALSE(plain.Has("\"warnings\"")) << plain.body;
  compute::Reply created =
      all.Submit("other", R"("runtimeVersion":"1.15","scaleTier":"BASIC_GPU")");
  ASSERT_EQ(created.status, 200) << created.body;
  const std::string accelerator =
      "master: 1 x nvidia-tesla-k80 requested; this host has 0, so none is used.";
  const std::string framework =
      "Runtime 1.15 is not available on this host with its own TensorFlow; TensorFlow 2.11.1 is "
      "used instead.";
  std::vector<std::string> lines = all.LinesOf("service");
  for (const std::string& text : {accelerator, framework}) {
    EXPECT_TRUE(created.Has(text)) << created.body;
    EXPECT_NE(std::ranges::find(lines, text), lines.end()) << text;
  }
  all.strict = {.machines = true};
  all.Restart();
  compute::Reply refused = all.Submit("s1", R"("runtimeVersion":"1.15","scaleTier":"BASIC_GPU")");
  EXPECT_EQ(refused.status, 400);
  EXPECT_TRUE(refused.Has("master_type")) << refused.body;
  all.strict = {.runtimes = true};
  all.Restart();
  refused = all.Submit("s2", R"("runtimeVersion":"1.15")");
  EXPECT_EQ(refused.status, 400);
  EXPECT_TRUE(refused.Has("Field: runtime_version Error: ")) << refused.body;
  EXPECT_TRUE(refused.Has("strict")) << refused.body;
  EXPECT_EQ(all.Submit("s3", R"("runtimeVersion":"2.11")").status, 200);
}

TEST(Jobs, CudaBuildsAreForJobsThatGetAnAccelerator) {
  MlFixture all(nullptr, 1, {"nvidia-tesla-k80"});
  ASSERT_EQ(all.Submit("gpu", R"("scaleTier":"BASIC_GPU")").status, 200);
  ASSERT_EQ(all.Submit("cpu").status, 200);
  all.base.Settle();
  ASSERT_EQ(all.environments.asked.size(), 2u);
  EXPECT_TRUE(all.environments.asked[0].accelerated);
  EXPECT_FALSE(all.environments.asked[1].accelerated);
}

TEST(Jobs, AnUnknownImageIsRefusedAtOnce) {
  MlFixture all;
  compute::Reply refused = all.Ask(
      "POST", kJobs,
      R"({"jobId":"nowhere","trainingInput":{"region":"us-central1","scaleTier":"CUSTOM",)"
      R"("masterType":"n1-standard-1","masterConfig":{"imageUri":"gcr.io/p/unheard-of:v1"}}})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_TRUE(
      refused.Has("Field: master_config.image_uri Error: The image "
                  "'gcr.io/p/unheard-of:v1' is not known here."))
      << refused.body;
  EXPECT_EQ(all.Ask("GET", Path("nowhere")).status, 404);
}

TEST(Jobs, APublicImageOfAFrameworkIsARuntime) {
  MlFixture all;
  all.runtimes.runtimes.push_back(
      {.versions = {"pytorch-gpu.1-10"}, .requirements = {"torch==2.1.2"}, .framework = "PyTorch"});
  compute::Reply created = all.Submit(
      "torch", R"("scaleTier":"CUSTOM","masterType":"n1-standard-1","masterConfig":{"imageUri":)"
               R"("gcr.io/cloud-ml-public/training/pytorch-gpu.1-10"})");
  ASSERT_EQ(created.status, 200) << created.body;
  EXPECT_TRUE(created.Has("PyTorch 2.1.2 is used instead")) << created.body;
  all.base.Settle();
  ASSERT_EQ(all.environments.asked.size(), 1u);
  EXPECT_EQ(all.environments.asked[0].runtime_version, "pytorch-gpu.1-10");
}

TEST(Jobs, AnImageIsRunAsItSaysUnlessTheJobSaysOtherwise) {
  using Words = std::vector<std::string>;
  struct Case {
    std::string_view config, args;
    Words entrypoint, command, argv;
  };
  const Words kEntry{"run", "-v"}, kCommand{"all"};
  for (const Case& c : {
           Case{"", "", kEntry, kCommand, {"run", "-v", "all"}},
           Case{"", R"("--lr","1")", kEntry, kCommand, {"run", "-v", "--lr", "1"}},
           Case{R"(,"containerArgs":["x"])", R"("y")", kEntry, kCommand, {"run", "-v", "x", "y"}},
           Case{R"(,"containerCommand":["sh"])", "", kEntry, kCommand, {"sh"}},
           Case{R"(,"containerCommand":["sh"],"containerArgs":["x"])", "", {}, {}, {"sh", "x"}},
           Case{"", "", {}, kCommand, {"all"}},
           Case{"", "", {}, {}, {}},
       }) {
    MlFixture all;
    compute::ImageRecord image{.project = "my-project", .resource = {}, .root = {}, .backoff = {}};
    image.resource.name = "told";
    image.resource.status = "READY";
    image.resource.selfLink = "projects/my-project/global/images/told";
    image.root.container = {c.entrypoint, c.command, {"MODE=a=b", "CLOUD_ML_JOB_ID=no"}, "/w"};
    all.base.catalog.Write("test", [&](Txn& txn) { txn.Put(image.key(), image); });
    std::string body = fmt::format(
        R"({{"jobId":"j","trainingInput":{{"region":"us-central1","scaleTier":"CUSTOM","masterType":)"
        R"("n1-standard-1","args":[{}],"masterConfig":{{"imageUri":"gcr.io/my-project/told"{}}}}}}})",
        c.args, c.config);
    ASSERT_EQ(all.Ask("POST", kJobs, body).status, 200) << body;
    all.base.Settle();
    if (c.argv.empty()) {
      EXPECT_EQ(all.Job("j").job.state, JobState::kFailed);
      EXPECT_NE(all.Job("j").job.errorMessage.find("set containerCommand"), std::string::npos);
      continue;
    }
    ASSERT_EQ(all.Instances().size(), 1u) << all.Job("j").job.errorMessage;
    compute::Workload workload = *all.Instances()[0].workload;
    EXPECT_EQ(workload.argv, c.argv) << body;
    if (c.config.find("containerCommand") != c.config.npos) {
      EXPECT_EQ(all.LinesOf("master-replica-0").front(),
                fmt::format("Running command: {}", fmt::join(c.argv, " ")));
    }
    EXPECT_EQ(workload.directory, "/w");
    EXPECT_EQ(workload.environment["MODE"], "a=b");
    EXPECT_EQ(workload.environment["CLOUD_ML_JOB_ID"], "j");
  }
}

TEST(Jobs, CancelEndsEverythingWithinTheGrace) {
  MlFixture all;
  all.driver.script = [](MachineSpec& spec) { spec.labels["fake.stop-seconds"] = "3600"; };
  ASSERT_EQ(all.Submit("stuck", kDistributed).status, 200);
  all.base.Settle();
  EXPECT_EQ(all.Ask("POST", Path("stuck") + ":cancel", "{}").status, 200);
  EXPECT_EQ(all.Ask("GET", Path("stuck")).Field("state"), "CANCELLING");
  Time asked = all.base.clock.Now();
  all.SettleFor(minutes(2));
  JobRecord job = all.Job("stuck");
  EXPECT_EQ(job.job.state, JobState::kCancelled);
  EXPECT_LE(*job.job.endTime - asked, compute::kReplicaGrace + seconds(5));
  EXPECT_TRUE(all.base.fake.List()->empty());
  compute::Reply again = all.Ask("POST", Path("stuck") + ":cancel", "{}");
  EXPECT_EQ(again.status, 400);

  all.environments.answer = EnvironmentBuilding{};
  ASSERT_EQ(all.Submit("preparing").status, 200);
  all.base.Settle();
  EXPECT_EQ(all.Job("preparing").job.state, JobState::kPreparing);
  ASSERT_EQ(all.Ask("POST", Path("preparing") + ":cancel", "{}").status, 200);
  all.base.Settle();
  EXPECT_EQ(all.Job("preparing").job.state, JobState::kCancelled);
}

TEST(Jobs, AReplicaThatIsSuspendedHoldsNoCancelUp) {
  MlFixture all;
  ASSERT_EQ(all.Submit("frozen").status, 200);
  all.base.Settle();
  ASSERT_EQ(all.Instance(0, "POST", "/suspend").status, 200);
  all.base.Settle();
  ASSERT_EQ(all.Instances()[0].resource.status, api::compute::InstanceStatus::kSuspended);
  ASSERT_EQ(all.Ask("POST", Path("frozen") + ":cancel", "{}").status, 200);
  all.SettleFor(minutes(1));
  EXPECT_EQ(all.Job("frozen").job.state, JobState::kCancelled);
  EXPECT_TRUE(all.base.fake.List()->empty());
}

TEST(Jobs, PackagesThatCannotBeInstalledEndTheJob) {
  MlFixture all;
  all.environments.answer = EnvironmentFailed{"ERROR: No matching distribution found for nosuch"};
  ASSERT_EQ(all.Submit("unbuilt", R"("runtimeVersion":"1.15","pythonVersion":"3.7")").status, 200);
  all.base.Settle();
  EXPECT_EQ(all.Job("unbuilt").job.state, JobState::kFailed);
  EXPECT_NE(all.Job("unbuilt").job.errorMessage.find("nosuch"), std::string::npos);
  ASSERT_FALSE(all.environments.asked.empty());
  EXPECT_EQ(all.environments.asked[0].runtime_version, "1.15");
  EXPECT_EQ(all.environments.asked[0].account.find("service-"), 0u);
}

TEST(Jobs, AMachineThatDoesNotStartEndsTheJobWithTheReason) {
  MlFixture all;
  all.driver.script = [](MachineSpec& spec) { spec.labels["fake.start-failures"] = "1000"; };
  ASSERT_EQ(all.Submit("unstarted").status, 200);
  all.SettleFor(std::chrono::hours(2));
  JobRecord job = all.Job("unstarted");
  EXPECT_EQ(job.job.state, JobState::kFailed);
  EXPECT_NE(job.job.errorMessage.find("could not be started: scripted start failure"),
            std::string::npos)
      << job.job.errorMessage;
}

TEST(Jobs, TheQueueHoldsWhatDoesNotFit) {
  MlFixture all;
  all.capacity = {4, 1 << 20};
  all.Restart();
  all.driver.script = MastersEnd;
  const char* whole = R"("scaleTier":"CUSTOM","masterType":"n1-standard-4")";
  ASSERT_EQ(all.Submit("first", whole).status, 200);
  all.base.Settle();
  ASSERT_EQ(all.Submit("second", whole).status, 200);
  ASSERT_EQ(all.Submit("third", std::string(whole) + R"(,"scheduling":{"priority":5})").status,
            200);
  all.base.Settle();
  EXPECT_EQ(all.Job("first").job.state, JobState::kRunning);
  EXPECT_EQ(all.Job("second").job.state, JobState::kQueued);
  EXPECT_EQ(all.Ask("GET", Path("second")).Field("jobPosition"), "2");
  EXPECT_EQ(all.Ask("GET", Path("third")).Field("jobPosition"), "1");
  all.SettleFor(minutes(5));
  for (const char* id : {"first", "second", "third"}) {
    EXPECT_EQ(all.Job(id).job.state, JobState::kSucceeded) << id;
  }
  EXPECT_LT(*all.Job("third").job.startTime, *all.Job("second").job.startTime);
}

const char* const kWithCards =
    R"("scaleTier":"CUSTOM","masterType":"n1-standard-1","workerType":"n1-standard-1","workerCount":"1",)"
    R"("masterConfig":{"acceleratorConfig":{"type":"NVIDIA_TESLA_T4","count":"1"}},)"
    R"("workerConfig":{"acceleratorConfig":{"type":"NVIDIA_TESLA_T4","count":"1"}})";

const std::vector<std::string> kTwoCards(2, "nvidia-tesla-t4");

// Two trials at once would have one card each, and wait for the other's.
TEST(Jobs, NoMoreTrialsAtOnceThanThereAreCardsFor) {
  MlFixture all(nullptr, 1, kTwoCards);
  all.driver.script = MastersEnd;
  ASSERT_EQ(all.Submit("tuned", std::string(kWithCards) +
                                    R"(,"hyperparameters":{"goal":"MAXIMIZE","maxTrials":3,)"
                                    R"("maxParallelTrials":2,"params":[{"parameterName":"x",)"
                                    R"("type":"DOUBLE","minValue":0,"maxValue":1}]})")
                .status,
            200);
  auto active = Query(all.base.catalog,
                      [](Txn& txn) { return txn.Find<ActiveJob>("my-project/tuned")->value; });
  EXPECT_EQ(active.cards, (CardCounts{{"nvidia-tesla-t4", 2}}));
  for (size_t trial = 1; trial <= 3; ++trial) {
    all.SettleFor(minutes(1));
    EXPECT_EQ(all.Job("tuned").gangs.size(), trial);
    all.base.catalog.Write("every figure is in", [&](Txn& txn) {
      Key key = TrialKey("my-project", "tuned", std::to_string(trial));
      TrialRecord record = txn.Find<TrialRecord>(key)->value;
      record.complete = record.closed;
      txn.Put(key, record);
    });
  }
  all.base.Settle();
  EXPECT_EQ(all.Job("tuned").job.state, JobState::kSucceeded);
}

TEST(Jobs, CardsThatInstancesHaveAreWaitedForInTheQueue) {
  MlFixture all(nullptr, 1, kTwoCards);
  all.driver.script = MastersEnd;
  std::string body = compute::ComputeFixture::InsertBody("holder");
  body.insert(1, R"("guestAccelerators":[{"acceleratorType":"zones/us-east1-b/)"
                 R"(acceleratorTypes/nvidia-tesla-t4","acceleratorCount":1}],)");
  std::string instances = "/compute/v1/projects/p/zones/us-east1-b/instances";
  ASSERT_EQ(all.base.Ask("POST", instances, body).status, 200);
  all.base.Settle();
  ASSERT_EQ(all.Submit("wants", kWithCards).status, 200);
  ASSERT_EQ(all.Submit("plain").status, 200);
  all.SettleFor(minutes(10));
  EXPECT_EQ(all.Job("plain").job.state, JobState::kSucceeded);
  EXPECT_EQ(all.Job("wants").job.state, JobState::kQueued);
  EXPECT_EQ(all.Job("wants").job.timeline.back().what, "waits for cards that instances have");
  ASSERT_EQ(all.Submit("late").status, 200);
  ASSERT_EQ(all.base.Ask("DELETE", instances + "/holder").status, 200);
  all.SettleFor(minutes(1));
  EXPECT_EQ(all.Job("late").job.state, JobState::kSucceeded);
  EXPECT_EQ(all.Job("wants").job.state, JobState::kSucceeded);
}

// The daemon dies at every moment of a job's life: between any two turns of the loop and any two actions.
TEST(Jobs, SurviveKillsAnywhere) {
  for (int cut = 0; cut < 60; cut += 3) {
    MlFixture all;
    all.driver.script = MastersEnd;
    ASSERT_EQ(all.Submit("job", kDistributed).status, 200);
    for (int turn = 0; turn < cut; ++turn) {
      std::optional<Time> next = all.base.plane->loop.RunDue();
      if (all.base.plane->pool.size() > 0) {
        all.base.plane->pool.Run(0);
      } else if (next) {
        all.base.clock.JumpTo(*next);
      }
    }
    all.Restart();
    all.SettleFor(minutes(5));
    JobRecord job = all.Job("job");
    EXPECT_EQ(job.job.state, JobState::kSucceeded) << "cut after " << cut;
    EXPECT_TRUE(all.base.fake.List()->empty()) << "cut after " << cut;
    EXPECT_TRUE(all.Instances().empty()) << "cut after " << cut;
    for (const Replica& replica : job.gangs[0].replicas) EXPECT_EQ(replica.failures, 0);
  }
}

TEST(Jobs, ThoseOfAPurgedDaemonEndCancelled) {
  MlFixture all;
  ASSERT_EQ(all.Submit("census", R"("jobDir":"gs://b/out")").status, 200);
  all.base.Settle();
  ASSERT_EQ(all.Job("census").job.state, JobState::kRunning);
  EXPECT_EQ(Update(all.base.catalog, "purge", CancelAllJobs), 1);
  EXPECT_EQ(Update(all.base.catalog, "purge", compute::StopAllInstances), 1);
  EXPECT_EQ(Update(all.base.catalog, "purge", CancelAllJobs), 0) << "twice is once";
  all.SettleFor(minutes(5));
  EXPECT_EQ(all.Job("census").job.state, JobState::kCancelled);
  EXPECT_TRUE(all.Instances().empty());
}

}  // namespace
}  // namespace fireweed::ml
