#include "compute/filter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/compute/instance.h"
#include "api/ml/job.h"

namespace fireweed::compute {
namespace {

using api::compute::Instance;

Instance Sample() {
  Instance instance;
  instance.name = "my-vm";
  instance.status = api::compute::InstanceStatus::kRunning;
  instance.labels = {{"team", "red"}};
  instance.scheduling.preemptible = true;
  instance.id = 42;
  instance.tags.items = {"http", "ssh"};
  return instance;
}

bool Match(std::string_view filter) { return Filter(filter).Matches(Sample()); }

TEST(FilterTest, WhatGcloudSends) {
  EXPECT_TRUE(Match(""));
  EXPECT_TRUE(Match(R"(name eq ".*\bmy\-vm\b.*")"));
  EXPECT_FALSE(Match(R"(name eq ".*\byour\b.*")"));
  EXPECT_TRUE(Match("name eq ^my-vm$"));
  EXPECT_TRUE(Match("status eq RUNNING"));
  EXPECT_FALSE(Match("status ne RUNNING"));
  EXPECT_TRUE(Match("(status eq RUNNING)(name eq my-.*)"));
  EXPECT_FALSE(Match("(status eq RUNNING)(name eq x.*)"));
  EXPECT_TRUE(Match("scheduling.preemptible eq true"));
  EXPECT_TRUE(Match("name eq (my|your)-vm"));
}

TEST(FilterTest, TheNewerDialect) {
  EXPECT_TRUE(Match("name = my-vm AND status = RUNNING"));
  EXPECT_TRUE(Match("name=x OR labels.team=red"));
  EXPECT_FALSE(Match("NOT labels.team:*"));
  EXPECT_TRUE(Match("-labels.shape:*"));
  EXPECT_TRUE(Match("id > 41 AND id <= 42"));
  EXPECT_TRUE(Match("tags.items=ssh"));
  EXPECT_FALSE(Match("tags.items!=ssh"));
  EXPECT_TRUE(Match("name:my"));
  EXPECT_TRUE(Match("(name=x OR (name=my-vm AND NOT status=STOPPING))"));
}

TEST(FilterTest, TimesAreInstants) {
  api::ml::Job job{.jobId = "j", .createTime = ParseTime("2026-11-16T16:47:41.673Z")};
  auto match = [&](std::string_view filter) { return Filter(filter).Matches(job); };
  EXPECT_TRUE(match(R"(createTime>="2026-11-16T16:47:41Z")"));
  EXPECT_FALSE(match(R"(createTime<"2026-11-16T16:47:41Z")"));
  EXPECT_TRUE(match(R"(createTime>="2026-11-16T18:47:41+02:00")"));
  EXPECT_TRUE(match(R"(createTime<"2026-11-16T17:47:42+01:00")"));
  EXPECT_TRUE(match(R"(createTime="2026-11-16T17:47:41.673000+01:00")"));
  EXPECT_TRUE(match("createTime>2026-11-16 AND createTime<2026-11-17"));
  EXPECT_TRUE(match(R"(create_time>="2026-11-16T16:47:41Z" AND job_id=j)"));
  EXPECT_THROW(match(R"(createTime<"x")"), Failure);
  EXPECT_FALSE(match(R"(endTime<"2026-11-17T00:00:00Z")")) << "it has not ended";
}

TEST(FilterTest, AbsentFieldsEqualNothing) {
  EXPECT_FALSE(Match("description eq .*"));
  EXPECT_TRUE(Match("description ne foo"));
  EXPECT_FALSE(Match("nothing.like.this eq 1"));
}

TEST(FilterTest, RefusesBrokenText) {
  for (const char* bad : {"name", "name eq", "(name eq a", "name eq a)", "= b", "name ~ b",
                          R"(name eq "a)", "name eq [", "a=b OR"}) {
    EXPECT_THROW(Filter{bad}, Failure) << bad;
  }
  EXPECT_THROW(Filter(fmt::format("{:(>100}a=b", "")), Failure);
  EXPECT_THROW(Filter(fmt::format("name eq \"{:a>9000}\"", "")), Failure);
}

}  // namespace
}  // namespace fireweed::compute
