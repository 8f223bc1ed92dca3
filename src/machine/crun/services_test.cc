// Services of a machine with fireweed-init as process 1.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/testing/container_test.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using ::testing::HasSubstr;

using ServicesTest = ContainerTest;

// Units as packages and people write them, without systemd.
TEST_F(ServicesTest, EnabledServicesStartAtBootAndSystemctlControlsThem) {
  fs::path units = directory_.path() + "/layer/etc/systemd/system";
  fs::create_directories(units / "multi-user.target.wants");
  std::ofstream(units / "web.service")
      << "[Unit]\nDescription=A web server\nAfter=setup.service\nWants=setup.service\n[Service]\n"
         "User=user\nEnvironment=WORD=rose\nRestart=always\nRestartSec=10ms\n"
         "ExecStart=/bin/sh -c 'trap \"echo going; exit\" TERM; echo $WORD as $$(id -un); "
         "cat /run/made; while :; do sleep 0.02; done'\n[Install]\nWantedBy=multi-user.target\n";
  std::ofstream(units / "setup.service") << "[Service]\nType=oneshot\nRemainAfterExit="
                                            "yes\nExecStart=/bin/sh -c 'echo set up >/run/made'\n";
  std::ofstream(units / "fork.service")
      << "[Service]\nType=forking\nExecStart=/bin/sh -c 'sleep 1000 &'\n";
  std::ofstream(units / "bad.service") << "[Service]\nExecStart=/no/such/program\n";
  fs::create_symlink("/etc/systemd/system/web.service",
                     units / "multi-user.target.wants/web.service");
  MachineHandle handle =
      StartInit("t1", {}, {.image_layers = {directory_.path() + "/layer", root_}});
  ASSERT_TRUE(AwaitText(ConsolePath("t1"), "]: set up\n")) << Console("t1");
  EXPECT_THAT(Console("t1"), HasSubstr("]: rose as user\n"));
  EXPECT_EQ(Shell(handle, "systemctl is-active web setup; systemctl is-enabled web setup").output,
            "active\nactive\nenabled\nstatic\n");
  // A service that dies comes back, one that is stopped does not.
  Shell(handle,
        "old=$(systemctl show -p MainPID --value web); kill -9 $old; until [ "
        "$(systemctl show -p MainPID --value web) != $old ] && systemctl -q is-active web; do "
        "sleep 0.01; done");
  EXPECT_EQ(Shell(handle, "systemctl stop web; systemctl is-active web").code, 3);
  EXPECT_EQ(Shell(handle, "systemctl start web fork; systemctl is-active fork").output, "active\n");
  EXPECT_THAT(Shell(handle, "systemctl status web").output, HasSubstr("Active: active (running)"));
  EXPECT_EQ(Shell(handle, "systemctl stop fork; ps -o args | grep -c '[s]leep 1000'").output,
            "0\n");
  EXPECT_THAT(Shell(handle, "systemctl start bad").output, HasSubstr("/no/such/program: No such"));
  EXPECT_EQ(Shell(handle, "systemctl start bad; systemctl is-failed bad").output.substr(0, 6),
            "Failed");
  EXPECT_EQ(Shell(handle, "systemctl start none").code, 5);
  EXPECT_EQ(Shell(handle, "systemctl disable web 2>/dev/null; systemctl is-enabled web").output,
            "disabled\n");
  ASSERT_TRUE(driver_->Stop(handle, seconds(60)).ok());
  EXPECT_EQ(AwaitExit("t1", handle).kind, ExitKind::kOff);
  std::string console = Console("t1");
  EXPECT_THAT(console.substr(console.find("asked for from outside")), HasSubstr("]: going\n"));
}

}  // namespace
}  // namespace fireweed
