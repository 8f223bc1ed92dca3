// What a job takes from other projects, whoever submits it must be allowed to take.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ml/ml_fixture.h"

namespace fireweed::ml {
namespace {

constexpr const char* kJobs = "/v1/projects/my-project/jobs";

compute::Reply Predict(MlFixture& all, const std::string& id, const std::string& what) {
  return all.Ask("POST", kJobs,
                 fmt::format(R"({{"jobId":"{}","predictionInput":{{{},"region":"us-central1",)"
                             R"("dataFormat":"JSON","inputPaths":["gs://b/in"],)"
                             R"("outputPath":"gs://b/out"}}}})",
                             id, what));
}

TEST(JobRights, ABatchPredictionNeedsTheRightToAskItsModel) {
  MlFixture all;
  const std::string model = R"("modelName":"projects/theirs/models/m")";
  const std::string version = R"("versionName":"projects/theirs/models/m/versions/v")";
  all.base.access.denied = {"ml.models.predict projects/theirs/models/m",
                            "ml.versions.predict projects/theirs/models/m"};
  for (const std::string& what : {model, version}) {
    compute::Reply refused = Predict(all, "theirs", what);
    EXPECT_EQ(refused.status, 403) << what << refused.body;
    EXPECT_TRUE(refused.Has("projects/theirs/models/m")) << refused.body;
  }
  EXPECT_EQ(all.Ask("GET", std::string(kJobs) + "/theirs").status, 404);
  EXPECT_EQ(Predict(all, "ours", R"("modelName":"projects/my-project/models/m")").status, 200);
  EXPECT_EQ(Predict(all, "short", R"("versionName":"models/m/versions/v")").status, 200);
  EXPECT_EQ(Predict(all, "place", R"("uri":"gs://b/model")").status, 200);

  all.base.access.denied = {"ml.models.predict projects/my-project/models/m"};
  EXPECT_EQ(Predict(all, "closed", R"("modelName":"models/m")").status, 403);
  all.base.access.denied.clear();
  EXPECT_EQ(Predict(all, "theirs", version).status, 200);
}

TEST(JobRights, ANameThatIsNoModelsIsRefused) {
  MlFixture all;
  for (const char* name : {"m", "projects/p", "projects/p/jobs/m", "projects//models/m",
                           "projects/p/models/m/versions", "projects/p/models/m/versions/v/w"}) {
    compute::Reply refused = Predict(all, "wrong", fmt::format(R"("modelName":"{}")", name));
    EXPECT_EQ(refused.status, 400) << name;
    EXPECT_TRUE(refused.Has("Field: prediction_input.model_name")) << refused.body;
  }
}

compute::Reply Train(MlFixture& all, const std::string& id, const std::string& configs) {
  return all.Ask("POST", kJobs,
                 fmt::format(R"({{"jobId":"{}","trainingInput":{{"region":"us-central1",)"
                             R"("scaleTier":"CUSTOM","masterType":"n1-standard-1",)"
                             R"("workerType":"n1-standard-1","workerCount":"1",)"
                             R"("parameterServerType":"n1-standard-1","parameterServerCount":"1",)"
                             R"("evaluatorType":"n1-standard-1","evaluatorCount":"1",{}}}}})",
                             id, configs));
}

void RegisterImage(MlFixture& all, const std::string& project, const std::string& name) {
  compute::ImageRecord image{.project = project, .resource = {}, .root = {}, .backoff = {}};
  image.resource.name = name;
  image.resource.status = "READY";
  image.resource.selfLink = fmt::format("projects/{}/global/images/{}", project, name);
  all.base.catalog.Write("test", [&](Txn& txn) { txn.Put(image.key(), image); });
}

TEST(JobRights, AnImageOfAnotherProjectNeedsTheRightToUseIt) {
  MlFixture all;
  RegisterImage(all, "theirs", "i");
  for (const char* name : {"i", "trainer"}) RegisterImage(all, "my-project", name);
  all.base.access.denied = {"compute.images.useReadOnly projects/theirs/global/images/i",
                            "compute.images.useReadOnly projects/theirs"};
  const std::string own = R"("masterConfig":{"imageUri":"gcr.io/my-project/trainer:v2"})";
  for (const char* image :
       {"projects/theirs/global/images/i", "projects/theirs/global/images/family/f",
        "https://www.googleapis.com/compute/v1/projects/theirs/global/images/i"}) {
    std::string uri = fmt::format(R"({{"imageUri":"{}"}})", image);
    for (const std::string& configs :
         {"\"masterConfig\":" + uri, own + ",\"workerConfig\":" + uri,
          own + ",\"parameterServerConfig\":" + uri, own + ",\"evaluatorConfig\":" + uri}) {
      compute::Reply refused = Train(all, "theirs", configs);
      EXPECT_EQ(refused.status, 403) << configs << refused.body;
      EXPECT_TRUE(refused.Has("compute.images.useReadOnly")) << refused.body;
    }
  }
  int count = 0;
  for (const char* image :
       {"gcr.io/theirs/i", "trainer", "us-docker.pkg.dev/theirs/projects/i@sha256:0",
        "projects/my-project/global/images/i", "global/images/i",
        "projects/debian-cloud/global/images/family/debian-12"}) {
    compute::Reply made = Train(all, fmt::format("j{}", ++count),
                                fmt::format(R"("masterConfig":{{"imageUri":"{}"}})", image));
    EXPECT_EQ(made.status, 200) << image << made.body;
  }
  all.base.access.denied.clear();
  std::string theirs = R"("masterConfig":{"imageUri":"projects/theirs/global/images/i"})";
  EXPECT_EQ(Train(all, "theirs", theirs).status, 200);
}

}  // namespace
}  // namespace fireweed::ml
