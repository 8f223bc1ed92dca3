#include "bin/upstream.h"

#include <gtest/gtest.h>

namespace fireweed {
namespace {

TEST(Upstream, IsReadFromWhatPeopleSet) {
  std::optional<net::Upstream> plain = ParseUpstream("http://proxy.corp:3128/");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->address, "proxy.corp:3128");
  EXPECT_EQ(plain->authorization, "");
  EXPECT_EQ(ParseUpstream("proxy.corp")->address, "proxy.corp:80");
  std::optional<net::Upstream> secret = ParseUpstream("http://ann:p%40ss@proxy.corp:3128");
  ASSERT_TRUE(secret);
  EXPECT_EQ(secret->address, "proxy.corp:3128");
  EXPECT_EQ(secret->authorization, "Basic YW5uOnBAc3M=");
}

TEST(Upstream, LeavesAloneWhatItCannotUse) {
  for (const char* text : {"", "https://proxy.corp:3128", "socks5://proxy.corp"}) {
    EXPECT_FALSE(ParseUpstream(text)) << text;
  }
}

TEST(Upstream, ExceptionsAreAList) {
  EXPECT_EQ(SplitList(" a, b,,c ,"), (std::vector<std::string>{"a", "b", "c"}));
}

}  // namespace
}  // namespace fireweed
