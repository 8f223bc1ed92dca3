#include "compute/served_sockets.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/sim_clock.h"
#include "catalog/memory_catalog.h"
#include "machine/fake/fake_driver.h"

namespace fireweed::compute {
namespace {

class NoDispatcher final : public net::Dispatcher {
 public:
  net::Answer Handle(const net::Request&) override { return net::Response{}; }
  net::Response RenderError(const net::Request&, const Error&) override { return {}; }
};

// Counts what it was asked for, and can be made to fail at one of the ports.
class CountingDriver final : public MachineDriver {
 public:
  explicit CountingDriver(const Clock& clock) : inner(clock) {}
  DriverCapabilities capabilities() const override { return inner.capabilities(); }
  Result<MachineHandle> Start(const MachineSpec& spec) override { return inner.Start(spec); }
  Result<MachineStatus> Observe(const MachineHandle& h) override { return inner.Observe(h); }
  Result<> Stop(const MachineHandle& h, Duration grace) override { return inner.Stop(h, grace); }
  Result<> Freeze(const MachineHandle& h, bool frozen) override { return inner.Freeze(h, frozen); }
  Result<> PlaceVolume(const MachineHandle& handle, const MachineVolume& volume,
                       bool there) override {
    return inner.PlaceVolume(handle, volume, there);
  }
  Result<std::unique_ptr<ExecStream>> Exec(const MachineHandle& h, const ExecSpec& s) override {
    return inner.Exec(h, s);
  }
  Result<UniqueFd> ListenInside(const MachineHandle& handle, std::string_view address,
                                uint16_t port, Transport transport) override {
    EXPECT_EQ(address, "169.254.169.254");
    ports.push_back(port);
    if (port == broken_port) return Error{Code::kUnavailable, "", "broken"};
    return inner.ListenInside(handle, address, port, transport);
  }
  Result<> Remove(const MachineHandle& handle) override { return inner.Remove(handle); }
  Result<std::vector<std::pair<std::string, MachineHandle>>> List() override {
    return inner.List();
  }
  void OnStopped(std::function<void(const std::string&)> sink) override { inner.OnStopped(sink); }
  Result<> Purge() override { return inner.Purge(); }

  FakeDriver inner;
  std::vector<uint16_t> ports;
  uint16_t broken_port = 0;
};

class ServedSocketsTest : public ::testing::Test {
 protected:
  SimClock clock_;
  SystemClock system_clock_;
  SystemRandom random_;
  NullLogger log_;
  MemoryCatalog catalog_;
  CountingDriver driver_{clock_};
  NoDispatcher nobody_;
  net::HttpServer server_{{.io_threads = 1, .pool_threads = 1}, system_clock_, log_};
  NameServer names_{catalog_,
                    {.resolvers = [] { return std::vector<std::string>(); }},
                    system_clock_,
                    random_,
                    log_};
  ServedSockets sockets_{driver_,
                         {.server = server_, .metadata = nobody_, .api = nobody_, .names = names_}};
};

TEST_F(ServedSocketsTest, OpensOncePerBoot) {
  MachineHandle machine = driver_.Start({.id = "i-1"}).value();
  ASSERT_TRUE(sockets_.Open("p/z/a", machine).ok());
  ASSERT_TRUE(sockets_.Open("p/z/a", machine).ok());
  EXPECT_EQ(driver_.ports, (std::vector<uint16_t>{80, 443, 53, 53}));
  sockets_.Close("p/z/a");
  sockets_.Close("p/z/a");
  ASSERT_TRUE(sockets_.Open("p/z/a", machine).ok());
  EXPECT_EQ(driver_.ports.size(), 8u);
}

TEST_F(ServedSocketsTest, AFailureLeavesNothingOpenAndIsTriedAgain) {
  MachineHandle machine = driver_.Start({.id = "i-1"}).value();
  driver_.broken_port = 53;
  EXPECT_FALSE(sockets_.Open("p/z/a", machine).ok());
  driver_.broken_port = 0;
  EXPECT_TRUE(sockets_.Open("p/z/a", machine).ok());
}

}  // namespace
}  // namespace fireweed::compute
