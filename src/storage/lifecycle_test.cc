// The rules of a bucket's life cycle: the plan as a table, and the controller on real rows.
#include <gtest/gtest.h>

#include "control/action_pool.h"
#include "control/control_loop.h"
#include "storage/lifecycle_controller.h"
#include "storage/lifecycle_plan.h"
#include "storage/storage_fixture.h"

namespace fireweed::storage {
namespace {

using Kind = LifecycleStep::Kind;

Time At(const char* text) { return *ParseTime(text); }

std::vector<LifecycleRule> Rules(const std::vector<std::string>& texts) {
  api::storage::Lifecycle lifecycle;
  for (const std::string& text : texts) lifecycle.rule.push_back({text});
  return ParseLifecycle(lifecycle);
}

std::string DeleteIf(const std::string& condition) {
  return R"({"action":{"type":"Delete"},"condition":)" + condition + "}";
}
std::string MoveIf(const std::string& storage_class, const std::string& condition) {
  return R"({"action":{"type":"SetStorageClass","storageClass":")" + storage_class +
         R"("},"condition":)" + condition + "}";
}

// A noncurrent version, so that every condition has something to hold for.
VersionFacts Sample() {
  VersionFacts facts;
  facts.name = "logs/day.txt";
  facts.storage_class = "STANDARD";
  facts.live = false;
  facts.created = At("2026-01-10T12:00:00Z");
  facts.noncurrent_since = At("2026-02-10T12:00:00Z");
  facts.custom_time = At("2026-01-05T00:00:00Z");
  facts.newer_versions = 2;
  return facts;
}
const Time kNow = At("2026-03-01T12:00:00Z");

TEST(LifecyclePlan, EveryConditionHoldsOrNot) {
  struct Case {
    const char* condition;
    bool holds;
  };
  const Case cases[] = {
      {R"({"age":50})", true},
      {R"({"age":51})", false},
      {R"({"age":0})", true},
      {R"({"createdBefore":"2026-01-11"})", true},
      {R"({"createdBefore":"2026-01-10"})", false},
      {R"({"customTimeBefore":"2026-01-06"})", true},
      {R"({"customTimeBefore":"2026-01-05"})", false},
      {R"({"daysSinceCustomTime":55})", true},
      {R"({"daysSinceCustomTime":56})", false},
      {R"({"daysSinceNoncurrentTime":19})", true},
      {R"({"daysSinceNoncurrentTime":20})", false},
      {R"({"noncurrentTimeBefore":"2026-02-11"})", true},
      {R"({"noncurrentTimeBefore":"2026-02-10"})", false},
      {R"({"isLive":false})", true},
      {R"({"isLive":true})", false},
      {R"({"numNewerVersions":2})", true},
      {R"({"numNewerVersions":3})", false},
      {R"({"matchesPrefix":["x","logs/"]})", true},
      {R"({"matchesPrefix":["x"]})", false},
      {R"({"matchesSuffix":[".txt"]})", true},
      {R"({"matchesSuffix":[".csv"]})", false},
      {R"({"matchesStorageClass":["NEARLINE","STANDARD"]})", true},
      {R"({"matchesStorageClass":["NEARLINE"]})", false},
      {R"({"age":50,"isLive":true})", false},
      {R"({"age":50,"matchesPrefix":["logs"],"matchesSuffix":["txt"]})", true},
      {R"({"age":50,"matchesPrefix":["logs"],"matchesSuffix":["csv"]})", false},
  };
  for (const Case& c : cases) {
    LifecycleStep step = PlanVersion(Rules({DeleteIf(c.condition)}), Sample(), kNow);
    EXPECT_EQ(step.kind, c.holds ? Kind::kDelete : Kind::kNothing) << c.condition;
  }
}

TEST(LifecyclePlan, WhatIsNotThereHoldsForNoCondition) {
  VersionFacts live = Sample();
  live.live = true;
  live.noncurrent_since = live.custom_time = Time{};
  for (const char* condition :
       {R"({"daysSinceNoncurrentTime":0})", R"({"noncurrentTimeBefore":"2030-01-01"})",
        R"({"daysSinceCustomTime":0})", R"({"customTimeBefore":"2030-01-01"})"}) {
    EXPECT_EQ(PlanVersion(Rules({DeleteIf(condition)}), live, kNow), LifecycleStep{}) << condition;
  }
}

