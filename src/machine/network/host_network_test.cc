#include "machine/network/host_network.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/testing/test_host.h"

namespace fireweed {
namespace {

using ::testing::HasSubstr;

TEST(FirewallRules, NameOnlyTheirOwnBridgeAndSubnet) {
  std::string rules = FirewallRules("fireweed_abc", "fwbr-abc", *ParseSubnet("10.128.0.0/20"));
  EXPECT_TRUE(rules.starts_with("table inet fireweed_abc\ndelete table inet fireweed_abc\n"));
  EXPECT_THAT(rules, HasSubstr("iifname \"fwbr-abc\" ip daddr 169.254.0.0/16 reject"));
  EXPECT_THAT(rules, HasSubstr("ip saddr 10.128.0.0/20 oifname != \"fwbr-abc\" masquerade"));
  EXPECT_THAT(rules, HasSubstr("iifname \"fwbr-abc\" oifname \"fwbr-*\" reject"));
}

class ForwardingTest : public ::testing::Test {
 protected:
  ForwardingTest() { Set("0\n"); }
  void Set(const std::string& value) { std::ofstream(kernel_switch_) << value; }
  std::string Get() { return ReadFileText(kernel_switch_); }

  TemporaryDirectory directory_;
  std::string kernel_switch_ = directory_.path() + "/ip_forward";
  std::string shared_ = directory_.path() + "/shared";
  ForwardingClaims claims_{shared_, kernel_switch_};
};

TEST_F(ForwardingTest, TheLastOneToLeavePutsItBack) {
  ASSERT_TRUE(claims_.Claim("one").ok());
  EXPECT_EQ(Get(), "1");
  ASSERT_TRUE(claims_.Claim("two").ok());
  ASSERT_TRUE(claims_.Claim("two").ok());
  ASSERT_TRUE(claims_.Release("one").ok());
  EXPECT_EQ(Get(), "1");
  ASSERT_TRUE(claims_.Release("two").ok());
  EXPECT_EQ(Get(), "0\n");
  EXPECT_FALSE(std::filesystem::exists(shared_));
  EXPECT_TRUE(claims_.Release("two").ok());
}

TEST_F(ForwardingTest, WhatWasOnStaysOn) {
  Set("1\n");
  ASSERT_TRUE(claims_.Claim("one").ok());
  ASSERT_TRUE(claims_.Release("one").ok());
  EXPECT_EQ(Get(), "1\n");
}

}  // namespace
}  // namespace fireweed
