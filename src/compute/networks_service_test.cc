#include "compute/networks_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/compute_fixture.h"

namespace fireweed::compute {
namespace {

using ::testing::HasSubstr;

class NetworksTest : public ::testing::Test {
 protected:
  Reply Global(const char* method, const std::string& rest, const std::string& body = "") {
    return all.Ask(method, "/compute/v1/projects/p/global/" + rest, body);
  }
  Reply Region(const char* method, const std::string& rest, const std::string& body = "") {
    return all.Ask(method, "/compute/v1/projects/p/regions/us-east1/" + rest, body);
  }
  ComputeFixture all;
};

TEST_F(NetworksTest, EveryProjectFindsTheDefaultNetwork) {
  EXPECT_EQ(Global("GET", "networks/default").Field("name"), "default");
  EXPECT_TRUE(Global("GET", "networks").Has("\"name\":\"default\""));
  EXPECT_EQ(Region("GET", "subnetworks/default").status, 200);
  EXPECT_TRUE(Global("GET", "firewalls").Has("default-allow-ssh"));
  EXPECT_EQ(Global("DELETE", "networks/default").status, 400);
  EXPECT_EQ(Global("POST", "networks", R"({"name":"default"})").status, 409);
  EXPECT_EQ(Global("GET", "networks/none").status, 404);
}

TEST_F(NetworksTest, NetworksHaveSubnetworksRulesAndInstances) {
  Reply made = Global("POST", "networks", R"({"name":"own","autoCreateSubnetworks":false})");
  EXPECT_EQ(made.Field("status"), "DONE") << made.body;
  EXPECT_THAT(made.Field("targetLink"), HasSubstr("/global/networks/own"));
  EXPECT_EQ(Region("GET", "subnetworks/own").status, 404);
  std::string subnet =
      R"({"name":"s","network":"global/networks/own","ipCidrRange":"10.9.0.0/24"})";
  Reply subnetwork = Region("POST", "subnetworks", subnet);
  EXPECT_EQ(subnetwork.status, 200) << subnetwork.body;
  EXPECT_THAT(subnetwork.Field("region"), HasSubstr("/regions/us-east1"));
  EXPECT_EQ(Region("GET", "subnetworks/s").Field("gatewayAddress"), "10.9.0.1");
  for (const char* bad : {"10.9.0.1/24", "10.9.0.0", "10.9.0.0/33", "x/24", "10.9.0.0/24x"}) {
    EXPECT_EQ(Region("POST", "subnetworks",
                     std::string(R"({"name":"t","network":"own","ipCidrRange":")") + bad + "\"}")
                  .status,
              400)
        << bad;
  }
  Reply rule =
      Global("POST", "firewalls",
             R"({"name":"web","network":"own","allowed":[{"IPProtocol":"tcp","ports":["80"]}]})");
  EXPECT_EQ(rule.status, 200) << rule.body;
  EXPECT_THAT(Global("GET", "firewalls/web").body, HasSubstr("0.0.0.0/0"));
  EXPECT_EQ(Global("PATCH", "firewalls/web", R"({"sourceRanges":["10.0.0.0/8"]})").status, 200);
  EXPECT_THAT(Global("GET", "firewalls/web").body, HasSubstr("10.0.0.0/8"));
  EXPECT_EQ(Global("POST", "firewalls", R"({"name":"bad","network":"own"})").status, 400);
  EXPECT_EQ(Global("POST", "firewalls",
                   R"({"name":"bad","network":"none","denied":[{"IPProtocol":"all"}]})")
                .status,
            404);

  EXPECT_THAT(Global("DELETE", "networks/own").body, HasSubstr("is already being used by"));
  EXPECT_EQ(Global("DELETE", "firewalls/web").status, 200);
  EXPECT_EQ(Region("DELETE", "subnetworks/s").status, 200);
  EXPECT_EQ(Global("DELETE", "networks/own").status, 200);
  EXPECT_EQ(Global("GET", "networks/own").status, 404);
}

TEST_F(NetworksTest, InstancesAreOnANetworkThatIsThere) {
  std::string body = ComputeFixture::InsertBody("vm");
  auto on = [&](const std::string& network) {
    std::string copy = body;
    copy.replace(copy.find("networks/default"), 16, "networks/" + network);
    return all.Ask("POST", "/compute/v1/projects/p/zones/us-east1-b/instances", copy);
  };
  EXPECT_EQ(on("none").status, 404);
  Global("POST", "networks", R"({"name":"auto"})");
  Global("POST", "networks", R"({"name":"bare","autoCreateSubnetworks":false})");
  EXPECT_EQ(on("bare").status, 400);
  EXPECT_EQ(on("auto").status, 200);
  EXPECT_THAT(all.Ask("GET", "/compute/v1/projects/p/zones/us-east1-b/instances/vm").body,
              HasSubstr("regions/us-east1/subnetworks/auto"));
  EXPECT_EQ(Global("DELETE", "networks/auto").status, 400);
}

TEST_F(NetworksTest, AddressesAreReservedOnce) {
  EXPECT_EQ(Region("POST", "addresses", R"({"name":"a"})").status, 200);
  EXPECT_EQ(Global("POST", "addresses", R"({"name":"b"})").status, 200);
  EXPECT_EQ(Region("GET", "addresses/a").Field("status"), "RESERVED");
  EXPECT_NE(Region("GET", "addresses/a").Field("address"),
            Global("GET", "addresses/b").Field("address"));
  EXPECT_EQ(Region("POST", "addresses", R"({"name":"c","address":"1.2.3"})").status, 400);
  Reply everywhere = all.Ask("GET", "/compute/v1/projects/p/aggregated/addresses");
  EXPECT_TRUE(everywhere.Has("\"regions/us-east1\""));
  EXPECT_TRUE(everywhere.Has("\"global\""));
  EXPECT_EQ(Region("DELETE", "addresses/a").status, 200);
  EXPECT_EQ(Region("GET", "addresses/a").status, 404);
}

TEST_F(NetworksTest, ListsArePagedAndFiltered) {
  for (const char* name : {"r1", "r2", "r3"}) {
    ASSERT_EQ(Global("POST", "routes",
                     std::string(R"({"name":")") + name +
                         R"(","destRange":"10.1.0.0/16","nextHopIp":"10.0.0.9"})")
                  .status,
              200);
  }
  Reply page = Global("GET", "routes?maxResults=2");
  EXPECT_TRUE(page.Has("\"r2\""));
  EXPECT_FALSE(page.Has("\"r3\""));
  Reply rest = Global("GET", "routes?maxResults=2&pageToken=" + page.Field("nextPageToken"));
  EXPECT_TRUE(rest.Has("\"r3\""));
  EXPECT_FALSE(rest.Has("\"r1\""));
  EXPECT_FALSE(Global("GET", "routes?filter=name%20eq%20r2").Has("\"r1\""));
}

}  // namespace
}  // namespace fireweed::compute
