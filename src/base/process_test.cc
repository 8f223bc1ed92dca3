#include "base/process.h"

#include <signal.h>

#include <gtest/gtest.h>

namespace fireweed {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RunProgram, GivesOutputErrorAndExitCode) {
  ProgramSpec spec{.argv = {"sh", "-c", "echo out; echo err >&2; exit 7"}};
  ProgramOutcome outcome = RunProgram(spec, seconds(60)).value();
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_EQ(outcome.output, "out\n");
  EXPECT_EQ(outcome.error, "err\n");
}

TEST(RunProgram, ExpandsNothing) {
  ProgramOutcome outcome =
      RunProgram({.argv = {"printf", "%s", "$HOME * `id`"}}, seconds(60)).value();
  EXPECT_EQ(outcome.output, "$HOME * `id`");
}

TEST(RunProgram, FeedsMoreThanAPipeHolds) {
  std::string large(3 << 20, 'x');
  ProgramOutcome outcome = RunProgram({.argv = {"cat"}}, seconds(60), large).value();
  EXPECT_EQ(outcome.output, large);
}

TEST(RunProgram, SurvivesAProgramThatDoesNotRead) {
  std::string large(1 << 20, 'x');
  EXPECT_TRUE(
      RunProgram({.argv = {"true"}}, seconds(60), large).value().ok());  // and no SIGPIPE ends us
}

TEST(RunProgram, SetsEnvironmentAndDirectory) {
  ProgramSpec spec{.argv = {"/bin/sh", "-c", "echo $WORD; pwd"},
                   .environment = std::vector<std::string>{"WORD=fireweed"},
                   .directory = "/"};
  EXPECT_EQ(RunProgram(spec, seconds(60)).value().output, "fireweed\n/\n");
}

TEST(RunProgram, RefusesAMissingProgram) {
  EXPECT_EQ(RunProgram({.argv = {"fireweed-no-such-program"}}, seconds(60)).error().code,
            Code::kNotFound);
  EXPECT_EQ(RunProgram({}, seconds(60)).error().code, Code::kInvalid);
}

TEST(RunProgram, KillsWhatTakesTooLong) {
  Result<ProgramOutcome> slow = RunProgram({.argv = {"sleep", "1000"}}, milliseconds(20));
  EXPECT_EQ(slow.error().code, Code::kUnavailable);
  // Closing its outputs early does not help it.
  Result<ProgramOutcome> quiet =
      RunProgram({.argv = {"sh", "-c", "exec >&- 2>&-; exec sleep 1000"}}, milliseconds(50));
  EXPECT_EQ(quiet.error().code, Code::kUnavailable);
}

TEST(ChildProgram, StartsWithSignalsAtTheirDefaults) {
  struct sigaction ignore = {}, before;
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGTERM, &ignore, &before);
  ChildProgram child = ChildProgram::Spawn({.argv = {"sleep", "1000"}}).value();
  sigaction(SIGTERM, &before, nullptr);
  child.Kill(SIGTERM);
  EXPECT_EQ(child.Wait(), 128 + SIGTERM);
  EXPECT_EQ(child.Wait(), 128 + SIGTERM);
}

}  // namespace
}  // namespace fireweed
