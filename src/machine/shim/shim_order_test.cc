#include "machine/shim/shim_order.h"

#include <gtest/gtest.h>

namespace fireweed {
namespace {

TEST(ShimOrder, RoundTrips) {
  ShimOrder order{
      .container = true,
      .runtime = "/usr/bin/crun",
      .runtime_root = "/run/x/crun",
      .container_id = "fw-a",
      .bundle = "/state/with space/bundle",
      .cgroup_path = "/fireweed-1/a",
      .stage = "/run/x/a",
      .layers = {"/images/top", "/images/base"},
      .disk = "/disk",
      .binds = {{"/opt/sdk", "/usr/lib/sdk"}},
      .devices = {"/dev/nvidia0", "/dev/nvidiactl"},
      .scratch = "/usr/local/nvidia",
      .volumes = {{"/disks/d-1", "/mnt/disks/data", {"/layers/l-1"}, true}, {"/disks/d-2", "/x"}},
      .files = {{"/etc/motd", 0600, "/files/0", ""}, {"/sbin/halt", 0777, "", "/init"}},
      .id_base = 200000,
      .view_cpus = 2,
      .view_cpu_list = "3,5",
      .view_memory = 1 << 30,
      .command = {"/bin/sh", "-c", "echo 'a\\b'\nexit 3"},
      .environment = {"A=1\n2", "B="},
      .directory = "/work dir",
      .console = "/console",
      .console_keep = 1 << 20};
  std::string text = FormatShimOrder(order);
  std::optional<ShimOrder> read = ParseShimOrder(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(FormatShimOrder(*read), text);
  EXPECT_EQ(read->command, order.command);
  EXPECT_EQ(read->environment, order.environment);
  EXPECT_EQ(read->binds, order.binds);
  EXPECT_EQ(read->devices, order.devices);
  EXPECT_EQ(read->scratch, order.scratch);
  ASSERT_EQ(read->volumes.size(), 2u);
  EXPECT_EQ(read->volumes[0].layers, order.volumes[0].layers);
  EXPECT_TRUE(read->volumes[0].read_only);
  EXPECT_EQ(read->volumes[1].inside, "/x");
  EXPECT_EQ(read->files[0].mode, 0600u);
  EXPECT_EQ(read->files[1].link_target, "/init");
  EXPECT_EQ(read->id_base, 200000);
  EXPECT_EQ(read->view_cpus, 2);
  EXPECT_EQ(read->view_cpu_list, "3,5");
  EXPECT_EQ(read->view_memory, 1 << 30);
}

TEST(ShimOrder, RefusesWhatItDoesNotKnow) {
  std::string good = FormatShimOrder({});
  EXPECT_TRUE(ParseShimOrder(good));
  EXPECT_FALSE(ParseShimOrder(""));
  EXPECT_FALSE(ParseShimOrder("fireweed-shim-order 2\n"));
  EXPECT_FALSE(ParseShimOrder(good.substr(0, good.size() - 1)));
  for (const char* line : {"novelty 1\n", "bind-at /x\n", "file-mode 7\n", "id-base many\n",
                           "file /x\nfile-mode 9\n", "stage a\\x\n", "word\n"}) {
    EXPECT_FALSE(ParseShimOrder(good + line)) << line;
  }
}

TEST(ShimExit, RoundTrips) {
  std::optional<ShimExit> read = ParseShimExit(FormatShimExit({0x0f00, true, 3}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->wait_status, 0x0f00);
  EXPECT_TRUE(read->stop_asked);
  EXPECT_EQ(read->out_of_memory_kills, 3);
  EXPECT_FALSE(ParseShimExit(""));
  EXPECT_FALSE(ParseShimExit("wait-status x\nstop-asked 0\n"));
}

}  // namespace
}  // namespace fireweed
