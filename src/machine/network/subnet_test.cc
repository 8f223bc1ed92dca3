#include "machine/network/subnet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fireweed {
namespace {

TEST(Ipv4, ReadsAndWrites) {
  EXPECT_EQ(ParseIpv4("10.128.0.2"), 0x0a800002u);
  EXPECT_EQ(FormatIpv4(0x0a800002u), "10.128.0.2");
  for (const char* text : {"", "10.0.0", "10.0.0.256", "10.0.0.1.2", "a.b.c.d", "10..0.1",
                           "10.0.0.1 ", "-1.0.0.0", "10.0.0."}) {
    EXPECT_FALSE(ParseIpv4(text)) << text;
  }
}

TEST(Subnet, ReadsAndWrites) {
  Subnet subnet = ParseSubnet("10.128.0.0/20").value();
  EXPECT_EQ(subnet.size(), 4096u);
  EXPECT_EQ(FormatIpv4(subnet.gateway()), "10.128.0.1");
  EXPECT_TRUE(subnet.Contains(*ParseIpv4("10.128.15.255")));
  EXPECT_FALSE(subnet.Contains(*ParseIpv4("10.128.16.0")));
  EXPECT_FALSE(subnet.Contains(*ParseIpv4("10.127.255.255")));
  EXPECT_EQ(FormatSubnet(subnet), "10.128.0.0/20");
  for (const char* text :
       {"10.128.0.1/20", "10.128.0.0", "10.128.0.0/33", "10.128.0.0/", "1.0.0.0/0"}) {
    EXPECT_FALSE(ParseSubnet(text)) << text;
  }
}

TEST(Subnet, PicksOneThatNoRouteTouches) {
  std::vector<Subnet> taken = SubnetsOfRoutes(
      "default via 172.16.0.1 dev eth0 \n"
      "10.128.0.0/20 dev fwbr0 proto kernel scope link src 10.128.0.1 \n"
      "local 10.132.3.4 dev eth1 table local proto kernel scope host src 10.132.3.4 \n"
      "broadcast 10.128.15.255 dev fwbr0 table local\n");
  EXPECT_EQ(taken.size(), 3u);
  std::vector<Subnet> candidates;
  for (const char* text : {"10.128.0.0/20", "10.132.0.0/20", "10.136.0.0/20"}) {
    candidates.push_back(*ParseSubnet(text));
  }
  EXPECT_EQ(FormatSubnet(*PickSubnet(candidates, taken)), "10.136.0.0/20");
  taken.push_back(*ParseSubnet("10.0.0.0/8"));
  EXPECT_EQ(PickSubnet(candidates, taken), std::nullopt);
}

TEST(Subnet, PicksTheLowestFreeHost) {
  Subnet small = *ParseSubnet("10.0.0.0/29");
  EXPECT_EQ(PickHost(small, {}), 2u);
  EXPECT_EQ(PickHost(small, {2, 3, 5}), 4u);
  EXPECT_EQ(PickHost(small, {2, 3, 4, 5, 6}),
            std::nullopt);  // 0, 1 and 7 belong to the subnet itself
}

TEST(Mac, CarriesTheAddress) {
  EXPECT_EQ(FormatMac(MacOf(*ParseIpv4("10.128.0.2"))), "42:01:0a:80:00:02");
  EXPECT_EQ(FormatSubnet(InstanceSubnet(*ParseIpv4("10.128.17.3"))), "10.128.16.0/20");
}

}  // namespace
}  // namespace fireweed
