#include "machine/kept/kept_machines.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <future>

#include <gtest/gtest.h>

#include "machine/kept/state_file.h"
#include "machine/testing/test_host.h"

namespace fireweed {
namespace {

constexpr Duration kShort = std::chrono::milliseconds(50);

TEST(ExitFrom, TellsWhoAskedAndHow) {
  struct Case {
    ShimExit seen;
    ExitKind kind;
    AskedBy asked_by;
    int code;
  };
  auto exited = [](int code) { return W_EXITCODE(code, 0); };
  for (const Case& c : std::vector<Case>{
           {{exited(0), false}, ExitKind::kOff, AskedBy::kInside, 0},
           {{SIGINT, false}, ExitKind::kOff, AskedBy::kInside, 130},     // reboot(2), power off
           {{SIGHUP, false}, ExitKind::kReboot, AskedBy::kInside, 129},  // reboot(2), restart
           {{exited(194), false}, ExitKind::kReboot, AskedBy::kInside, 194},
           {{exited(195), false}, ExitKind::kOff, AskedBy::kOutside, 195},
           {{exited(195), true}, ExitKind::kOff, AskedBy::kOutside, 195},
           {{exited(0), true}, ExitKind::kOff, AskedBy::kOutside, 0},
           {{SIGKILL, true}, ExitKind::kKilled, AskedBy::kOutside, 137},
           {{SIGKILL, false, 1}, ExitKind::kKilled, AskedBy::kNobody, 137},
           {{exited(7), false}, ExitKind::kCrashed, AskedBy::kNobody, 7},
           {{SIGSEGV, false}, ExitKind::kCrashed, AskedBy::kNobody, 139},
       }) {
    MachineExit exit = ExitFrom(c.seen);
    EXPECT_EQ(exit.kind, c.kind) << c.seen.wait_status;
    EXPECT_EQ(exit.asked_by, c.asked_by) << c.seen.wait_status;
    EXPECT_EQ(exit.code, c.code) << c.seen.wait_status;
    EXPECT_EQ(exit.out_of_memory, c.seen.out_of_memory_kills > 0);
  }
}

TEST(StateFile, NobodyHoldsAFreeLock) {
  TemporaryDirectory directory;
  std::string path = directory.path() + "/lock";
  EXPECT_EQ(LockHolder(path), std::nullopt);
  ASSERT_TRUE(WriteStateFile(path, "").ok());
  EXPECT_EQ(LockHolder(path), std::nullopt);
}

// A start cut off between making the directory and starting the keeper is started again, not taken for done.
TEST(KeptMachines, AnInterruptedStartIsNoBoot) {
  TemporaryDirectory directory;
  KeptMachines machines({.root = directory.path(), .shim = ProgramDirectory() + "/fireweed-shim"});
  ASSERT_TRUE(MakeStateDirectory(machines.BootDirectory({"a", 1})).ok());
  ASSERT_TRUE(WriteStateFile(machines.BootDirectory({"a", 1}) + "/order", "half").ok());
  EXPECT_EQ(machines.Observe({"a", 1}).value().phase, MachinePhase::kStopped);
  EXPECT_FALSE(machines.HasBooted({"a", 1}).value());
  EXPECT_EQ(ReadStateFile(machines.BootDirectory({"a", 1}) + "/order"), std::nullopt);
}

TEST(KeptMachines, AMachineWhoseHostWentDownWasKilled) {
  TemporaryDirectory directory;
  int buried = 0;
  KeptMachines machines({.root = directory.path(),
                         .shim = ProgramDirectory() + "/fireweed-shim",
                         .bury = [&](const MachineKey&) { ++buried; }});
  ASSERT_TRUE(MakeStateDirectory(machines.BootDirectory({"a", 1})).ok());
  ASSERT_TRUE(WriteStateFile(machines.BootDirectory({"a", 1}) + "/running", "pid 4194303\n").ok());
  MachineStatus status = machines.Observe({"a", 1}).value();
  EXPECT_EQ(status.phase, MachinePhase::kStopped);
  EXPECT_EQ(status.exit->kind, ExitKind::kKilled);
  EXPECT_EQ(status.exit->asked_by, AskedBy::kNobody);
  EXPECT_EQ(machines.Observe({"a", 1}).value().phase, MachinePhase::kStopped);
  EXPECT_EQ(buried, 1);
  EXPECT_TRUE(machines.HasBooted({"a", 1}).value());
}

TEST(KeptMachines, ABrokenOrderFailsTheBoot) {
  TemporaryDirectory directory;
  KeptMachines machines({.root = directory.path(), .shim = ProgramDirectory() + "/fireweed-shim"});
  ASSERT_TRUE(MakeStateDirectory(machines.BootDirectory({"a", 1})).ok());
  Result<> booted = machines.Boot(
      {"a", 1}, {.command = {"/no/such/program"}, .directory = "/no/where"}, [](pid_t) -> Result<> {
        return Error{Code::kUnavailable, "", "no"};
      });
  EXPECT_EQ(booted.error().message, "no");
  EXPECT_FALSE(ModifiedTime(machines.BootDirectory({"a", 1})));
}

// A shim that falls silent once it is ready, and whose machine does not start before Open.
class SlowShim {
 public:
  SlowShim() {
    // In the background, so that nothing but `head` holds on to the output.
    std::ofstream(path()) << "#!/bin/sh\nexec 3<&0\n(read -r go <&3 || exit\n"
                             "while [ -e '" +
                                 path() + "' ] && [ ! -e '" + gate() +
                                 "' ]\n"
                                 "do sleep 0.01; done\n"
                                 "[ -e '" +
                                 gate() + "' ] && echo \"$go\") |" + ProgramDirectory() +
                                 "/fireweed-shim \"$@\" | head -n 1 &\n";
    chmod(path().c_str(), 0700);
  }
  std::string path() const { return directory_.path() + "/shim"; }
  void Open() { std::ofstream{gate()}; }

