#include "logs/entry_filter.h"

#include <span>

#include <gtest/gtest.h>

#include "base/error.h"

namespace fireweed::logs {
namespace {

using api::logging::LogEntry;
using api::logging::Severity;

LogEntry Sample() {
  LogEntry entry;
  entry.logName = "projects/p/logs/master-replica-0";
  entry.resource = {"ml_job", {{"job_id", "census_1"}, {"task_name", "master-replica-0"}}};
  entry.timestamp = *ParseTime("2026-11-15T07:00:00.5Z");
  entry.receiveTimestamp = *ParseTime("2026-11-15T07:00:01Z");
  entry.severity = Severity::kError;
  entry.insertId = "id-7";
  entry.labels = {{"compute.googleapis.com/resource_id", "42"}, {"trial", "3"}};
  entry.jsonPayload.text =
      R"({"message":"Saving checkpoint at step 8754","loss":0.25,"tags":["a","b"],"deep":{"x":true,"no":null},)"
      R"("sizes":[3,40,[500]],"none":[],"steps":[{"name":"train","secs":9},{"name":"eval","files":["x.txt"]}]})";
  return entry;
}

struct Case {
  const char* filter;
  bool matches;
};

void ExpectAll(std::span<const Case> cases) {
  for (const Case& c : cases) {
    EXPECT_EQ(EntryFilter(c.filter).Matches(Sample()), c.matches) << c.filter;
  }
}

TEST(EntryFilterTest, ComparesFieldsAsTheOriginalDoes) {
  constexpr Case kCases[] = {
      {"", true},
      {"   ", true},
      {"-- only a comment", true},
      // Fields and comparisons.
      {"severity=ERROR", true},
      {"severity>=WARNING", true},
      {"severity<error", false},
      {"severity>ERROR", false},
      {"severity=500", true},
      {"severity!=INFO", true},
      {"severity=(ERROR OR CRITICAL)", true},
      {"severity=(INFO OR NOTICE)", false},
      {"resource.type=\"ml_job\"", true},
      {"resource.type = ml_job", true},
      {"resource.type=ML_JOB", true},
      {"resource.labels.job_id=\"census_1\"", true},
      {"resource.labels.job_id=\"census_2\"", false},
      {"resource.labels.task_name=(\"master-replica-0\" OR \"worker-replica-0\")", true},
      {"logName=\"projects/p/logs/master-replica-0\"", true},
      {"log_id(\"master-replica-0\")", true},
      {"log_id(\"other\")", false},
      {"insertId=\"id-7\"", true},
      {"labels.trial=3", true},
      {"labels.\"compute.googleapis.com/resource_id\"=\"42\"", true},
      {"labels.missing=3", false},
      {"labels.missing!=3", true},
      {"NOT labels.missing=3", true},
      {"labels.trial:*", true},
      {"labels.missing:*", false},
      // Times.
      {"timestamp>=\"2026-11-15T07:00:00Z\"", true},
      {"timestamp>=\"2026-11-15T07:00:00.5Z\"", true},
      {"timestamp>\"2026-11-15T07:00:00.5Z\"", false},
      {"timestamp<\"2026-11-15\"", false},
  };
  ExpectAll(kCases);
}

TEST(EntryFilterTest, LooksIntoPayloads) {
  constexpr Case kCases[] = {
      {"jsonPayload.message:checkpoint", true},
      {"jsonPayload.message:\"CHECKPOINT AT\"", true},
      {"jsonPayload.message=~\"step [0-9]+$\"", true},
      {"jsonPayload.message=~\"^step\"", false},
      {"jsonPayload.message!~\"^step\"", true},
      {"jsonPayload.loss<0.3", true},
      {"jsonPayload.loss>=0.3", false},
      {"jsonPayload.loss=0.25", true},
      {"jsonPayload.loss:0.25", true},
      {"jsonPayload.loss>-1", true},
      {"jsonPayload.deep.x=true", true},
      {"jsonPayload.deep.y=true", false},
      {"textPayload:anything", false},
      // Words.
      {"8754", true},
      {"\"checkpoint at\"", true},
      {"unheard", false},
      {"-unheard", true},
      {"census_1", true},
  };
  ExpectAll(kCases);
}

TEST(EntryFilterTest, LooksIntoLists) {
  constexpr Case kCases[] = {
      {"jsonPayload.tags=b", true},
      {"jsonPayload.tags:B", true},
      {"jsonPayload.tags=c", false},
      {"jsonPayload.tags=~\"^[bc]$\"", true},
      {"jsonPayload.tags!~\"^[bc]$\"", false},
      {"jsonPayload.tags!=b", false},
      {"jsonPayload.tags!=c", true},
      {"NOT jsonPayload.tags=b", false},
      {"jsonPayload.tags=(c OR a)", true},
      {"jsonPayload.sizes>30", true},
      {"jsonPayload.sizes>499", true},
      {"jsonPayload.sizes>500", false},
      {"jsonPayload.sizes<3", false},
      {"jsonPayload.tags:*", true},
      {"jsonPayload.none:*", false},
      {"jsonPayload.none!=a", true},
      {"jsonPayload.steps.name=eval", true},
      {"jsonPayload.steps.name=test", false},
      {"jsonPayload.steps.secs>=9", true},
      {"jsonPayload.steps.files:txt", true},
      {"jsonPayload.steps.missing:*", false},
      {"jsonPayload.steps:eval", true},
  };
  ExpectAll(kCases);
}

TEST(EntryFilterTest, ConnectsLikeTheOriginal) {
  constexpr Case kCases[] = {
      // NOT before OR before AND; side by side is AND.
      {"severity=ERROR resource.type=ml_job", true},
      {"severity=ERROR AND resource.type=other", false},
      {"severity=INFO OR resource.type=ml_job", true},
      {"resource.type=other AND severity=ERROR OR severity=ERROR", false},
      {"severity=INFO OR severity=ERROR AND resource.type=ml_job", true},
      {"NOT severity=INFO AND NOT severity=DEBUG", true},
      {"NOT (severity=ERROR AND resource.type=ml_job)", false},
      {"-severity=INFO", true},
      {"(severity=ERROR)", true},
      {"severity=ERROR -- and a comment\nAND resource.type=ml_job", true},
  };
  ExpectAll(kCases);
}

TEST(EntryFilterTest, RefusesWhatItDoesNotUnderstand) {
  for (const char* bad :
       {"severity=", "AND", "severity=ERROR AND", "(severity=ERROR", "severity=ERROR)", "\"open",
        "severity=LOUD", "timestamp>soon", "textPayload=~\"(\"", "sample(insertId, 0.1)", "a OR",
        "NOT", "severity==ERROR", "labels.=3 ("}) {
    EXPECT_THROW(EntryFilter{bad}, Failure) << bad;
  }
  EXPECT_THROW(EntryFilter(std::string(5000, '(')), Failure);
  EXPECT_THROW(EntryFilter(std::string(30000, 'a')), Failure);
}

TEST(EntryFilterTest, SaysWhereNotToLook) {
  EntryFilter filter(
      "resource.labels.job_id=\"j\" timestamp>=\"2026-11-15T07:00:00Z\" "
      "timestamp<\"2026-11-15T08:00:00Z\" severity>INFO");
  EXPECT_EQ(filter.bounds().job, "j");
  EXPECT_EQ(Time(Duration(filter.bounds().from)), *ParseTime("2026-11-15T07:00:00Z"));
  EXPECT_EQ(Time(Duration(filter.bounds().to)), *ParseTime("2026-11-15T08:00:00Z"));
  EntryFilter either("resource.labels.job_id=\"j\" OR timestamp>=\"2026-11-15T07:00:00Z\"");
  EXPECT_FALSE(either.bounds().job);
  EXPECT_EQ(either.bounds().from, INT64_MIN);
}

}  // namespace
}  // namespace fireweed::logs
