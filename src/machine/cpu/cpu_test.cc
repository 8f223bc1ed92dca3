#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "machine/cpu/cpu_board.h"
#include "machine/cpu/cpu_list.h"
#include "machine/cpu/cpu_placement.h"
#include "machine/testing/test_host.h"

namespace fireweed {
namespace {

TEST(CpuList, IsReadAndWrittenAsTheKernelDoes) {
  EXPECT_EQ(ParseCpuList("0-2,5\n"), (CpuSet{0, 1, 2, 5}));
  EXPECT_EQ(FormatCpuList({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
  EXPECT_EQ(FormatCpuList({}), "");
  for (const char* bad : {"", "\n", "x", "1-", "-1", "1,,2", "0-99999999"}) {
    EXPECT_TRUE(ParseCpuList(bad).empty()) << bad;
  }
}

TEST(CpuPlacement, SpreadsMachinesOverTheHost) {
  CpuSet host = ParseCpuList("0-3");
  CpuPlacements placed;
  for (const char* id : {"a", "b", "c", "d"}) placed[id] = {ChooseCpus(host, placed, 1)};
  for (const auto& [cpu, load] : CpuLoads(host, placed)) EXPECT_EQ(load, 1) << cpu;
  // More machines than processors: the next ones share evenly.
  for (const char* id : {"e", "f"}) placed[id] = {ChooseCpus(host, placed, 2)};
  for (const auto& [cpu, load] : CpuLoads(host, placed)) EXPECT_EQ(load, 2) << cpu;
}

TEST(CpuPlacement, FractionsOfProcessorsCountAsSuch) {
  CpuPlacements placed{{"micro", {{0}, 0.25}}, {"whole", {{1}, 1}}};
  EXPECT_EQ(ChooseCpus({0, 1}, placed, 1), CpuSet{0});
}

TEST(CpuPlacement, GivesTheWholeHostToAMachineThatIsLarger) {
  EXPECT_EQ(ChooseCpus({2, 5}, {}, 8), (CpuSet{2, 5}));
}

TEST(CpuPlacement, BalancesWhatAStopLeftUneven) {
  CpuPlacements own{{"a", {{0}}}, {"b", {{0}}}};
  EXPECT_EQ(BalanceCpus({0, 1}, {}, own).size(), 1u);
  for (const auto& [cpu, load] : CpuLoads({0, 1}, own)) EXPECT_EQ(load, 1) << cpu;
}

TEST(CpuPlacement, MovesNothingThatWouldNotHelp) {
  CpuPlacements own{{"a", {{0}}}, {"b", {{0}}}, {"c", {{1}}}};
  EXPECT_TRUE(BalanceCpus({0, 1}, {}, own).empty());
  CpuPlacements wide{{"a", {{0, 1}}}, {"b", {{0, 1}}}};
  EXPECT_TRUE(BalanceCpus({0, 1}, {}, wide).empty());
}

TEST(CpuPlacement, CountsMachinesOfOtherDaemonsAndLeavesThemWhereTheyAre) {
  CpuPlacements others{{"x", {{1}}}, {"y", {{1}}}};
  CpuPlacements own{{"a", {{1}}}};
  EXPECT_EQ(BalanceCpus({0, 1}, others, own), std::vector<std::string>{"a"});
  EXPECT_EQ(own["a"].cpus, CpuSet{0});
}

// A tree of files like a cgroup file system, of either layout.
class CpuBoardTest : public ::testing::TestWithParam<bool> {
 protected:
  bool unified() const { return GetParam(); }

  void Write(const std::string& path, const std::string& text) {
    std::filesystem::path file = tree_.path() + "/" + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string In(const std::string& controller, const std::string& path) const {
    return (unified() ? "" : controller + "/") + path;
  }
  void MakeLayout() {
    if (unified()) return Write("cgroup.controllers", "cpuset cpu memory\n");
    for (const char* name : {"cpuset", "cpu"}) Write(std::string(name) + "/cgroup.procs", "");
  }
  void Run(const std::string& machine, const std::string& cpus, int hundredths) {
    Write(In("cpuset", machine + "/cpuset.cpus"), cpus + "\n");
    std::string quota = std::to_string(hundredths * 1000);
    if (unified()) return Write(machine + "/cpu.max", quota + " 100000\n");
    Write("cpu/" + machine + "/cpu.cfs_quota_us", quota + "\n");
    Write("cpu/" + machine + "/cpu.cfs_period_us", "100000\n");
  }
  std::string CpusOf(const std::string& machine) {
    std::string text = ReadFileText(tree_.path() + "/" + In("cpuset", machine + "/cpuset.cpus"));
    return text.substr(0, text.find('\n'));
  }

  TemporaryDirectory tree_;
};

TEST_P(CpuBoardTest, ChoosesWhatMachinesOfAllDaemonsLeaveFree) {
  MakeLayout();
  Run("fireweed-other/x", "0", 100);
  Run("fireweed-me/before", "1", 50);
  Cgroups cgroups(tree_.path());
  CpuBoard board(cgroups, "/fireweed-me", {0, 1, 2});
  EXPECT_EQ(board.Take("a", 1, 1), CpuSet{2});
  // Those that are still starting count as well.
  EXPECT_EQ(board.Take("b", 1, 1), CpuSet{1});
  EXPECT_EQ(board.Take("all", 8, 8), (CpuSet{0, 1, 2}));
}

TEST_P(CpuBoardTest, BalancesTheMachinesThatRun) {
  MakeLayout();
  Run("fireweed-me/a", "0", 100);
  Run("fireweed-me/b", "0", 100);
  Cgroups cgroups(tree_.path());
  CpuBoard board(cgroups, "/fireweed-me", {0, 1});
  board.Release("gone");
  EXPECT_NE(CpusOf("fireweed-me/a"), CpusOf("fireweed-me/b"));
}

TEST_P(CpuBoardTest, DoesNothingWithoutCpusets) {
  Write(unified() ? "cgroup.controllers" : "cpu/cgroup.procs", unified() ? "cpu\n" : "");
  Cgroups cgroups(tree_.path());
  EXPECT_TRUE(cgroups.Has("cpu"));
  CpuBoard board(cgroups, "/fireweed-me", {0, 1});
  EXPECT_TRUE(board.Take("a", 1, 1).empty());
  board.Release("a");
}

INSTANTIATE_TEST_SUITE_P(Layouts, CpuBoardTest, ::testing::Bool(), [](const auto& layout) {
  return std::string(layout.param ? "Unified" : "PerController");
});

}  // namespace
}  // namespace fireweed
