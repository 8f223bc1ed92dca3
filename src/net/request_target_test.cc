#include "net/request_target.h"

#include <gtest/gtest.h>

namespace fireweed::net {
namespace {

TEST(Authority, IsHostAndPort) {
  EXPECT_EQ(ParseAuthority("storage.googleapis.com:443")->host, "storage.googleapis.com");
  EXPECT_EQ(ParseAuthority("storage.googleapis.com:443")->port, 443);
  EXPECT_FALSE(ParseAuthority("localhost")->port);
  EXPECT_EQ(ParseAuthority("[::1]:8080")->host, "::1");
  EXPECT_EQ(ParseAuthority("[::1]:8080")->port, 8080);
}

TEST(Authority, RefusesEverythingElse) {
  for (const char* bad :
       {"", ":443", "a:", "a:0", "a:65536", "a:-1", "a:4x", "u@a:1", "a b:1", "[::1", "[]:1",
        "[::1]443", "[::g]:1", "a/b:1", "a:1:2", "a\t:1", "a%41:1"}) {
    EXPECT_FALSE(ParseAuthority(bad)) << bad;
  }
  EXPECT_FALSE(ParseAuthority(std::string(254, 'a')));
}

TEST(Target, KeepsEscapes) {
  RequestTarget target = *ParseTarget("/storage/v1/b/pets/o/a%2Fb?alt=media&x=%3F?");
  EXPECT_EQ(target.path, "/storage/v1/b/pets/o/a%2Fb");
  EXPECT_EQ(target.query, "alt=media&x=%3F?");
  EXPECT_EQ(target.authority, "");
}

TEST(Target, TakesTheAbsoluteForm) {
  RequestTarget target = *ParseTarget("http://Metadata.google.internal:80/computeMetadata/v1/?a=b");
  EXPECT_EQ(target.authority, "Metadata.google.internal:80");
  EXPECT_EQ(target.path, "/computeMetadata/v1/");
  EXPECT_EQ(target.query, "a=b");
  EXPECT_EQ(ParseTarget("https://a")->path, "/");
  EXPECT_TRUE(ParseTarget("https://a")->https);
  EXPECT_EQ(ParseTarget("http://a?q")->query, "q");
  EXPECT_EQ(ParseTarget("*")->path, "*");
}

TEST(Target, RefusesEverythingElse) {
  for (const char* bad :
       {"", "a", "host:443", "ftp://a/", "http://", "http:///x", "http://u@a/", "/a#b"}) {
    EXPECT_FALSE(ParseTarget(bad)) << bad;
  }
}

}  // namespace
}  // namespace fireweed::net
