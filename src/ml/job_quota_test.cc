#include "ml/job_quota.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ml/ml_fixture.h"

namespace fireweed::ml {
namespace {

using api::ml::JobState;
using std::chrono::minutes;

// Masters end well after ten seconds; everything else runs until it is stopped.
void MastersEnd(MachineSpec& spec) {
  if (spec.labels["fireweed-task"] == "master-replica-0") spec.labels["fake.run-seconds"] = "10";
}

const char* const kSixMachines =
    R"("scaleTier":"CUSTOM","masterType":"n1-standard-1","workerType":"n1-standard-1","workerCount":"4",)"
    R"("parameterServerType":"n1-standard-1","parameterServerCount":"1")";

void Limit(MlFixture& all, compute::QuotaLimits limits) {
  all.base.quotas = std::move(limits);
  all.Restart();
}

std::string InstanceBody(const char* name) {
  std::string body = compute::ComputeFixture::InsertBody(name), network = "p/global/networks";
  return body.replace(body.find(network), 1, "my-project");
}

const char* const kSmall = R"("scaleTier":"CUSTOM","masterType":"n1-standard-1")";

TEST(JobQuota, AJobOverQuotaWaitsWithTheReasonAndOthersPassIt) {
  MlFixture all;
  all.driver.script = MastersEnd;
  Limit(all, {.project = {{"CPUS", 4}}});
  std::string instances = "/compute/v1/projects/my-project/zones/us-east1-b/instances";
  std::string holder = InstanceBody("holder");
  ASSERT_FALSE(all.base.Ask("POST", instances, holder).Has("QUOTA_EXCEEDED"));
  all.base.Settle();
  ASSERT_EQ(all.Submit("large").status, 200);  // four CPUs
  ASSERT_EQ(all.Submit("small", kSmall).status, 200);
  all.SettleFor(minutes(2));
  EXPECT_EQ(all.Job("small").job.state, JobState::kSucceeded);
  EXPECT_EQ(all.Job("large").job.state, JobState::kQueued);
  EXPECT_EQ(all.Job("large").job.timeline.back().what,
            "waits for quota: Quota 'CPUS' exceeded.  Limit: 4.0 globally.");
  EXPECT_THAT(all.LinesOf("service"),
              testing::Contains(testing::StartsWith("The job waits for quota: Quota 'CPUS'")));
  all.base.Ask("DELETE", instances + "/holder");
  all.SettleFor(minutes(5));
  EXPECT_EQ(all.Job("large").job.state, JobState::kSucceeded);
}

TEST(JobQuota, ReplicasHoldQuotaUntilTheJobEnds) {
  MlFixture all;
  all.driver.script = MastersEnd;
  Limit(all, {.project = {{"CPUS", 6}}});
  ASSERT_EQ(all.Submit("census", kSixMachines).status, 200);  // six machines of one CPU
  ASSERT_EQ(all.Submit("second", kSmall).status, 200);
  all.base.Settle();
  EXPECT_EQ(all.Job("census").job.state, JobState::kRunning);
  EXPECT_EQ(all.Job("second").job.state, JobState::kQueued);
  std::string instances = "/compute/v1/projects/my-project/zones/us-east1-b/instances";
  EXPECT_TRUE(all.base.Ask("POST", instances, InstanceBody("a")).Has("QUOTA_EXCEEDED"));
  EXPECT_TRUE(all.base.Ask("GET", "/compute/v1/projects/my-project")
                  .Has(R"("metric":"CPUS","limit":6,"usage":6)"));
  all.Restart();
  all.SettleFor(minutes(5));
  EXPECT_EQ(all.Job("second").job.state, JobState::kSucceeded);
  EXPECT_FALSE(all.base.Ask("POST", instances, InstanceBody("a")).Has("QUOTA_EXCEEDED"));
}

TEST(JobQuota, AJobThatCanNeverFitItsQuotaIsRefused) {
  MlFixture all;
  Limit(all, {.user = {{"CPUS", 2}}});
  compute::Reply refused = all.Submit("large");
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_TRUE(refused.Has("Quota 'CPUS' exceeded for user ann@example.com.  Limit: 2.0"));
  EXPECT_EQ(all.Ask("GET", "/v1/projects/my-project/jobs/large").status, 404);
  EXPECT_EQ(all.Submit("small", kSmall).status, 200);
}

}  // namespace
}  // namespace fireweed::ml
