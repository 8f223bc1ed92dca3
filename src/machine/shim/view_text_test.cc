#include "machine/shim/view_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fireweed {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kMib = 1 << 20;

constexpr std::string_view kCpus =
    "processor\t: 0\nmodel name\t: X\nsiblings\t: 16\ncpu cores\t: 8\n\n"
    "processor\t: 1\nmodel name\t: X\nsiblings\t: 16\ncpu cores\t: 8\n\n"
    "processor\t: 2\nmodel name\t: X\nsiblings\t: 16\ncpu cores\t: 8\n\n";

constexpr std::string_view kMemory =
    "MemTotal:       132050000 kB\n"
    "MemFree:        100000000 kB\n"
    "MemAvailable:   120000000 kB\n"
    "Buffers:            5000 kB\n"
    "Cached:          3000000 kB\n"
    "SwapTotal:       8000000 kB\n"
    "Active(file):     700000 kB\n"
    "Shmem:            200000 kB\n"
    "HugePages_Total:       3\n"
    "Hugepagesize:       2048 kB\n"
    "DirectMap4k:      200000 kB\n";

TEST(CpuinfoText, ShowsTheMachinesProcessors) {
  EXPECT_EQ(CpuinfoText(kCpus, 1),
            "processor\t: 0\nmodel name\t: X\nsiblings\t: 1\ncpu cores\t: 1\n\n");
  EXPECT_THAT(CpuinfoText(kCpus, 2), HasSubstr("processor\t: 1\n"));
  EXPECT_THAT(CpuinfoText(kCpus, 2), Not(HasSubstr("processor\t: 2\n")));
}

TEST(CpuinfoText, StaysAsItIsWhereProcessorsCannotBeTold) {
  EXPECT_EQ(CpuinfoText("cpu model: other\n", 2), "cpu model: other\n");
}

TEST(MeminfoText, ShowsTheLimitAndWhatTheCgroupUses) {
  std::string unified = "anon 1048576\nfile 20971520\nactive_file 10485760\nshmem 2097152\n";
  std::string v1 =
      "cache 1\ntotal_cache 20971520\ntotal_active_file 10485760\ntotal_shmem 2097152\n";
  for (const std::string& stat : {unified, v1}) {
    EXPECT_EQ(MeminfoText(kMemory, {.limit = 1024 * kMib, .used = 256 * kMib, .stat = stat}),
              "MemTotal:        1048576 kB\n"
              "MemFree:          786432 kB\n"
              "MemAvailable:     796672 kB\n"
              "Buffers:               0 kB\n"
              "Cached:            20480 kB\n"
              "SwapTotal:             0 kB\n"
              "Active(file):      10240 kB\n"
              "Shmem:              2048 kB\n"
              "HugePages_Total:       0\n"
              "Hugepagesize:       2048 kB\n");
  }
}

TEST(MeminfoText, IsNeverNegative) {
  EXPECT_THAT(MeminfoText(kMemory, {.limit = kMib, .used = 2 * kMib}),
              HasSubstr("MemFree:               0 kB\n"));
}

}  // namespace
}  // namespace fireweed
