#include "init/workload.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "init/console_marks.h"

namespace fireweed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(WorkloadOrder, IsReadAsItWasWritten) {
  WorkloadOrder order{.arguments = {"python3", "-c", "print('a\nb')\\", ""},
                      .variables = {"TF_CONFIG={\"a\": 1}", "EMPTY="},
                      .directory = "work",
                      .tree = "/some where",
                      .marks = true};
  std::optional<WorkloadOrder> read = ParseWorkloadOrder(FormatWorkloadOrder(order));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->arguments, order.arguments);
  EXPECT_EQ(read->variables, order.variables);
  EXPECT_EQ(read->directory, order.directory);
  EXPECT_EQ(read->tree, order.tree);
  EXPECT_TRUE(read->marks);
}

TEST(WorkloadOrder, WhatIsNotUnderstoodIsNoOrder) {
  for (const char* text : {"", "argument", "argument a\nnews 1\n", "argument \\x\n", "marks 1\n"}) {
    EXPECT_FALSE(ParseWorkloadOrder(text)) << text;
  }
}

TEST(ConsoleMark, IsReadAsItWasWritten) {
  std::string text = FormatMark({'E', 1763190000123456789, 27}) + "rest";
  std::optional<FoundMark> found = ParseMark(text);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->mark.stream, 'E');
  EXPECT_EQ(found->mark.time_ns, 1763190000123456789);
  EXPECT_EQ(found->mark.size, 27u);
  EXPECT_EQ(text.substr(found->length), "rest");
  // Every beginning of one may still become one.
  for (size_t n = 1; n + 5 < text.size(); ++n) {
    ASSERT_TRUE(ParseMark(text.substr(0, n))) << n;
    EXPECT_EQ(ParseMark(text.substr(0, n))->length, 0u) << n;
  }
  for (const char* wrong :
       {"\x1eX 1 2\n", "\x1eO 1\n", "\x1eO 1 x\n", "\x1eO 1 4096\n", "\x1eO1 2\n", "plain\n"}) {
    EXPECT_FALSE(ParseMark(wrong)) << wrong;
  }
  EXPECT_FALSE(ParseMark(std::string(kLongestMark, '\x1e')));
}

// Runs an order with this process's standard output as the console.
class Workload : public ::testing::Test {
 protected:
  Workload() : home_(::testing::TempDir() + "workload-" + std::to_string(getpid())) {
    std::filesystem::create_directories(home_ + "/tree");
  }
  ~Workload() override { std::filesystem::remove_all(home_); }

  // The exit code; what came to the console is in console_.
  int Run(WorkloadOrder order) {
    std::string file = home_ + "/console";
    int console = open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int before = dup(STDOUT_FILENO);
    dup2(console, STDOUT_FILENO);
    WorkloadRun run(std::move(order), {"HOME=" + home_, "PATH=/usr/bin:/bin", "A=1"});
    sigset_t none;
    sigemptyset(&none);
    pid_t pid = run.Start(none);
    while (run.output() >= 0 || run.error() >= 0) {
      pollfd waits[2] = {{run.output(), POLLIN, 0}, {run.error(), POLLIN, 0}};
      poll(waits, 2, -1);
      run.Copy();
    }
    int status = 0;
    waitpid(pid, &status, 0);
    run.Drain();
    dup2(before, STDOUT_FILENO);
    close(before);
    console_.resize(static_cast<size_t>(lseek(console, 0, SEEK_END)));
    EXPECT_EQ(pread(console, console_.data(), console_.size(), 0),
              static_cast<ssize_t>(console_.size()));
    close(console);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  // What each stream's pieces are when put together again.
  std::string Joined(char stream) const {
    std::string joined;
    std::string_view left = console_;
    while (!left.empty()) {
      std::optional<FoundMark> found = ParseMark(left);
      if (!found || found->length == 0) return "no mark at: " + std::string(left.substr(0, 20));
      if (found->length + found->mark.size > 4096) return "a piece is too long";
      if (found->mark.stream == stream) joined += left.substr(found->length, found->mark.size);
      left.remove_prefix(found->length + found->mark.size);
    }
    return joined;
  }

  const std::string home_;
  std::string console_;
};

TEST_F(Workload, StreamsAreToldApartAndTheExitCodeIsItsOwn) {
  EXPECT_EQ(Run({.arguments = {"sh", "-c", "echo out; echo err >&2; printf unended; exit 7"},
                 .marks = true}),
            7);
  EXPECT_EQ(Joined('O'), "out\nunended\n");
  EXPECT_EQ(Joined('E'), "err\n");
}

TEST_F(Workload, LinesLongerThanAPieceComeWhole) {
  EXPECT_EQ(Run({.arguments = {"sh", "-c", "head -c 10000 /dev/zero | tr '\\0' x; echo; seq 3000"},
                 .marks = true}),
            0);
  std::string numbers;
  for (int i = 1; i <= 3000; ++i) numbers += std::to_string(i) + "\n";
  EXPECT_EQ(Joined('O'), std::string(10000, 'x') + "\n" + numbers);
}

TEST_F(Workload, HasItsVariablesDirectoryAndTree) {
  std::filesystem::create_directories(home_ + "/tree/data");
  EXPECT_EQ(Run({.arguments = {"sh", "-c", "echo $A $B; pwd; ls; touch mine"},
                 .variables = {"A=2", "B=3"},
                 .directory = "work",
                 .tree = home_ + "/tree"}),
            0);
  EXPECT_EQ(console_, "2 3\n" + home_ + "/work\ndata\n");
  EXPECT_TRUE(std::filesystem::exists(home_ + "/work/mine"));
}

TEST_F(Workload, AProgramThatIsNotThereIsSaidSo) {
  EXPECT_EQ(Run({.arguments = {"./no-such-program"}, .marks = true}), 127);
  EXPECT_THAT(Joined('E'), HasSubstr("./no-such-program: No such file or directory"));
  EXPECT_EQ(Run({.arguments = {home_}, .marks = true}), 126);
}

}  // namespace
}  // namespace fireweed
