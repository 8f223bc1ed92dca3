// Requests about jobs: what is refused, lists, labels, accounts and policies.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compute/hidden.h"
#include "describe/json_tree.h"
#include "ml/ml_fixture.h"

namespace fireweed::ml {
namespace {

constexpr const char* kJobs = "/v1/projects/my-project/jobs";

std::string Path(const char* id) { return std::string(kJobs) + "/" + id; }

TEST(JobRequests, RefusesWithTheFieldThatIsWrong) {
  MlFixture all;
  struct Case {
    const char* training;
    const char* says;
  };
  for (
      const Case& c : {
          Case{R"("scaleTier":"BASIC_TPU")", "Field: scale_tier"},
          Case{R"("network":"projects/1/global/networks/x")", "Field: network"},
          Case{R"("scaleTier":"CUSTOM")", "Field: master_type"},
          Case{R"("scaleTier":"CUSTOM","masterType":"n1-bogus-4")", "Field: master_type"},
          Case{R"("workerCount":"2")", "Field: worker_count"},
          Case{R"("scaleTier":"CUSTOM","masterType":"standard","workerCount":"2")",
               "Field: worker_type"},
          Case{
              R"("scaleTier":"CUSTOM","masterType":"standard","workerType":"standard","workerCount":"999")",
              "Field: worker_count"},
          Case{R"("jobDir":"out")", "Field: job_dir"},
          Case{R"("jobDir":"gs://")", "Field: job_dir"},
          Case{R"("jobDir":"gs:///out")", "Field: job_dir"},
          Case{R"("scheduling":{"maxRunningTime":"1h"})", "Field: scheduling.max_running_time"},
          Case{R"("packageUris":["x.tar.gz"])", "Field: package_uris"},
          Case{R"("region":"mars-north1")", "Field: region"},
          Case{R"("masterConfig":{"imageUri":"gcr.io/p/i"})", "Field: master_config.image_uri"},
          Case{R"("masterConfig":{"acceleratorConfig":{"count":"1","type":"TPU_V2"}})",
               "Field: master_config.accelerator_config.type"},
          Case{R"("serviceAccount":"nobody@nowhere")", "Field: service_account"},
          Case{R"("hyperparameters":{"goal":"MAXIMIZE"})", "Field: "},
          Case{R"("scaleTier":"HUGE")", "scaleTier"},
          Case{R"("bogus":1)", "bogus"},
      }) {
    compute::Reply reply = all.Submit("wrong", c.training);
    EXPECT_EQ(reply.status, 400) << c.training;
    EXPECT_EQ(reply.Field("status"), "INVALID_ARGUMENT") << c.training;
    EXPECT_TRUE(reply.Has(c.says)) << c.training << ": " << reply.body;
  }
  EXPECT_EQ(all.Submit("9bad").status, 400);
  EXPECT_EQ(all.Submit("bad-name").status, 400);
  EXPECT_EQ(all.Ask("POST", kJobs, R"({"jobId":"empty"})").status, 400);
  EXPECT_EQ(all.Ask("POST", kJobs, MlFixture::JobBody("anon"), nullptr).status, 401);
  ASSERT_EQ(all.Submit("twice").status, 200);
  EXPECT_EQ(all.Submit("twice").status, 409);
  EXPECT_EQ(all.Ask("GET", Path("missing")).status, 404);
}

TEST(JobRequests, ARuntimeThatThereIsNotIsRefusedAtOnce) {
  MlFixture all;
  compute::Reply reply = all.Submit("wrong", R"("runtimeVersion":"9.99","pythonVersion":"3.7")");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.Field("status"), "INVALID_ARGUMENT");
  EXPECT_TRUE(
      reply.Has("Field: runtime_version Error: The specified runtime version '9.99' with "
                "the Python version '3.7' is not supported or is deprecated."))
      << reply.body;
  EXPECT_TRUE(reply.Has("Supported here are: 1.15, 2.11.")) << reply.body;
  EXPECT_TRUE(reply.Has("fieldViolations")) << reply.body;
  EXPECT_EQ(all.Submit("wrong", R"("runtimeVersion":"2.11")").status, 200) << "the id is free";
  EXPECT_EQ(all.Submit("none").status, 200);
  EXPECT_EQ(
      all.Ask(
             "POST", kJobs,
             R"({"jobId":"image","trainingInput":{"region":"us-central1","runtimeVersion":)"
             R"("9.99","masterConfig":{"imageUri":"projects/debian-cloud/global/images/family/debian-12"}}})")
          .status,
      200);
}

TEST(JobRequests, ListsNewestFirstInPagesWithFilter) {
  MlFixture all;
  for (const char* id : {"a", "b", "c", "d"}) ASSERT_EQ(all.Submit(id).status, 200);
  ASSERT_EQ(all.Ask("POST", Path("b") + ":cancel", "{}").status, 200);
  all.base.Settle();
  compute::Reply first = all.Ask("GET", std::string(kJobs) + "?pageSize=2");
  JsonTree page = JsonTree::Parse(first.body);
  ASSERT_EQ(page.Find("jobs")->items().size(), 2u);
  EXPECT_EQ(page.Find("jobs")->items()[0].TextOf("jobId"), "d");
  EXPECT_EQ(page.Find("jobs")->items()[1].TextOf("jobId"), "c");
  JsonTree second = JsonTree::Parse(
      all.Ask("GET", std::string(kJobs) + "?pageSize=2&pageToken=" + page.TextOf("nextPageToken"))
          .body);
  EXPECT_EQ(second.Find("jobs")->items()[0].TextOf("jobId"), "b");
  EXPECT_EQ(second.TextOf("nextPageToken"), "");
  JsonTree cancelled =
      JsonTree::Parse(all.Ask("GET", std::string(kJobs) + "?filter=state%3DCANCELLED").body);
  ASSERT_EQ(cancelled.Find("jobs")->items().size(), 1u);
  EXPECT_EQ(cancelled.Find("jobs")->items()[0].TextOf("jobId"), "b");
  EXPECT_EQ(all.Ask("GET", std::string(kJobs) + "?filter=%28%28").status, 400);
}

TEST(JobRequests, LabelsChangeUnderTheirEtag) {
  MlFixture all;
  ASSERT_EQ(all.Ask("POST", kJobs, MlFixture::JobBody("l", "", R"("labels":{"a":"b"})")).status,
            200);
  std::string etag = all.Ask("GET", Path("l")).Field("etag");
  ASSERT_FALSE(etag.empty());
  compute::Reply changed = all.Ask("PATCH", Path("l") + "?updateMask=labels",
                                   R"({"labels":{"team":"vision"},"etag":")" + etag + R"("})");
  EXPECT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(all.Job("l").job.labels, (std::map<std::string, std::string>{{"team", "vision"}}));
  EXPECT_EQ(all.Ask("PATCH", Path("l") + "?updateMask=labels",
                    R"({"labels":{},"etag":")" + etag + R"("})")
                .status,
            409);
  EXPECT_EQ(all.Ask("PATCH", Path("l") + "?updateMask=state", "{}").status, 400);
  EXPECT_EQ(all.Ask("PATCH", Path("l"), "{}").status, 400);
}

TEST(JobRequests, LabelsAreMeasuredInCharacters) {
  MlFixture all;
  auto status = [&](const char* id, const std::string& key, const std::string& value) {
    std::string labels = fmt::format(R"("labels":{{"{}":"{}"}})", key, value);
    return all.Ask("POST", kJobs, MlFixture::JobBody(id, "", labels)).status;
  };
  std::string word;
  for (int i = 0; i < 63; ++i) word += "\u0436";
  EXPECT_EQ(status("fits", word, word), 200);
  EXPECT_EQ(status("long", "key", word + "x"), 400);
  for (const char* key : {"-a", "_a", "1a", "Key", ""}) {
    EXPECT_EQ(status("wrong", key, ""), 400) << key;
  }
}

TEST(JobRequests, HiddenInstancesAreShownWhenAskedFor) {
  MlFixture all;
  ASSERT_EQ(all.Submit("hidden").status, 200);
  all.base.Settle();
  std::string list = "/compute/v1/projects/my-project/zones/us-central1-a/instances";
  EXPECT_FALSE(all.base.Ask("GET", list).Has("cmle-training"));
  EXPECT_TRUE(
      all.base.Ask("GET", list + "?filter=labels.fireweed-hidden%3Atrue").Has("cmle-training"));
  EXPECT_FALSE(all.base.Ask("GET", "/compute/v1/projects/my-project/zones/us-central1-a/disks")
                   .Has("cmle-training"));
}

TEST(JobRequests, WhoeverSubmitsAJobMustBeAllowedToActAsItsAccount) {
  MlFixture all;
  std::string email = all.Ask("GET", "/v1/projects/my-project:getConfig").Field("serviceAccount");
  std::string training = R"("serviceAccount":")" + email + '"';
  all.base.access.denied = {"iam.serviceAccounts.actAs serviceAccounts/" + email};
  compute::Reply refused = all.Submit("mine", training);
  EXPECT_EQ(refused.status, 403) << refused.body;
  EXPECT_EQ(refused.Field("status"), "PERMISSION_DENIED");
  EXPECT_TRUE(refused.Has("iam.serviceAccounts.actAs")) << refused.body;
  EXPECT_TRUE(refused.Has(email)) << refused.body;
  EXPECT_EQ(all.Ask("GET", "/v1/projects/my-project/jobs/mine").status, 404);
  // The project's own account is the service's to act as, where nobody names it.
  EXPECT_EQ(all.Submit("ours").status, 200);
  all.base.access.denied.clear();
  EXPECT_EQ(all.Submit("mine", training).status, 200);
}

TEST(JobRequests, TheServiceAccountIsARealOne) {
  MlFixture all;
  compute::Reply config = all.Ask("GET", "/v1/projects/my-project:getConfig");
  ASSERT_EQ(config.status, 200) << config.body;
  std::string email = config.Field("serviceAccount");
  EXPECT_TRUE(email.ends_with("@cloud-ml.google.com.iam.gserviceaccount.com"));
  EXPECT_EQ(all.Ask("GET", "/v1/projects/my-project:getConfig").Field("serviceAccount"), email);
  EXPECT_TRUE(all.Ask("GET", "/v1/projects/my-project/locations").Has("us-central1"));
  EXPECT_EQ(all.Ask("GET", "/v1/projects/my-project/locations/us-central1").status, 200);
  EXPECT_EQ(all.Ask("GET", "/v1/projects/my-project/locations/mars").status, 404);
  EXPECT_EQ(all.Ask("GET", "/v1/projects/my-project/locations/us-central1/studies").status, 404);
}

TEST(JobRequests, PoliciesOfTheirOwn) {
  MlFixture all;
  ASSERT_EQ(all.Submit("mine").status, 200);
  EXPECT_TRUE(all.Ask("GET", Path("mine") + ":getIamPolicy").Has("roles/ml.jobOwner"));
  compute::Reply set = all.Ask(
      "POST", Path("mine") + ":setIamPolicy",
      R"({"policy":{"bindings":[{"role":"roles/ml.viewer","members":["user:bob@example.com"]}]}})");
  EXPECT_EQ(set.status, 200) << set.body;
  EXPECT_TRUE(
      all.Ask("POST", Path("mine") + ":testIamPermissions", R"({"permissions":["ml.jobs.get"]})")
          .Has("ml.jobs.get"));
}

}  // namespace
}  // namespace fireweed::ml