 private:
  std::string gate() const { return directory_.path() + "/gate"; }
  TemporaryDirectory directory_;
};

// A start that was cut off after "go", with its keeper still at it.
void CutOffStart(KeptMachines& machines, const MachineKey& key) {
  ASSERT_TRUE(MakeStateDirectory(machines.BootDirectory(key)).ok());
  Result<> booted = machines.Boot(key, {.command = {"/bin/sleep", "1000"}, .directory = "/"},
                                  [](pid_t) -> Result<> { return Done{}; });
  ASSERT_FALSE(booted.ok());
  EXPECT_EQ(booted.error().code, Code::kUnavailable);
  ASSERT_EQ(machines.Observe(key).value().phase, MachinePhase::kStarting);
}

// What became of it is found by the next try of the same boot; until then nothing of it may be forgotten.
TEST(KeptMachines, AStartSlowerThanThePatienceIsFoundByTheNextTry) {
  TemporaryDirectory directory;
  SlowShim shim;
  KeptMachines machines({.root = directory.path(), .shim = shim.path(), .patience = kShort});
  std::promise<void> stopped;
  machines.OnStopped([&](const std::string&) { stopped.set_value(); });
  MachineKey key{"a", 1};
  ASSERT_NO_FATAL_FAILURE(CutOffStart(machines, key));
  shim.Open();
  Result<bool> started = machines.HasBooted(key);
  for (int i = 0; i < 1000 && !started.ok(); ++i) started = machines.HasBooted(key);
  EXPECT_TRUE(started.value());
  EXPECT_EQ(machines.Observe(key).value().phase, MachinePhase::kRunning);
  ASSERT_TRUE(machines.Stop(key, Duration(0)).ok());
  EXPECT_EQ(stopped.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
  EXPECT_EQ(machines.Observe(key).value().exit->kind, ExitKind::kKilled);
}

// A daemon that was killed in mid-boot comes back and waits for the machine, not for its keeper's end.
TEST(KeptMachines, AMachineThatComesUpIsFoundAtOnce) {
  TemporaryDirectory directory;
  SlowShim shim;
  KeptMachines::Settings settings{.root = directory.path(), .shim = shim.path()};
  KeptMachines restarted(settings);
  settings.patience = kShort;
  KeptMachines killed(settings);
  MachineKey key{"a", 1};
  ASSERT_NO_FATAL_FAILURE(CutOffStart(killed, key));
  SystemClock clock;
  Time before = clock.Now();
  shim.Open();
  EXPECT_TRUE(restarted.HasBooted(key).value());
  EXPECT_LT(clock.Now() - before, std::chrono::seconds(20));
  EXPECT_TRUE(restarted.Remove(key).value());
}

// A keeper that is killed between the start of the machine and its word about it.
TEST(KeptMachines, WhatAKeeperThatDiedHasStartedIsBuried) {
  TemporaryDirectory directory;
  int buried = 0;
  KeptMachines machines({.root = directory.path(),
                         .shim = ProgramDirectory() + "/fireweed-shim",
                         .bury = [&](const MachineKey&) { ++buried; }});
  MachineKey key{"a", 1};
  ASSERT_TRUE(MakeStateDirectory(machines.BootDirectory(key)).ok());
  Result<> booted = machines.Boot(key, {.command = {"/bin/sleep", "1000"}, .directory = "/"},
                                  [](pid_t keeper) -> Result<> {
                                    kill(keeper, SIGKILL);
                                    return Done{};
                                  });
  EXPECT_FALSE(booted.ok());
  EXPECT_EQ(buried, 1);
  EXPECT_FALSE(ModifiedTime(machines.BootDirectory(key)));
  // The same where the daemon died with it.
  ASSERT_TRUE(MakeStateDirectory(machines.BootDirectory(key)).ok());
  EXPECT_FALSE(machines.HasBooted(key).value());
  EXPECT_EQ(buried, 2);
  ASSERT_TRUE(MakeStateDirectory(machines.BootDirectory(key)).ok());
  EXPECT_FALSE(machines.HasBooted({"a", 2}).value());
  EXPECT_EQ(buried, 3);
  ASSERT_TRUE(MakeStateDirectory(machines.BootDirectory(key)).ok());
  EXPECT_TRUE(machines.Remove(key).value());
  EXPECT_EQ(buried, 4);
}

}  // namespace
}  // namespace fireweed