TEST(LifecyclePlan, DeleteBeatsClassesAndTheColdestClassWins) {
  const std::string any = R"({"age":1})";
  auto plan = [&](const std::vector<std::string>& rules, const char* storage_class) {
    VersionFacts facts = Sample();
    facts.storage_class = storage_class;
    LifecycleStep step = PlanVersion(Rules(rules), facts, kNow);
    return step.kind == Kind::kDelete ? "delete" : step.storage_class;
  };
  EXPECT_EQ(plan({MoveIf("NEARLINE", any), DeleteIf(any)}, "STANDARD"), "delete");
  EXPECT_EQ(plan({MoveIf("COLDLINE", any), MoveIf("NEARLINE", any)}, "STANDARD"), "COLDLINE");
  EXPECT_EQ(plan({MoveIf("NEARLINE", any), MoveIf("ARCHIVE", any)}, "COLDLINE"), "ARCHIVE");
  EXPECT_EQ(plan({MoveIf("NEARLINE", any)}, "COLDLINE"), "") << "nothing gets warmer";
  EXPECT_EQ(plan({MoveIf("NEARLINE", any)}, "NEARLINE"), "");
  EXPECT_EQ(plan({MoveIf("NEARLINE", any)}, "REGIONAL"), "NEARLINE");
}

TEST(LifecyclePlan, WhatIsHeldIsNotDeletedButMayMove) {
  VersionFacts facts = Sample();
  facts.held = true;
  std::vector<LifecycleRule> rules =
      Rules({DeleteIf(R"({"age":1})"), MoveIf("ARCHIVE", R"({"age":1})")});
  EXPECT_EQ(PlanVersion(rules, facts, kNow), (LifecycleStep{Kind::kSetStorageClass, "ARCHIVE"}));
}

TEST(LifecyclePlan, UploadsInPartsAreGivenUp) {
  std::vector<LifecycleRule> rules = Rules(
      {R"({"action":{"type":"AbortIncompleteMultipartUpload"},"condition":{"age":7,"matchesPrefix":["a"]}})"});
  EXPECT_TRUE(PlanAbort(rules, "a/b", kNow - std::chrono::days(7), kNow));
  EXPECT_FALSE(PlanAbort(rules, "a/b", kNow - std::chrono::days(6), kNow));
  EXPECT_FALSE(PlanAbort(rules, "b", kNow - std::chrono::days(7), kNow));
  EXPECT_EQ(PlanVersion(rules, Sample(), kNow), LifecycleStep{}) << "objects are left alone";
  EXPECT_FALSE(
      PlanAbort(Rules({DeleteIf(R"({"age":1})")}), "a", kNow - std::chrono::days(7), kNow));
}

TEST(LifecyclePlan, WhatIsNoRuleIsRefused) {
  for (const std::string& rule :
       {DeleteIf("{}"), DeleteIf(R"({"age":-1})"), DeleteIf(R"({"createdBefore":"soon"})"),
        DeleteIf(R"({"matchesStorageClass":["TEPID"]})"), MoveIf("TEPID", R"({"age":1})"),
        std::string(R"({"action":{"type":"Burn"},"condition":{"age":1}})"),
        std::string(R"({"condition":{"age":1}})")}) {
    EXPECT_THROW(Rules({rule}), Failure) << rule;
  }
}

class Lifecycle : public StorageFixture, public testing::Test {
 protected:
  Lifecycle() {
    Send("POST", "/storage/v1/b?project=p-cycle-1",
         R"({"name":"cycle-bucket","versioning":{"enabled":true}})");
    loop.Add(controller);
  }
  void SetRule(const std::string& rule) {
    Reply reply =
        Send("PATCH", "/storage/v1/b/cycle-bucket", R"({"lifecycle":{"rule":[)" + rule + "]}}");
    EXPECT_EQ(reply.status, 200) << reply.body;
  }
  // "name class live|old", for every version.
  std::vector<std::string> Versions() {
    ListingQuery query;
    query.versions = true;
    std::vector<std::string> versions;
    for (const ListedVersion& item : service->store().List("cycle-bucket", query).items) {
      const char* state = item.row.deleted == Time{} ? " live" : " old";
      versions.push_back(item.name + " " + item.row.storage_class + state);
    }
    return versions;
  }
  // Every page that is due, one after another; when the next round is.
  std::optional<Time> Settle() {
    std::optional<Time> next = loop.RunDue();
    while (actions.size() > 0) {
      actions.Run(0);
      next = loop.RunDue();
    }
    return next;
  }
  void RunFor(Duration duration) {
    Time end = clock.Now() + duration;
    std::optional<Time> next = Settle();
    while (next && *next <= end) {
      clock.JumpTo(*next);
      next = Settle();
    }
    clock.JumpTo(end);
  }

  ControlLoop loop{catalog, clock, log};
  QueuedActionPool actions{loop};
  LifecycleController controller{catalog, service->store(), service->part_uploads(), actions, clock,
                                 log};
};

