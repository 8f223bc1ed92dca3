#include "net/google_connect_policy.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace fireweed::net {
namespace {

TEST(IpNetwork, ContainsWhatItsPrefixSays) {
  IpNetwork network = *IpNetwork::Parse("10.128.0.0/20");
  EXPECT_TRUE(network.Contains("10.128.15.255"));
  EXPECT_FALSE(network.Contains("10.128.16.0"));
  EXPECT_TRUE(network.Contains("::ffff:10.128.0.1"));
  EXPECT_FALSE(network.Contains("fe80::1"));
  EXPECT_FALSE(network.Contains("storage.googleapis.com"));
  EXPECT_TRUE(IpNetwork::Parse("fe80::/10")->Contains("fe80::1%eth0"));
  EXPECT_TRUE(IpNetwork::Parse("192.0.2.1")->Contains("192.0.2.1"));
}

TEST(IpNetwork, RefusesWhatIsNone) {
  for (const char* bad :
       {"", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "10.0.0/8", "::/129", "a/8"}) {
    EXPECT_FALSE(IpNetwork::Parse(bad)) << bad;
  }
}

TEST(InterceptedHosts, AreGooglesAndNothingElse) {
  for (const char* host :
       {"googleapis.com", "storage.googleapis.com", "us-central1-ml.googleapis.com",
        "b.storage.googleapis.com", "accounts.google.com", "source.developers.google.com",
        "tunnel.cloudproxy.app"}) {
    EXPECT_TRUE(IsInterceptedHost(host)) << host;
  }
  for (const char* host :
       {"google.com", "www.google.com", "xgoogleapis.com", "googleapis.com.evil.org",
        "developers.google.com", ".googleapis.com", "cloudproxy.app", "localhost", ""}) {
    EXPECT_FALSE(IsInterceptedHost(host)) << host;
  }
}

class Policy : public testing::Test {
 protected:
  static GoogleConnectPolicy::Options Options() {
    GoogleConnectPolicy::Options options;
    options.admit = [](std::string_view user,
                       std::string_view secret) -> std::optional<std::string> {
      if (secret != "s3cret:x") return std::nullopt;
      if (user == "signed-in") return "user:ann@x";
      return user == "ann" ? std::optional<std::string>("") : std::nullopt;
    };
    options.upstream = Upstream{"proxy.corp:3128", "Basic abc"};
    options.not_upstream = {"corp", ".local.net", "192.0.2.0/24"};
    options.instance_networks = {*IpNetwork::Parse("10.128.0.0/20")};
    return options;
  }
  Request From(const Origin& origin, std::string_view credentials = "") {
    header_ = "Basic " + Base64Encode(credentials);
    Request request;
    request.origin = &origin;
    if (!credentials.empty()) request.headers = {{"proxy-authorization", header_}};
    return request;
  }

