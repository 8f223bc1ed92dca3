#include "compute/filter.h"

#include <gtest/gtest.h>

#include "api/compute/instance.h"
#include "compute/linear_regex.h"

namespace fireweed::compute {
namespace {

using api::compute::Instance;

bool Regex(std::string_view pattern, std::string_view text) {
  return LinearRegex(pattern).Matches(text);
}

TEST(LinearRegexTest, MatchesWholeTextsOnly) {
  EXPECT_TRUE(Regex("abc", "abc"));
  EXPECT_FALSE(Regex("abc", "abcd"));
  EXPECT_FALSE(Regex("abc", "xabc"));
  EXPECT_TRUE(Regex("", ""));
  EXPECT_FALSE(Regex("", "a"));
  EXPECT_TRUE(Regex("^s1$", "s1"));
}

TEST(LinearRegexTest, KnowsTheSyntaxFiltersUse) {
  EXPECT_TRUE(Regex(R"(.*\bmy\-img\b.*)", "my-img"));
  EXPECT_TRUE(Regex(R"(.*\bmy\b.*)", "x-my-img"));
  EXPECT_FALSE(Regex(R"(.*\bmy\b.*)", "amyb"));
  EXPECT_TRUE(Regex(".*(my).*", "amyb"));
  EXPECT_TRUE(Regex("a|bc", "bc"));
  EXPECT_FALSE(Regex("a|bc", "ac"));
  EXPECT_TRUE(Regex("(?:ab)+c?", "ababc"));
  EXPECT_TRUE(Regex("[a-c_]{2,3}", "a_c"));
  EXPECT_FALSE(Regex("[a-c]{2,3}", "abca"));
  EXPECT_FALSE(Regex("[a-c]{2}", "abc"));
  EXPECT_TRUE(Regex("x{2,}", "xxxx"));
  EXPECT_TRUE(Regex("[^0-9]+", "abc"));
  EXPECT_FALSE(Regex("[^0-9]+", "ab1"));
  EXPECT_TRUE(Regex(R"(\d+\.\w*)", "12.a_3"));
  EXPECT_TRUE(Regex("(?i)HeLLo", "hEllO"));
  EXPECT_TRUE(Regex("a{,2}", "a{,2}"));
}

TEST(LinearRegexTest, IsLinearWherePeopleAreNot) {
  std::string many(5000, 'a');
  EXPECT_FALSE(Regex("(a*)*b", many));
  EXPECT_FALSE(Regex("(a|a)*(a|aa)+b", many));
}

TEST(LinearRegexTest, RefusesWhatItDoesNotKnow) {
  for (const char* bad : {"(", ")", "a)", "[", "[b-a]", "*a", "a**", "\\", "(?=a)", "a{3,2}",
                          "a{999}", "\\q", "((((a{200}){200}){200}){200})"}) {
    EXPECT_THROW(LinearRegex{bad}, Failure) << bad;
  }
  EXPECT_THROW(LinearRegex(std::string(1000, '(')), Failure);
}

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
  EXPECT_THROW(Filter(std::string(100, '(') + "a=b"), Failure);
  EXPECT_THROW(Filter("name eq \"" + std::string(9000, 'a') + "\""), Failure);
}

}  // namespace
}  // namespace fireweed::compute
