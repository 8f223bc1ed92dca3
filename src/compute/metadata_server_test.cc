#include "compute/metadata_server.h"

#include <gtest/gtest.h>

#include "compute/compute_fixture.h"
#include "compute/metadata_items.h"

namespace fireweed::compute {
namespace {

constexpr const char* kInstances = "/compute/v1/projects/p/zones/us-east1-b/instances";

class MetadataTest : public ::testing::Test {
 protected:
  MetadataTest() : server_(all_.catalog, all_.identity, all_.clock) {
    all_.plane->loop.Add(server_);
    all_.identity.now = all_.clock.Now();
    all_.Ask("POST", kInstances, ComputeFixture::InsertBody("t1"));
    all_.Ask("POST", kInstances, ComputeFixture::InsertBody("t2"));
    all_.Settle();
  }

  net::Answer Send(std::string_view method, std::string_view target, std::string_view body = "",
                   std::vector<net::RequestHeader> headers = {{"Metadata-Flavor", "Google"}},
                   const std::string& name = "t1") {
    origin_ = {net::Origin::Kind::kInstance, "p/us-east1-b/" + name};
    net::Request request;
    request.method = method;
    request.target = target;
    request.path = target.substr(0, target.find('?'));
    if (size_t q = target.find('?'); q != target.npos) request.query = target.substr(q + 1);
    request.host = request.authority = "metadata.google.internal";
    request.body = body;
    request.headers = std::move(headers);
    request.origin = &origin_;
    return server_.Handle(request);
  }
  net::Response Get(std::string_view path) {
    std::string target = "/computeMetadata/v1/" + std::string(path);
    return std::get<net::Response>(Send("GET", target));
  }
  std::string Text(std::string_view path) {
    net::Response response = Get(path);
    EXPECT_EQ(response.status, 200) << path;
    EXPECT_EQ(response.Header("metadata-flavor"), "Google");
    return std::get<std::string>(response.body);
  }
  int Status(std::string_view path) { return Get(path).status; }

  void Change(const std::function<void(InstanceRecord&)>& change) {
    all_.catalog.Write("test", [&](Txn& txn) {
      auto row = txn.Find<InstanceRecord>("p/us-east1-b/t1");
      if (!row) return;
      change(row->value);
      txn.Put(row->key, row->value);
    });
    all_.Settle();
  }
  void SetWord(const std::string& word) {
    Change([&](InstanceRecord& record) { record.resource.metadata.items[0].value = word; });
  }