  const Origin local_{Origin::Kind::kLocal, ""};
  const Origin instance_{Origin::Kind::kInstance, "i"};
  const Origin remote_{Origin::Kind::kRemote, ""};
  std::string header_;
  GoogleConnectPolicy policy_{Options()};
};

// A machine that uses another one's daemon: Google's names go there, all else as before.
TEST_F(Policy, PassesGooglesNamesOnWhereTheyAreServed) {
  GoogleConnectPolicy::Options options = Options();
  options.served_at = Tunnel{"daemon.lan", 8443, {}};
  GoogleConnectPolicy policy(options);
  ConnectVerdict google = policy.Decide(From(local_, "ann:s3cret:x"), "ml.googleapis.com", 443);
  ASSERT_TRUE(std::holds_alternative<Tunnel>(google));
  EXPECT_EQ(std::get<Tunnel>(google).host, "daemon.lan");
  EXPECT_EQ(std::get<Tunnel>(google).port, 8443);
  EXPECT_FALSE(std::get<Tunnel>(google).through) << "not through the proxy of before";
  ConnectVerdict other = policy.Decide(From(local_, "ann:s3cret:x"), "example.org", 443);
  ASSERT_TRUE(std::holds_alternative<Tunnel>(other));
  EXPECT_EQ(std::get<Tunnel>(other).host, "example.org");
  EXPECT_TRUE(std::get<Tunnel>(other).through);
  ConnectVerdict stranger = policy.Decide(From(local_), "ml.googleapis.com", 443);
  EXPECT_TRUE(std::holds_alternative<Error>(stranger));
}

TEST_F(Policy, AsksTheLoopbackSideForItsSecret) {
  for (const char* credentials : {"", "ann:wrong", "ann", "bob:s3cret:x", ":"}) {
    ConnectVerdict verdict =
        policy_.Decide(From(local_, credentials), "storage.googleapis.com", 443);
    ASSERT_TRUE(std::holds_alternative<Error>(verdict)) << credentials;
    EXPECT_EQ(std::get<Error>(verdict).code, Code::kUnauthenticated);
  }
  ConnectVerdict verdict =
      policy_.Decide(From(local_, "ann:s3cret:x"), "storage.googleapis.com", 443);
  ASSERT_TRUE(std::holds_alternative<Intercept>(verdict));
  EXPECT_TRUE(std::holds_alternative<Error>(policy_.Decide(From(remote_), "pypi.example", 443)));
}

TEST_F(Policy, OnlyAUserWithAPrincipalSignsIn) {
  ConnectVerdict plain = policy_.Decide(From(local_, "ann:s3cret:x"), "ml.googleapis.com", 443);
  ASSERT_TRUE(std::holds_alternative<Intercept>(plain));
  EXPECT_EQ(std::get<Intercept>(plain).principal, "") << "the secret opens the proxy, no more";
  ConnectVerdict signed_in =
      policy_.Decide(From(local_, "signed-in:s3cret:x"), "ml.googleapis.com", 443);
  ASSERT_TRUE(std::holds_alternative<Intercept>(signed_in));
  EXPECT_EQ(std::get<Intercept>(signed_in).principal, "user:ann@x");
}

TEST_F(Policy, KnowsInstancesByTheirSocket) {
  ConnectVerdict verdict = policy_.Decide(From(instance_), "ml.googleapis.com", 443);
  ASSERT_TRUE(std::holds_alternative<Intercept>(verdict));
  EXPECT_EQ(std::get<Intercept>(verdict).principal, "") << "an instance is not the user";
}

TEST_F(Policy, PassesTheRestOnThroughTheProxyThatWasSet) {
  Tunnel tunnel = std::get<Tunnel>(policy_.Decide(From(instance_), "example.org", 8443));
  EXPECT_EQ(tunnel.host, "example.org");
  EXPECT_EQ(tunnel.port, 8443);
  ASSERT_TRUE(tunnel.through);
  EXPECT_EQ(tunnel.through->address, "proxy.corp:3128");
  for (const char* host : {"git.corp", "corp", "a.local.net", "192.0.2.7"}) {
    EXPECT_FALSE(std::get<Tunnel>(policy_.Decide(From(instance_), host, 443)).through) << host;
  }
}

TEST_F(Policy, KeepsInstancesOutOfTheHouse) {
  for (const char* address :
       {"127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "169.254.169.254", "fe80::1", "10.128.3.4",
        "::ffff:127.0.0.1", "::ffff:10.128.0.1", "224.0.0.1"}) {
    EXPECT_FALSE(policy_.MayReach(instance_, address)) << address;
  }
  EXPECT_TRUE(policy_.MayReach(instance_, "192.0.2.1"));
  EXPECT_TRUE(policy_.MayReach(local_, "127.0.0.1"));
  EXPECT_FALSE(policy_.MayReach(remote_, "127.0.0.1"));
}

}  // namespace
}  // namespace fireweed::net
