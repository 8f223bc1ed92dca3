// What programs inside a machine count: its own processors and memory, not the host's.

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "machine/cpu/cgroups.h"
#include "machine/cpu/cpu_board.h"
#include "machine/testing/container_test.h"

namespace fireweed {
namespace {

constexpr int64_t kMib = 1 << 20;

class ViewTest : public ContainerTest {
 protected:
  void SetUp() override {
    ContainerTest::SetUp();
    if (IsSkipped()) return;
    if (!driver_->capabilities().limits) GTEST_SKIP() << "the host has no controllers for limits";
  }
  MachineHandle StartSmall(const std::string& id, int32_t visible_cpus = 1) {
    MachineSpec spec{
        .limits = {.cpus = 1, .visible_cpus = visible_cpus, .memory_bytes = 256 * kMib}};
    return StartIdle(id, spec);
  }
  std::string Output(const MachineHandle& machine, const std::string& command) {
    return std::string(Trim(Shell(machine, command).output));
  }
  CpuSet CpusOf(const MachineHandle& machine) {
    return ParseCpuList(Output(machine, "cat /sys/devices/system/cpu/online"));
  }
  // Machines of all daemons of the host.
  static size_t MachinesOnHost() {
    namespace fs = std::filesystem;
    size_t count = 0;
    std::error_code failed;
    for (const auto& daemon : fs::directory_iterator(Cgroups().Directory("cpuset", ""), failed)) {
      if (!daemon.path().filename().string().starts_with("fireweed-")) continue;
      for (const auto& machine : fs::directory_iterator(daemon.path(), failed)) {
        if (machine.is_directory(failed)) ++count;
      }
    }
    return count;
  }
  int64_t MemoryKib(const MachineHandle& machine, const std::string& key) {
    return std::stoll(Output(machine, "awk '/^" + key + ":/ {print $2}' /proc/meminfo"));
  }
};

TEST_F(ViewTest, AMachineCountsItsOwnProcessors) {
  MachineHandle one = StartSmall("one");
  EXPECT_EQ(Output(one, "nproc"), "1");
  EXPECT_EQ(Output(one, "grep -c ^processor /proc/cpuinfo"), "1");
  EXPECT_EQ(CpusOf(one).size(), 1u);
  // The affinity and the list are about the same processors.
  EXPECT_EQ(Output(one, "awk '/^Cpus_allowed_list/ {print $2}' /proc/self/status"),
            FormatCpuList(CpusOf(one)));
  EXPECT_EQ(Output(one, "cat /sys/devices/system/cpu/present"), FormatCpuList(CpusOf(one)));
}

TEST_F(ViewTest, ASharedCoreShowsAsManyProcessorsAsItsTypeSays) {
  if (OwnCpus().size() < 2) GTEST_SKIP() << "the host has one processor";
  EXPECT_EQ(Output(StartSmall("two", 2), "nproc"), "2");
}

TEST_F(ViewTest, AMachineSeesItsOwnMemory) {
  MachineHandle small = StartSmall("small");
  EXPECT_EQ(MemoryKib(small, "MemTotal"), 256 * 1024);
  int64_t before = MemoryKib(small, "MemFree");
  EXPECT_LE(before, 256 * 1024);
  ASSERT_EQ(Shell(small, "dd if=/dev/zero of=/dev/shm/fill bs=1M count=64 2>/dev/null").code, 0);
  EXPECT_LT(MemoryKib(small, "MemFree"), before - 60 * 1024);
  EXPECT_GE(MemoryKib(small, "Shmem"), 64 * 1024);
  ASSERT_EQ(Shell(small, "rm /dev/shm/fill").code, 0);
  EXPECT_GT(MemoryKib(small, "MemFree"), before - 20 * 1024);
  // Programs inside cannot change it.
  EXPECT_NE(Shell(small, "echo x > /proc/meminfo").code, 0);
}

TEST_F(ViewTest, MachinesSpreadOverTheHostAndMoveWhenOneStops) {
  if (OwnCpus().size() < 2) GTEST_SKIP() << "the host has one processor";
  constexpr const char* kCrowded =
      "machines of other daemons count, too, and some run on this host";
  if (MachinesOnHost() > 0) GTEST_SKIP() << kCrowded;
  std::map<std::string, MachineHandle> machines;
  for (size_t i = 0; i < OwnCpus().size() + 1; ++i) {
    std::string id = "m" + std::to_string(i);
    machines[id] = StartSmall(id);
  }
  // The last one shares a processor with another; when all the rest stop, these two part.
  CpuSet shared = CpusOf(machines.rbegin()->second);
  std::vector<std::string> kept;
  for (auto& [id, machine] : machines) {
    if (CpusOf(machine) == shared) kept.push_back(id);
  }
  if (MachinesOnHost() != machines.size()) GTEST_SKIP() << kCrowded;
  ASSERT_EQ(kept.size(), 2u);
  for (auto& [id, machine] : machines) {
    if (id == kept[0] || id == kept[1]) continue;
    ASSERT_TRUE(driver_->Remove(machine).ok());
  }
  if (MachinesOnHost() != kept.size()) GTEST_SKIP() << kCrowded;
  EXPECT_NE(CpusOf(machines[kept[0]]), CpusOf(machines[kept[1]]));
  EXPECT_EQ(Output(machines[kept[0]], "nproc"), "1");
}

}  // namespace
}  // namespace fireweed