TEST_F(Lifecycle, ObjectsMoveAndGoInTime) {
  Upload("cycle-bucket", "a", "text");
  Upload("cycle-bucket", "keep", "text");
  SetRule(MoveIf("COLDLINE", R"({"age":10,"matchesPrefix":["a"]})") + "," +
          DeleteIf(R"({"age":20,"isLive":true,"matchesPrefix":["a"]})") + "," +
          DeleteIf(R"({"daysSinceNoncurrentTime":5})"));
  RunFor(std::chrono::days(9));
  EXPECT_EQ(Versions(), (std::vector<std::string>{"a STANDARD live", "keep STANDARD live"}));
  RunFor(std::chrono::days(2));
  EXPECT_EQ(Versions(), (std::vector<std::string>{"a COLDLINE live", "keep STANDARD live"}));
  RunFor(std::chrono::days(10));
  EXPECT_EQ(Versions(), (std::vector<std::string>{"a COLDLINE old", "keep STANDARD live"}));
  RunFor(std::chrono::days(6));
  EXPECT_EQ(Versions(), (std::vector<std::string>{"keep STANDARD live"}));
  EXPECT_EQ(BlobCount(), 1);
}

TEST_F(Lifecycle, ASetRuleActsAtOnceOnEveryPage) {
  for (int i = 0; i < LifecycleController::kPage + 50; ++i) {
    Upload("cycle-bucket", "n" + std::to_string(i), "x");
    if (i % 100 == 0) Upload("cycle-bucket", "n" + std::to_string(i), "y");
  }
  SetRule(DeleteIf(R"({"numNewerVersions":1})"));
  Settle();
  EXPECT_EQ(Versions().size(), size_t{LifecycleController::kPage + 50});
}

TEST_F(Lifecycle, UploadsInPartsThatNobodyEndedGo) {
  Reply begun = Send("POST", "/cycle-bucket/a?uploads");
  size_t at = begun.body.find("<UploadId>") + 10;
  std::string id = begun.body.substr(at, begun.body.find('<', at) - at);
  std::string part = "/cycle-bucket/a?partNumber=1&uploadId=" + id;
  EXPECT_EQ(Send("PUT", part, "some bytes").status, 200);
  SetRule(R"({"action":{"type":"AbortIncompleteMultipartUpload"},"condition":{"age":7}})");
  RunFor(std::chrono::days(6));
  EXPECT_EQ(Send("PUT", part, "some bytes").status, 200);
  RunFor(std::chrono::days(2));
  EXPECT_EQ(Send("PUT", part, "some bytes").status, 404);
  EXPECT_EQ(BlobCount(), 0);
}

// Other controllers wait for the control thread, not for a page of commits.
TEST_F(Lifecycle, TheControlThreadOnlyAsksForAPage) {
  Upload("cycle-bucket", "a", "text");
  SetRule(DeleteIf(R"({"age":0,"isLive":true})"));
  EXPECT_EQ(loop.RunDue(), std::nullopt);
  EXPECT_EQ(Versions(), (std::vector<std::string>{"a STANDARD live"}));
  ASSERT_EQ(actions.size(), 1u);
  actions.Run(0);
  EXPECT_EQ(Versions(), (std::vector<std::string>{"a STANDARD old"}));
}

TEST_F(Lifecycle, ARuleThatIsSetDuringARoundSeesEveryObject) {
  for (int i = 0; i < LifecycleController::kPage + 1; ++i) {
    Upload("cycle-bucket", "n" + std::to_string(i), "x");
  }
  SetRule(DeleteIf(R"({"age":50})"));
  loop.RunDue();
  SetRule(DeleteIf(R"({"age":0,"isLive":true,"matchesPrefix":["n0"]})"));
  actions.Run(0);
  Settle();
  EXPECT_EQ(Versions().front(), "n0 STANDARD old");
}

TEST_F(Lifecycle, AnActionEndsAPageOfUploads) {
  constexpr int kUploads = LifecycleController::kPage + 50;
  for (int i = 0; i < kUploads; ++i)
    Send("POST", "/cycle-bucket/a" + std::to_string(i) + "?uploads");
  SetRule(R"({"action":{"type":"AbortIncompleteMultipartUpload"},"condition":{"age":7}})");
  Settle();
  clock.Advance(std::chrono::days(8));
  auto unfinished_after_page = [&] {
    loop.RunDue();
    actions.Run(0);
    return service->part_uploads().List("cycle-bucket", "", "", "", 2 * kUploads).items.size();
  };
  EXPECT_EQ(unfinished_after_page(), size_t{kUploads}) << "the page of objects";
  EXPECT_EQ(unfinished_after_page(), 50u);
  EXPECT_EQ(unfinished_after_page(), 0u);
  EXPECT_EQ(loop.RunDue(), clock.Now() + LifecycleController::kEvery);
}

TEST_F(Lifecycle, AHeldObjectStays) {
  Upload("cycle-bucket", "a", "text");
  Send("PATCH", "/storage/v1/b/cycle-bucket/o/a", R"({"temporaryHold":true})");
  SetRule(DeleteIf(R"({"age":0})"));
  RunFor(std::chrono::days(1));
  EXPECT_EQ(Versions(), (std::vector<std::string>{"a STANDARD live"}));
}

}  // namespace
}  // namespace fireweed::storage
