#include "compute/labels.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "compute/compute_fixture.h"

namespace fireweed::compute {
namespace {

constexpr const char* kZone = "/compute/v1/projects/p/zones/us-east1-b";

TEST(LabelsTest, WhatTheCloudTakesAndNothingElse) {
  std::string longest(63, 'a');
  std::string umlauts;
  for (int i = 0; i < 63; ++i) umlauts += "ä";
  for (const Labels& good : std::vector<Labels>{
           {}, {{"team", ""}}, {{"a_b-1", "2_x-"}}, {{longest, longest}}, {{umlauts, umlauts}}}) {
    EXPECT_NO_THROW(CheckLabels(good));
  }
  Labels many;
  for (int i = 0; i < 65; ++i) many["k" + std::to_string(i)] = "";
  for (const Labels& bad : std::vector<Labels>{{{"", "x"}},
                                               {{"Bad Key!", "x"}},
                                               {{"1st", "x"}},
                                               {{"_x", "x"}},
                                               {{"team", "UPPER"}},
                                               {{"team", "a.b"}},
                                               {{longest + "a", "x"}},
                                               {{"team", longest + "a"}},
                                               many}) {
    EXPECT_THROW(CheckLabels(bad), Failure) << bad.begin()->first << "=" << bad.begin()->second;
  }
  EXPECT_NO_THROW(
      CheckLabels({{"fireweed-job", "Census_1"}, {"team", "red"}}, {{"fireweed-job", "Census_1"}}));
  EXPECT_THROW(CheckLabels({{"fireweed-job", "Census_2"}}, {{"fireweed-job", "Census_1"}}),
               Failure);
  EXPECT_NO_THROW(CheckTags({"http-server", "a1"}));
  for (const char* bad : {"", "-", "Bad Tag!", "A_b", "1st"}) {
    EXPECT_THROW(CheckTags({bad}), Failure) << bad;
  }
}

TEST(LabelsTest, EveryRequestThatSetsThemIsLookedAt) {
  ComputeFixture all;
  auto post = [&](const std::string& path, const std::string& body) {
    return all.Ask("POST", "/compute/v1/projects/p/" + path, body).status;
  };
  const std::string kBad = R"("labels":{"Q":"R!"})", kZonal = "zones/us-east1-b/";
  EXPECT_EQ(post(kZonal + "instances", ComputeFixture::InsertBody("t1", R"({"Bad Key!":"x"})")),
            400);
  std::string tagged = ComputeFixture::InsertBody("t1");
  tagged.replace(tagged.find(R"("items":[]})"), 11, R"("items":["A_b"]})");
  EXPECT_EQ(post(kZonal + "instances", tagged), 400);
  std::string disk = ComputeFixture::InsertBody("t1");
  disk.insert(disk.find(R"("sourceImage")"), kBad + ",");
  EXPECT_EQ(post(kZonal + "instances", disk), 400);
  EXPECT_EQ(post(kZonal + "disks", R"({"name":"d",)" + kBad + "}"), 400);
  EXPECT_EQ(
      post("global/images",
           R"({"name":"i","sourceImage":"projects/debian-cloud/global/images/family/debian-12",)" +
               kBad + "}"),
      400);
  EXPECT_EQ(post("global/addresses", R"({"name":"a",)" + kBad + "}"), 400);
  EXPECT_EQ(
      post("global/instanceTemplates",
           R"({"name":"t","properties":)" + ComputeFixture::InsertBody("x", R"({"Q":"r"})") + "}"),
      400);
  EXPECT_EQ(post(kZonal + "instances/bulkInsert",
                 R"({"count":"1","namePattern":"b-#","instanceProperties":)" +
                     ComputeFixture::InsertBody("x", R"({"Q":"r"})") + "}"),
            400);

  ASSERT_EQ(post(kZonal + "instances", ComputeFixture::InsertBody("t1")), 200);
  all.Settle();
  Reply instance = all.Ask("GET", std::string(kZone) + "/instances/t1");
  std::string print = R"("labelFingerprint":")" + instance.Field("labelFingerprint") + "\",";
  EXPECT_EQ(post(kZonal + "instances/t1/setLabels", "{" + print + kBad + "}"), 400);
  EXPECT_EQ(post(kZonal + "instances/t1/setLabels", "{" + print + R"("labels":{"q":"r"}})"), 200);
  Reply boot = all.Ask("GET", std::string(kZone) + "/disks/t1");
  print = R"("labelFingerprint":")" + boot.Field("labelFingerprint") + "\",";
  EXPECT_EQ(post(kZonal + "disks/t1/setLabels", "{" + print + kBad + "}"), 400);
  std::string tags = instance.body.substr(instance.body.find("\"tags\""));
  print = R"("fingerprint":")" + Reply{200, tags}.Field("fingerprint") + "\",";
  EXPECT_EQ(post(kZonal + "instances/t1/setTags", "{" + print + R"("items":["Bad Tag!"]})"), 400);
  EXPECT_EQ(post(kZonal + "instances/t1/setTags", "{" + print + R"("items":["good"]})"), 200);
}

}  // namespace
}  // namespace fireweed::compute
