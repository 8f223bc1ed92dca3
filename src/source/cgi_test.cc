#include "source/cgi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "source/repos_service.h"

namespace fireweed::source {
namespace {

using ::testing::Contains;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Cgi, ReadsHeads) {
  auto head = ParseCgiHead("Status: 403 Forbidden\r\nContent-Type: text/plain\r\n\r\nbody");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 403);
  ASSERT_EQ(head->headers.size(), 1u);
  EXPECT_EQ(head->headers[0].second, "text/plain");
  EXPECT_EQ(head->length, 51u);
  EXPECT_EQ(ParseCgiHead("A: b\n\n")->status, 200);
  EXPECT_FALSE(ParseCgiHead("A: b\r\n"));
  EXPECT_FALSE(ParseCgiHead(""));
  EXPECT_EQ(ParseCgiHead("no colon\n\n")->status, 502);
  EXPECT_EQ(ParseCgiHead("Status: x\n\n")->status, 502);
  EXPECT_EQ(ParseCgiHead("Status: 99999\n\n")->status, 502);
}

TEST(Cgi, OnlyWhoMayPushHasAName) {
  CgiRequest request{.root = "/r", .directory = "1.git", .tail = "info/refs", .user = "ann"};
  EXPECT_THAT(CgiEnvironment(request, {}), Not(Contains(StartsWith("REMOTE_USER"))));
  request.may_push = true;
  EXPECT_THAT(CgiEnvironment(request, {}), Contains("REMOTE_USER=ann"));
  EXPECT_THAT(CgiEnvironment(request, {}), Contains("PATH_INFO=/1.git/info/refs"));
  request.git_protocol = "version=2\nLD_PRELOAD=x";
  EXPECT_THAT(CgiEnvironment(request, {}), Not(Contains(StartsWith("GIT_PROTOCOL"))));
}

TEST(RepoName, TakesWhatGcloudTakes) {
  for (const char* name : {"a", "my-repo", "My_Repo.2", "0x", "a/b"})
    EXPECT_TRUE(IsRepoName(name)) << name;
  for (const char* name : {"", "-a", ".", "..", ".git", "a/", "a b", "a%2Fb", "_a", "a.git"}) {
    EXPECT_FALSE(IsRepoName(name)) << name;
  }
  EXPECT_FALSE(IsRepoName(std::string(129, 'a')));
}

}  // namespace
}  // namespace fireweed::source
