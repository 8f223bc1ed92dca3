#include "machine/crun/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fireweed {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

BundleSpec Example() {
  return {.root = "/run/x/root",
          .hostname = "t1",
          .command = {"/init"},
          .environment = {"A=\"quoted\""},
          .limits = {.cpus = 1.5, .memory_bytes = 1 << 30, .pids = 100},
          .cgroup_path = "/fireweed-x/t1",
          .id_base = 200000,
          .held_capabilities = ~0ull,
          .most_open_files = 4096};
}

TEST(Bundle, CarriesLimitsAndShiftedIds) {
  std::string config = MakeBundleConfig(Example());
  EXPECT_THAT(config, HasSubstr(R"("memory":{"limit":1073741824})"));
  EXPECT_THAT(config, HasSubstr(R"("cpu":{"quota":150000,"period":100000})"));
  EXPECT_THAT(config, HasSubstr(R"("pids":{"limit":100})"));
  EXPECT_THAT(config,
              HasSubstr(R"("uidMappings":[{"containerID":0,"hostID":200000,"size":65536}])"));
  EXPECT_THAT(config, HasSubstr(R"("A=\"quoted\"")"));
  EXPECT_THAT(config, HasSubstr(R"("cgroupsPath":"/fireweed-x/t1")"));
}

TEST(Bundle, BindsTheViewOfTheHostAndNamesProcessors) {
  BundleSpec spec = Example();
  spec.cpu_list = "3,5";
  spec.views = {{"/run/x/view/meminfo", "/proc/meminfo"}};
  std::string config = MakeBundleConfig(spec);
  EXPECT_THAT(config, HasSubstr(R"("cpu":{"quota":150000,"period":100000,"cpus":"3,5"})"));
  EXPECT_THAT(config, HasSubstr(R"({"destination":"/proc/meminfo","type":"bind",)"
                                R"("source":"/run/x/view/meminfo",)"
                                R"("options":["bind","ro","nosuid","nodev","noexec"]})"));
}

TEST(Bundle, GivesNoCapabilityThatReachesTheHost) {
  BundleSpec spec = Example();
  for (int64_t id_base : {int64_t{200000}, int64_t{0}}) {
    spec.id_base = id_base;
    std::string config = MakeBundleConfig(spec);
    for (const char* name :
         {"CAP_MKNOD", "CAP_SYS_MODULE", "CAP_SYS_RAWIO", "CAP_SYS_ADMIN", "CAP_NET_ADMIN"}) {
      EXPECT_THAT(config, Not(HasSubstr(name)));
    }
  }
  // Without a user namespace it would cover kexec.
  EXPECT_THAT(MakeBundleConfig(spec), Not(HasSubstr("CAP_SYS_BOOT")));
  EXPECT_THAT(MakeBundleConfig(spec), Not(HasSubstr("uidMappings")));
}

TEST(Bundle, AsksOnlyForCapabilitiesTheDaemonHolds) {
  BundleSpec spec = Example();
  spec.id_base = 0;
  spec.held_capabilities = 1;  // CAP_CHOWN
  std::string config = MakeBundleConfig(spec);
  EXPECT_THAT(config, HasSubstr(R"("bounding":["CAP_CHOWN"])"));
}

TEST(Bundle, DeniesDevicesFirst) {
  EXPECT_THAT(MakeBundleConfig(Example()),
              HasSubstr(R"("devices":[{"allow":false,"access":"rwm"},{"allow":true)"));
}

TEST(Bundle, LendsDevicesAndNothingElse) {
  std::string without = MakeBundleConfig(Example());
  EXPECT_THAT(without, HasSubstr(R"("/proc/driver")"));
  BundleSpec spec = Example();
  spec.devices = {{"/run/x/devices/0", "/dev/nvidia0", 195, 0}};
  std::string config = MakeBundleConfig(spec);
  EXPECT_THAT(config,
              HasSubstr(R"({"destination":"/dev/nvidia0","type":"bind",)"
                        R"("source":"/run/x/devices/0","options":["bind","nosuid","noexec"]})"));
  std::string rule = R"({"allow":true,"access":"rwm","type":"c","major":195,"minor":0})";
  EXPECT_THAT(config, HasSubstr(rule));
  EXPECT_THAT(without, Not(HasSubstr(rule)));
  EXPECT_THAT(config, Not(HasSubstr(R"("/proc/driver")")));
}

TEST(Capabilities, AreReadFromStatus) {
  EXPECT_EQ(CapabilitiesOf("Name:\tx\nCapBnd:\t000001fffeffffff\nCapAmb:\t0\n"), 0x1fffeffffffull);
  EXPECT_EQ(CapabilitiesOf(""), 0u);
}

}  // namespace
}  // namespace fireweed