  net::Origin origin_;
  ComputeFixture all_;
  MetadataServer server_;
};

TEST_F(MetadataTest, WhatClientsAskFor) {
  EXPECT_EQ(Text("project/project-id"), "p");
  EXPECT_EQ(Text("project/numeric-project-id"), "4711");
  EXPECT_EQ(Text("universe/universe-domain"), "googleapis.com");
  EXPECT_EQ(Text("instance/attributes/WORD"), "rose");
  EXPECT_EQ(Text("instance/attributes/"), "WORD\n");
  EXPECT_EQ(Text("instance/service-accounts/"),
            "default/\n4711-compute@developer.gserviceaccount.com/\n");
  EXPECT_EQ(Text("instance/service-accounts/default/email"),
            "4711-compute@developer.gserviceaccount.com");
  EXPECT_EQ(Text("instance/service-accounts/default/scopes"),
            "https://www.googleapis.com/auth/cloud-platform\n");
  EXPECT_EQ(Text("instance/service-accounts/4711-compute@developer.gserviceaccount.com/"
                 "?recursive=true"),
            R"({"aliases":["default"],"email":"4711-compute@developer.gserviceaccount.com",)"
            R"("scopes":["https://www.googleapis.com/auth/cloud-platform"]})");
  EXPECT_EQ(Text("instance/name"), "t1");
  EXPECT_EQ(Text("instance/hostname"), "t1.us-east1-b.c.p.internal");
  EXPECT_EQ(Text("instance/zone"), "projects/4711/zones/us-east1-b");
  EXPECT_EQ(Text("instance/machine-type"), "projects/4711/machineTypes/n1-standard-1");
  EXPECT_EQ(Text("instance/preempted"), "FALSE");
  EXPECT_EQ(Text("instance/maintenance-event"), "NONE");
  EXPECT_EQ(Text("instance/scheduling/preemptible"), "TRUE");
  EXPECT_EQ(Text("instance/tags"), "[]");
  EXPECT_EQ(Text("instance/network-interfaces/"), "0/\n");
  EXPECT_EQ(Text("instance/network-interfaces/0/ip"),
            Text("instance/network-interfaces/0/access-configs/0/external-ip"));
  EXPECT_EQ(
      Text("instance/network-interfaces/0/"),
      "access-configs/\ndns-servers\nforwarded-ips/\ngateway\nip\nip-aliases/\nmac\nmtu\nnetwork\n"
      "subnetmask\ntarget-instance-ips/\n");
  EXPECT_EQ(Text("instance/network-interfaces/0/subnetmask"), "255.255.240.0");
  EXPECT_TRUE(Text("instance/network-interfaces/0/mac").starts_with("42:01:"));
  EXPECT_EQ(Text("instance/network-interfaces/0/dns-servers"), "169.254.169.254\n");
  EXPECT_EQ(Text("instance/disks/0/device-name"), "persistent-disk-0");
  EXPECT_EQ(Text("instance/disks/0/type"), "PERSISTENT");
  Change([](InstanceRecord& record) {
    record.resource.disks[0].initializeParams->diskType = "zones/us-east1-b/diskTypes/pd-ssd";
    record.resource.disks.emplace_back().type = "SCRATCH";
  });
  EXPECT_EQ(Text("instance/disks/0/type"), "PERSISTENT-SSD");
  EXPECT_EQ(Text("instance/disks/1/type"), "LOCAL-SSD");
  EXPECT_EQ(Text(""), "instance/\nproject/\nuniverse/\n");
}

TEST_F(MetadataTest, FormsOfOneThing) {
  EXPECT_EQ(Text("instance/name?alt=json"), "\"t1\"");
  std::string id = Text("instance/id");
  EXPECT_EQ(Text("instance/id?alt=json"), id);
  EXPECT_EQ(Text("project/?recursive=true"),
            R"({"attributes":{},"numericProjectId":4711,"projectId":"p"})");
  EXPECT_EQ(Text("project/?recursive=true&alt=text"), "numeric-project-id 4711\nproject-id p\n");
  std::string whole = Text("instance/?recursive=true");
  EXPECT_NE(whole.find("\"attributes\":{\"WORD\":\"rose\"}"), std::string::npos) << whole;
  EXPECT_NE(whole.find("\"networkInterfaces\":[{\"accessConfigs\":[{\"externalIp\":\""),
            std::string::npos);
  EXPECT_EQ(whole.find("access_token"), std::string::npos);
  EXPECT_EQ(Get("instance/name").Header("Content-Type"), "application/text");
  EXPECT_EQ(Get("instance/name?alt=json").Header("Content-Type"), "application/json");
}

// The names that the public cloud's server shows, in its order, as recorded from its documentation and clients.
TEST_F(MetadataTest, TheTreeHasThePublicShape) {
  EXPECT_EQ(
      Text("instance/"),
      "attributes/\ncpu-platform\ndescription\ndisks/\nguest-attributes/\nhostname\nid\nimage\n"
      "licenses/\nmachine-type\nmaintenance-event\nname\nnetwork-interfaces/\npreempted\n"
      "remaining-cpu-time\nscheduling/\nservice-accounts/\ntags\nvirtual-clock/\nzone\n");
  EXPECT_EQ(Text("instance/service-accounts/default/"),
            "aliases\nemail\nidentity\nscopes\ntoken\n");
  EXPECT_EQ(Text("instance/scheduling/"), "automatic-restart\non-host-maintenance\npreemptible\n");
  EXPECT_EQ(Text("instance/disks/0/"), "device-name\nindex\ninterface\nmode\ntype\n");
  EXPECT_EQ(Text("instance/network-interfaces/0/access-configs/0/"), "external-ip\ntype\n");
  EXPECT_EQ(Text("project/"), "attributes/\nnumeric-project-id\nproject-id\n");
  EXPECT_EQ(Text("instance/virtual-clock/drift-token"), "0");
  EXPECT_EQ(Text("instance/remaining-cpu-time"), "-1");
  std::string whole = Text("instance/?recursive=true");
  size_t at = 0;
  for (const char* name : {"attributes",
                           "cpuPlatform",
                           "description",
                           "disks",
                           "deviceName",
                           "guestAttributes",
                           "hostname",
                           "id",
                           "image",
                           "licenses",
                           "machineType",
                           "maintenanceEvent",
                           "name",
                           "networkInterfaces",
                           "accessConfigs",
                           "externalIp",
                           "dnsServers",
                           "forwardedIps",
                           "gateway",
                           "ip",
                           "ipAliases",
                           "mac",
                           "mtu",
                           "network",
                           "subnetmask",
                           "targetInstanceIps",
                           "preempted",
                           "remainingCpuTime",
                           "scheduling",
                           "automaticRestart",
                           "onHostMaintenance",
                           "preemptible",
                           "serviceAccounts",
                           "tags",
                           "virtualClock",
                           "driftToken",
                           "zone"}) {
    size_t found = whole.find("\"" + std::string(name) + "\":", at);
    ASSERT_NE(found, std::string::npos) << name << " in " << whole;
    at = found;
  }
}

TEST_F(MetadataTest, DirectoriesNeedTheirSlash) {
  net::Response moved = Get("instance/service-accounts?x=1");
  EXPECT_EQ(moved.status, 301);
  EXPECT_EQ(moved.Header("Location"),
            "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/?x=1");
  EXPECT_EQ(Status("instance/id/"), 404);
  EXPECT_EQ(Status("instance/nothing"), 404);
  EXPECT_EQ(Status("instance/attributes/nothing"), 404);
  EXPECT_EQ(Status("instance/service-accounts/other@x/email"), 404);
}

TEST_F(MetadataTest, OnlyWhoMeansItAndIsNoProxy) {
  auto status = [&](std::vector<net::RequestHeader> headers, std::string_view path) {
    return std::get<net::Response>(Send("GET", path, "", std::move(headers))).status;
  };
  EXPECT_EQ(status({}, "/computeMetadata/v1/instance/id"), 403);
  EXPECT_EQ(status({{"Metadata-Flavor", "google "}}, "/computeMetadata/v1/instance/id"), 403);
  EXPECT_EQ(status({{"X-Google-Metadata-Request", "True"}}, "/computeMetadata/v1/instance/id"),
            200);
  EXPECT_EQ(status({{"Metadata-Flavor", "Google"}, {"X-Forwarded-For", "1.2.3.4"}},
                   "/computeMetadata/v1/instance/id"),
            403);
  EXPECT_EQ(status({}, "/"), 200);
  EXPECT_EQ(status({{"Metadata-Flavor", "Google"}}, "/other"), 404);
  EXPECT_EQ(status({{"Metadata-Flavor", "Google"}}, "/computeMetadata/v1/%zz"), 404);
  EXPECT_EQ(std::get<net::Response>(Send("POST", "/computeMetadata/v1/instance/id")).status, 405);
}

TEST_F(MetadataTest, AnInstanceSeesItself) {
  net::Response other = std::get<net::Response>(
      Send("GET", "/computeMetadata/v1/instance/name", "", {{"Metadata-Flavor", "Google"}}, "t2"));
  EXPECT_EQ(std::get<std::string>(other.body), "t2");
  EXPECT_EQ(std::get<net::Response>(Send("GET", "/computeMetadata/v1/instance/name", "",
                                         {{"Metadata-Flavor", "Google"}}, "gone"))
                .status,
            404);
}

TEST_F(MetadataTest, TokensAreMadeOnceAndHandedOutUntilTheyAge) {
  std::string first = Text("instance/service-accounts/default/token");
  EXPECT_EQ(first, R"({"access_token":"ya29.4711-compute@developer.gserviceaccount.com",)"
                   R"("expires_in":3599,"token_type":"Bearer"})");
  all_.clock.Advance(std::chrono::minutes(10));
  EXPECT_NE(Text("instance/service-accounts/default/token").find("\"expires_in\":2999"),
            std::string::npos);
  EXPECT_EQ(all_.identity.minted.size(), 1u);
  all_.clock.Advance(std::chrono::minutes(46));
  all_.identity.now = all_.clock.Now();
  Text("instance/service-accounts/default/token");
  EXPECT_EQ(all_.identity.minted.size(), 2u);
  all_.identity.fail = true;
  EXPECT_EQ(Status("instance/service-accounts/default/token?scopes=https://x/devstorage"), 503);
  EXPECT_EQ(Status("instance/service-accounts/other@x/token"), 404);
}

TEST_F(MetadataTest, AnAccountMadeAgainHasTokensOfItsOwn) {
  Text("instance/service-accounts/default/token");
  all_.identity.account_id = "2";
  Text("instance/service-accounts/default/token");
  Text("instance/service-accounts/default/token");
  EXPECT_EQ(all_.identity.minted.size(), 2u);
}

TEST_F(MetadataTest, ATokenHasNoMoreScopesThanTheInstance) {
  Change([](InstanceRecord& record) {
    record.resource.serviceAccounts[0].scopes = {"https://x/devstorage", "https://x/logging"};
  });
  Text("instance/service-accounts/default/token?scopes=https://x/devstorage,https://x/compute");
  EXPECT_EQ(all_.identity.minted.back(),
            "4711-compute@developer.gserviceaccount.com https://x/devstorage");
  Change([](InstanceRecord& record) { record.resource.serviceAccounts[0].scopes.clear(); });
  EXPECT_EQ(Status("instance/service-accounts/default/token"), 403);
  Change([](InstanceRecord& record) { record.resource.serviceAccounts.clear(); });
  EXPECT_EQ(Status("instance/service-accounts/default/token"), 404);
  EXPECT_EQ(Text("instance/service-accounts/"), "");
}

TEST_F(MetadataTest, IdentityNeedsAnAudience) {
  EXPECT_EQ(Status("instance/service-accounts/default/identity"), 400);
  EXPECT_EQ(Text("instance/service-accounts/default/identity?audience=https://x&format=standard"),
            "jwt.4711-compute@developer.gserviceaccount.com.https://x");
  EXPECT_EQ(Status("instance/service-accounts/default/identity?audience=x&format=other"), 400);
  std::string full = Text("instance/service-accounts/default/identity?audience=x&format=full");
  EXPECT_NE(full.find("\"instance_id\":\"" + Text("instance/id") +
                      "\",\"instance_name\":\"t1\","
                      "\"project_id\":\"p\",\"project_number\":4711,\"zone\":\"us-east1-b\""),
            std::string::npos)
      << full;
}

TEST_F(MetadataTest, APollIsAnsweredByAChange) {
  net::Answer answer =
      Send("GET", "/computeMetadata/v1/instance/attributes/WORD?wait_for_change=true");
  auto poll = std::get<std::shared_ptr<net::Deferred>>(answer);
  std::string body;
  poll->OnComplete([&](net::Response r) { body = std::get<std::string>(r.body); });
  Change([](InstanceRecord& record) { record.resource.description = "something else"; });
  EXPECT_TRUE(body.empty());
  EXPECT_EQ(server_.waiting(), 1u);
  SetWord("lily");
  EXPECT_EQ(body, "lily");
  EXPECT_EQ(server_.waiting(), 0u);
}

TEST_F(MetadataTest, PollsKnowEtagsAndLimits) {
  std::string etag(Get("instance/attributes/WORD").Header("ETag").value_or(""));
  ASSERT_FALSE(etag.empty());
  std::string target = "/computeMetadata/v1/instance/attributes/WORD?wait_for_change=true";
  net::Answer late = Send("GET", target + "&last_etag=0");
  EXPECT_EQ(std::get<net::Response>(late).status, 200);
  net::Answer waits = Send("GET", target + "&timeout_sec=7&last_etag=" + etag);
  auto poll = std::get<std::shared_ptr<net::Deferred>>(waits);
  EXPECT_EQ(poll->timeout_ms, 7000);
  EXPECT_EQ(std::get<std::string>(poll->on_timeout().body), "rose");
  poll->Abandon();
  net::Answer patient = Send("GET", target + "&timeout_sec=9223372036854775807");
  auto longest = std::get<std::shared_ptr<net::Deferred>>(patient);
  EXPECT_EQ(longest->timeout_ms, 24 * 3600 * 1000);
  longest->Abandon();
  SetWord("iris");
  EXPECT_EQ(server_.waiting(), 0u) << "abandoned polls are dropped";
}

TEST_F(MetadataTest, ProjectMetadataWakesThePollsOfItsInstances) {
  auto poll = std::get<std::shared_ptr<net::Deferred>>(
      Send("GET", "/computeMetadata/v1/project/attributes/?wait_for_change=true&recursive=true"));
  std::string body;
  poll->OnComplete([&](net::Response r) { body = std::get<std::string>(r.body); });
  all_.Ask("POST", "/compute/v1/projects/p/setCommonInstanceMetadata",
           R"({"items":[{"key":"k","value":"v"}]})");
  all_.Settle();
  EXPECT_EQ(body, R"({"k":"v"})");
}

TEST_F(MetadataTest, GuestAttributesAreWrittenWhereEnabled) {
  auto put = [&](const std::string& name, std::string_view value) {
    return std::get<net::Response>(
               Send("PUT", "/computeMetadata/v1/instance/guest-attributes/" + name, value))
        .status;
  };
  EXPECT_EQ(put("hostkeys/rsa", "AAAA"), 403);
  Change([](InstanceRecord& record) {
    record.resource.metadata.items.push_back({"enable-guest-attributes", "TRUE"});
  });
  EXPECT_EQ(put("hostkeys/rsa", "AAAA"), 200);
  EXPECT_EQ(put("plain", "AAAA"), 400);
  EXPECT_THROW(put("a/b", std::string(20 << 10, 'x')), Failure);
  EXPECT_EQ(Text("instance/guest-attributes/hostkeys/rsa"), "AAAA");
  EXPECT_EQ(Text("instance/guest-attributes/"), "hostkeys/\n");
  EXPECT_EQ(std::get<net::Response>(
                Send("DELETE", "/computeMetadata/v1/instance/guest-attributes/hostkeys/rsa"))
                .status,
            200);
  EXPECT_EQ(Status("instance/guest-attributes/hostkeys/rsa"), 404);
}

TEST_F(MetadataTest, GuestAttributesAreReadFromOutside) {
  const std::string url = std::string(kInstances) + "/t1/getGuestAttributes";
  EXPECT_EQ(all_.Ask("GET", url + "?queryPath=hostkeys/").status, 412);
  all_.Ask("POST", "/compute/v1/projects/p/setCommonInstanceMetadata",
           R"({"items":[{"key":"enable-guest-attributes","value":"TRUE"}]})");
  all_.Settle();
  Reply none = all_.Ask("GET", url + "?queryPath=hostkeys/");
  EXPECT_EQ(none.status, 404);
  EXPECT_TRUE(none.Has("The resource 'hostkeys/' of type 'Guest Attribute' was not found."));
  for (const char* name : {"hostkeys/ssh-rsa", "hostkeys/ssh-ed25519", "other/key"}) {
    Send("PUT", std::string("/computeMetadata/v1/instance/guest-attributes/") + name, "AAAA");
  }
  Reply keys = all_.Ask("GET", url + "?queryPath=hostkeys/");
  EXPECT_EQ(keys.status, 200);
  EXPECT_TRUE(
      keys.Has(R"("queryValue":{"items":[{"namespace":"hostkeys","key":"ssh-ed25519",)"
               R"("value":"AAAA"},{"namespace":"hostkeys","key":"ssh-rsa","value":"AAAA"}]})"))
      << keys.body;
  EXPECT_FALSE(all_.Ask("GET", url + "?queryPath=other/key").Has("hostkeys"));
  EXPECT_TRUE(all_.Ask("GET", url).Has("other"));
  EXPECT_EQ(all_.Ask("GET", std::string(kInstances) + "/t2/getGuestAttributes").status, 404);
  EXPECT_EQ(all_.Ask("GET", std::string(kInstances) + "/none/getGuestAttributes").status, 404);
}

}  // namespace
}  // namespace fireweed::compute
