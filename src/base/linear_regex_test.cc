#include "base/linear_regex.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace fireweed {
namespace {

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

TEST(LinearRegexTest, FindsPartsOfATextWhereAsked) {
  auto found = [](std::string_view pattern, std::string_view text) {
    return LinearRegex(pattern).Finds(text);
  };
  EXPECT_TRUE(found("b+c", "xabbcx"));
  EXPECT_TRUE(found("", "anything"));
  EXPECT_TRUE(found("^ab", "abc"));
  EXPECT_FALSE(found("^b", "abc"));
  EXPECT_TRUE(found("c$", "abc"));
  EXPECT_FALSE(found("b$", "abc"));
  EXPECT_TRUE(found("(?i)STEP [0-9]+", "saved step 8754"));
  EXPECT_FALSE(found("step [0-9]+ done", "step 12 don"));
}

}  // namespace
}  // namespace fireweed
