#include "compute/tunnels_service.h"

#include <gtest/gtest.h>

#include "compute/compute_fixture.h"

namespace fireweed::compute {
namespace {

class TunnelsServiceTest : public ::testing::Test {
 protected:
  TunnelsServiceTest() {
    tunnels_.Serve(all_.plane->router);
    all_.Ask("POST", "/compute/v1/projects/p/zones/us-east1-b/instances",
             ComputeFixture::InsertBody("vm"));
    all_.Settle();
  }
  // "ok" for a tunnel, else the code of the refusal.
  std::string Connect(const std::string& query, const char* who = "Bearer ann@example.com") {
    return Ask("/v4/connect", query, who);
  }
  std::string Ask(std::string_view path, const std::string& query, const char* who) {
    net::Origin origin;
    net::Request request;
    std::string target = std::string(path) + "?" + query;
    request.method = "GET";
    request.target = target;
    request.path = path;
    request.query = query;
    request.host = "tunnel.cloudproxy.app";
    request.origin = &origin;
    request.headers = {{"Upgrade", "websocket"},
                       {"Connection", "Upgrade"},
                       {"Sec-WebSocket-Version", "13"},
                       {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="},
                       {"Sec-WebSocket-Protocol", "relay.tunnel.cloudproxy.app"}};
    if (who) request.headers.push_back({"Authorization", who});
    try {
      net::Answer answer = all_.plane->router.Handle(request);
      return std::holds_alternative<std::shared_ptr<net::Forwarding>>(answer) ? "ok" : "answer";
    } catch (const Failure& failure) {
      return std::string(CodeName(failure.error().code));
    }
  }

  ComputeFixture all_;
  TunnelsService tunnels_{all_.catalog, all_.access, all_.identity, all_.random};
};

const std::string kVm = "project=p&zone=us-east1-b&instance=vm&interface=nic0&port=22";

TEST_F(TunnelsServiceTest, LeadsToARunningInstance) {
  EXPECT_EQ(Connect(kVm + "&newWebsocket=True"), "ok");
  EXPECT_EQ(Connect("project=4711&zone=us-east1-b&instance=vm&port=8080"), "ok");
}

TEST_F(TunnelsServiceTest, NeedsThePermission) {
  EXPECT_EQ(Connect(kVm, nullptr), CodeName(Code::kUnauthenticated));
  all_.access.denied = {"iap.tunnelInstances.accessViaIAP projects/p"};
  EXPECT_EQ(Connect(kVm), CodeName(Code::kDenied));
}

TEST_F(TunnelsServiceTest, RefusesWhatCannotBeReached) {
  EXPECT_EQ(Connect("project=p&zone=us-east1-b&instance=no&port=22"), CodeName(Code::kNotFound));
  for (const char* bad :
       {"project=p&zone=us-east1-b&instance=vm&port=0", "project=p&zone=us-east1-b&instance=vm",
        "project=p&zone=us-east1-b&instance=vm&port=65536",
        "project=p&zone=us-east1-b&instance=vm&interface=nic1&port=22",
        "project=p&region=us-east1&network=default&host=10.0.0.9&port=22"}) {
    EXPECT_EQ(Connect(bad), CodeName(Code::kInvalid)) << bad;
  }
  all_.Ask("POST", "/compute/v1/projects/p/zones/us-east1-b/instances/vm/stop");
  all_.Settle();
  EXPECT_EQ(Connect(kVm), CodeName(Code::kInvalid));
}

TEST_F(TunnelsServiceTest, ResumesOnlyWhatIsOpen) {
  EXPECT_EQ(Ask("/v4/reconnect", "sid=00ff&ack=0", "Bearer ann@example.com"),
            CodeName(Code::kNotFound));
  EXPECT_EQ(Ask("/v4/reconnect", "sid=00ff&ack=0", nullptr), CodeName(Code::kUnauthenticated));
}

}  // namespace
}  // namespace fireweed::compute
