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

}  // namespace
}  // namespace fireweed::ml
