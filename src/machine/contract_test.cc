// What every driver owes its callers, asked of each of them.
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "base/sim_clock.h"
#include "machine/crun/crun_driver.h"
#include "machine/fake/fake_driver.h"
#include "machine/kept/state_file.h"
#include "machine/process/process_driver.h"
#include "machine/testing/container_test.h"
#include "machine/testing/test_host.h"

namespace fireweed {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// How a machine behaves: a shell command for real ones, labels for the fake.
struct Behaviour {
  const char* command;
  std::map<std::string, std::string> labels;
};
const Behaviour kObedient{
    "trap 'exit 195' TERM; echo hello; while :; do sleep 1000 & wait $!; done", {}};
const Behaviour kStubborn{"trap '' TERM; echo hello; while :; do sleep 1000 & wait $!; done",
                          {{"fake.stop-seconds", "3600"}}};
const Behaviour kCrashes{"exit 7", {{"fake.run-seconds", "1"}, {"fake.exit", "7"}}};
const Behaviour kPowersOff{"exit 0", {{"fake.run-seconds", "1"}}};
const Behaviour kReboots{"exit 194", {{"fake.run-seconds", "1"}, {"fake.exit", "reboot"}}};

// One driver in a world of its own.
class World {
 public:
  virtual ~World() = default;
  virtual std::string WhyNot() const { return ""; }
  virtual MachineDriver& driver() = 0;
  // A new driver over the same state, as after a restart of the daemon.
  virtual void RestartDaemon() = 0;
  virtual MachineSpec Spec(const std::string& id, const Behaviour& behaviour) = 0;
  // Lets time pass until the machine heeds signals.
  virtual void AwaitUp(const std::string&) {}
  // The process that keeps a machine in its first boot, where one does.
  virtual std::optional<pid_t> Keeper(const std::string&) { return std::nullopt; }
  // Lets time pass until the machine has stopped.
  virtual bool AwaitStopped(const std::string& id, const MachineHandle& handle) = 0;
};

class FakeWorld final : public World {
 public:
  MachineDriver& driver() override { return driver_; }
  void RestartDaemon() override {}  // its machines are the driver
  MachineSpec Spec(const std::string& id, const Behaviour& behaviour) override {
    return {.id = id, .labels = behaviour.labels};
  }
  bool AwaitStopped(const std::string&, const MachineHandle& handle) override {
    for (int i = 0; i < 100; ++i) {
      Result<MachineStatus> status = driver_.Observe(handle);
      if (!status.ok()) return false;
      if (status->phase == MachinePhase::kStopped) return true;
      if (status->look_again) clock_.JumpTo(*status->look_again);
    }
    return false;
  }

 private:
  SimClock clock_;
  FakeDriver driver_{clock_};
};

class KeptWorld : public World {
 public:
  MachineDriver& driver() override { return *driver_; }
  void RestartDaemon() override {
    driver_.reset();
    driver_ = MakeDriver();
    stopped_.Listen(*driver_);
  }
  MachineSpec Spec(const std::string& id, const Behaviour& behaviour) override {
    return {.id = id,
            .command = {"/bin/sh", "-c", behaviour.command},
            .console_path = directory_.path() + "/" + id + ".console"};
  }
  void AwaitUp(const std::string& id) override {
    EXPECT_TRUE(AwaitText(directory_.path() + "/" + id + ".console", "hello"));
  }
  std::optional<pid_t> Keeper(const std::string& id) override {
    return LockHolder(directory_.path() + "/state/machines/" + id + "/1/lock");
  }
  bool AwaitStopped(const std::string& id, const MachineHandle& handle) override {
    Result<MachineStatus> status = driver_->Observe(handle);
    if (status.ok() && status->phase == MachinePhase::kStopped) return true;
    return stopped_.Await(id);
  }

 protected:
  virtual std::unique_ptr<MachineDriver> MakeDriver() = 0;

  TemporaryDirectory directory_;
  StoppedLog stopped_;
  std::unique_ptr<MachineDriver> driver_;
};

class ProcessWorld final : public KeptWorld {
 public:
  ProcessWorld() { RestartDaemon(); }
  ~ProcessWorld() override { EXPECT_TRUE(driver_->Purge().ok()); }

 private:
  std::unique_ptr<MachineDriver> MakeDriver() override {
    return std::make_unique<ProcessDriver>(
        ProcessSettings{.state_directory = directory_.path() + "/state",
                        .shim = ProgramDirectory() + "/fireweed-shim",
                        .init = ProgramDirectory() + "/fireweed-init"});
  }
};

class CrunWorld final : public KeptWorld {
 public:
  explicit CrunWorld(bool user_namespace) : settings_(TestCrunSettings(directory_.path())) {
    settings_.user_namespace = user_namespace;
    if (!WhyNot().empty()) return;
    root_ = MakeTinyRoot(directory_.path());
    RestartDaemon();
  }
  ~CrunWorld() override {
    if (driver_) {
      EXPECT_TRUE(driver_->Purge().ok());
    }
  }
  std::string WhyNot() const override { return WhyNoContainerTests(); }
  MachineSpec Spec(const std::string& id, const Behaviour& behaviour) override {
    MachineSpec spec = KeptWorld::Spec(id, behaviour);
    spec.image_layers = {root_};
    return spec;
  }

 private:
  std::unique_ptr<MachineDriver> MakeDriver() override {
    return std::make_unique<CrunDriver>(settings_);
  }

  CrunSettings settings_;
  std::string root_;
};

struct WorldMaker {
  const char* name;
  std::function<std::unique_ptr<World>()> make;
};
void PrintTo(const WorldMaker& maker, std::ostream* out) { *out << maker.name; }

class DriverContract : public ::testing::TestWithParam<WorldMaker> {
 protected:
  void SetUp() override {
    world_ = GetParam().make();
    if (std::string why = world_->WhyNot(); !why.empty()) GTEST_SKIP() << why;
  }
  MachineDriver& driver() { return world_->driver(); }
  MachineHandle Start(const std::string& id, const Behaviour& behaviour) {
    MachineHandle handle = driver().Start(world_->Spec(id, behaviour)).value();
    if (std::string_view(behaviour.command).find("hello") != std::string_view::npos) {
      world_->AwaitUp(id);
    }
    return handle;
  }
  MachineExit ExitOf(const std::string& id, const MachineHandle& handle) {
    EXPECT_TRUE(world_->AwaitStopped(id, handle));
    MachineStatus status = driver().Observe(handle).value();
    EXPECT_EQ(status.phase, MachinePhase::kStopped);
    EXPECT_TRUE(status.ended);
    return status.exit.value_or(MachineExit{.code = -1});
  }
  std::vector<std::string> Ids() {
    std::vector<std::string> ids;
    for (const auto& [id, handle] : driver().List().value()) ids.push_back(id);
    return ids;
  }

  std::unique_ptr<World> world_;
};

TEST_P(DriverContract, AStartedMachineRunsAndIsListed) {
  MachineHandle handle = Start("a", kObedient);
  MachineStatus status = driver().Observe(handle).value();
  EXPECT_EQ(status.phase, MachinePhase::kRunning);
  EXPECT_TRUE(status.started);
  EXPECT_FALSE(status.exit);
  EXPECT_EQ(status.addresses.empty(), !driver().capabilities().own_network);
  EXPECT_THAT(Ids(), ElementsAre("a"));
}

TEST_P(DriverContract, StartIsIdempotentOnIdAndBoot) {
  MachineSpec spec = world_->Spec("a", kObedient);
  int boots = 0;
  spec.before_boot = [&](const MachineHandle&) -> Result<> { return ++boots, Done{}; };
  MachineHandle first = driver().Start(spec).value();
  EXPECT_EQ(driver().Start(spec).value(), first);
  world_->RestartDaemon();
  EXPECT_EQ(driver().Start(spec).value(), first);
  EXPECT_EQ(boots, 1);
  ASSERT_TRUE(driver().Stop(first, seconds(0)).ok());
  ExitOf("a", first);
  EXPECT_EQ(driver().Start(spec).value(), first);  // that boot has been; it is not repeated
  EXPECT_EQ(driver().Observe(first).value().phase, MachinePhase::kStopped);
  EXPECT_EQ(boots, 1);
}

TEST_P(DriverContract, AStoppedMachineBootsAgain) {
  MachineSpec spec = world_->Spec("a", kObedient);
  MachineHandle first = driver().Start(spec).value();
  std::vector<std::string> addresses = driver().Observe(first).value().addresses;
  spec.boot = 2;
  EXPECT_EQ(driver().Start(spec).error().code, Code::kPrecondition);
  world_->AwaitUp("a");
  ASSERT_TRUE(driver().Stop(first, seconds(60)).ok());
  ExitOf("a", first);
  MachineHandle second = driver().Start(spec).value();
  EXPECT_EQ(driver().Observe(second).value().phase, MachinePhase::kRunning);
  EXPECT_EQ(driver().Observe(second).value().addresses, addresses);
  EXPECT_EQ(driver().Observe(first).error().code, Code::kNotFound);
  spec.boot = 1;
  EXPECT_EQ(driver().Start(spec).error().code, Code::kPrecondition);
  EXPECT_TRUE(driver().Remove(first).ok());  // of a boot long gone: nothing to do
  EXPECT_EQ(driver().Observe(second).value().phase, MachinePhase::kRunning);
}

TEST_P(DriverContract, ACrashShowsItsCode) {
  MachineExit exit = ExitOf("a", Start("a", kCrashes));
  EXPECT_EQ(exit.kind, ExitKind::kCrashed);
  EXPECT_EQ(exit.code, 7);
  EXPECT_EQ(exit.asked_by, AskedBy::kNobody);
}

TEST_P(DriverContract, OffAndRebootFromInsideAreToldApart) {
  MachineExit off = ExitOf("a", Start("a", kPowersOff));
  EXPECT_EQ(off.kind, ExitKind::kOff);
  EXPECT_EQ(off.asked_by, AskedBy::kInside);
  MachineExit reboot = ExitOf("b", Start("b", kReboots));
  EXPECT_EQ(reboot.kind, ExitKind::kReboot);
  EXPECT_EQ(reboot.asked_by, AskedBy::kInside);
}

TEST_P(DriverContract, AWorkloadIsTheMachinesLifeAndEnd) {
  if (driver().capabilities().driver == "fake") GTEST_SKIP() << "nothing runs in a fake machine";
  MachineSpec spec = world_->Spec("a", kPowersOff);
  spec.command.clear();
  spec.workload = MachineWorkload{.argv = {"sh", "-c", "echo hello $NAME; exit 194"},
                                  .environment = {{"NAME", "ann"}}};
  MachineExit exit = ExitOf("a", driver().Start(spec).value());
  EXPECT_EQ(exit.code, 194);
  EXPECT_FALSE(exit.stop_asked);
  EXPECT_TRUE(AwaitText(spec.console_path, "hello ann"));
}

TEST_P(DriverContract, AStopReachesTheWorkload) {
  if (driver().capabilities().driver == "fake") GTEST_SKIP() << "nothing runs in a fake machine";
  MachineSpec spec = world_->Spec("a", kPowersOff);
  spec.command.clear();
  spec.workload = MachineWorkload{
      .argv = {"sh", "-c", "trap 'echo saved; exit 3' TERM; echo hello; sleep 1000 & wait"},
      .marks = true};
  MachineHandle handle = driver().Start(spec).value();
  world_->AwaitUp("a");
  ASSERT_TRUE(driver().Stop(handle, seconds(60)).ok());
  MachineExit exit = ExitOf("a", handle);
  EXPECT_EQ(exit.code, 3);
  EXPECT_TRUE(exit.stop_asked);
  EXPECT_TRUE(AwaitText(spec.console_path, "saved"));
}

// Programs are left in the background, in sessions of their own, and by scripts that run or have ended.
TEST_P(DriverContract, WhatScriptsStartedGoesDownWithTheMachine) {
  if (driver().capabilities().driver == "fake") GTEST_SKIP() << "nothing runs in a fake machine";
  struct Case {
    const char* script;
    AskedBy asked_by;
  };
  for (const Case& c :
       {Case{"setsid sleep 1000 >/dev/null 2>&1 &\necho hello", AskedBy::kOutside},
        Case{"echo hello\nsleep 1000", AskedBy::kOutside},
        Case{"setsid sleep 1000 >/dev/null 2>&1 &\necho hello; poweroff", AskedBy::kInside}}) {
    MachineSpec spec = world_->Spec("a", kPowersOff);
    spec.command.clear();
    std::unique_ptr<TableMetadata> metadata;
    spec.before_boot = [&](const MachineHandle& handle) -> Result<> {
      metadata = std::make_unique<TableMetadata>(
          driver().ListenInside(handle, "169.254.169.254", 80, Transport::kTcp).value(),
          std::map<std::string, std::string>{{"instance/attributes/startup-script", c.script}});
      return Done{};
    };
    MachineHandle handle = driver().Start(spec).value();
    // The last lines before a machine takes itself down may be cut off.
    if (c.asked_by == AskedBy::kOutside) {
      world_->AwaitUp("a");
      ASSERT_TRUE(driver().Stop(handle, seconds(20)).ok());
    }
    MachineExit exit = ExitOf("a", handle);
    EXPECT_EQ(exit.kind, ExitKind::kOff) << c.script;
    EXPECT_EQ(exit.asked_by, c.asked_by) << c.script;
    EXPECT_TRUE(driver().Remove(handle).ok());
    unlink(spec.console_path.c_str());
  }
}

TEST_P(DriverContract, StopLetsAMachineGoDown) {
  MachineHandle handle = Start("a", kObedient);
  if (driver().capabilities().exec)
    driver().Exec(handle, {.argv = {"true"}}).value()->Wait().value();
  ASSERT_TRUE(driver().Stop(handle, seconds(60)).ok());
  MachineExit exit = ExitOf("a", handle);
  EXPECT_EQ(exit.kind, ExitKind::kOff);
  EXPECT_EQ(exit.asked_by, AskedBy::kOutside);
  EXPECT_TRUE(driver().Stop(handle, seconds(60)).ok());
}

TEST_P(DriverContract, StopKillsWhenTheGraceIsUsedUp) {
  MachineHandle handle = Start("a", kStubborn);
  ASSERT_TRUE(driver().Stop(handle, milliseconds(200)).ok());
  MachineExit exit = ExitOf("a", handle);
  EXPECT_EQ(exit.kind, ExitKind::kKilled);
  EXPECT_EQ(exit.asked_by, AskedBy::kOutside);
  EXPECT_EQ(exit.code, 137);
}

TEST_P(DriverContract, AShorterGraceCounts) {
  MachineHandle handle = Start("a", kStubborn);
  ASSERT_TRUE(driver().Stop(handle, seconds(3000)).ok());
  ASSERT_TRUE(driver().Stop(handle, milliseconds(100)).ok());
  EXPECT_EQ(ExitOf("a", handle).kind, ExitKind::kKilled);
  MachineHandle other = Start("b", kStubborn);
  ASSERT_TRUE(driver().Stop(other, seconds(3000)).ok());
  ASSERT_TRUE(driver().Stop(other, seconds(0)).ok());
  EXPECT_EQ(ExitOf("b", other).kind, ExitKind::kKilled);
}

TEST_P(DriverContract, RemoveLeavesNothingAndMayBeRepeated) {
  MachineHandle handle = Start("a", kStubborn);
  EXPECT_TRUE(driver().Remove(handle).ok());
  EXPECT_EQ(driver().Observe(handle).error().code, Code::kNotFound);
  EXPECT_THAT(Ids(), IsEmpty());
  EXPECT_TRUE(driver().Remove(handle).ok());
  Start("a", kObedient);  // the name is free again
}

TEST_P(DriverContract, ForeignHandlesAreRefused) {
  for (const char* text : {"", "{}", R"({"version":9,"driver":"x","id":"a","boot":1})"}) {
    EXPECT_EQ(driver().Observe({text}).error().code, Code::kInvalid);
    EXPECT_EQ(driver().Stop({text}, seconds(1)).error().code, Code::kInvalid);
    EXPECT_EQ(driver().Remove({text}).error().code, Code::kInvalid);
  }
}

TEST_P(DriverContract, BadSpecsAreRefused) {
  for (const char* id : {"", "UPPER", "a/b", "..", "-a"}) {
    MachineSpec spec = world_->Spec("a", kObedient);
    spec.id = id;
    EXPECT_EQ(driver().Start(spec).error().code, Code::kInvalid) << id;
  }
  EXPECT_THAT(Ids(), IsEmpty());
}

TEST_P(DriverContract, AFailedStartLeavesNothing) {
  MachineSpec spec = world_->Spec("a", kObedient);
  spec.before_boot = [](const MachineHandle&) -> Result<> {
    return Error{Code::kUnavailable, "", "not now"};
  };
  EXPECT_EQ(driver().Start(spec).error().message, "not now");
  EXPECT_THAT(Ids(), IsEmpty());
  spec.before_boot = nullptr;
  EXPECT_TRUE(driver().Start(spec).ok());
}

TEST_P(DriverContract, FailedStartsInARowLeaveTheMachineAsItWas) {
  MachineSpec spec = world_->Spec("a", kObedient);
  MachineHandle first = driver().Start(spec).value();
  std::vector<std::string> addresses = driver().Observe(first).value().addresses;
  ASSERT_TRUE(driver().Stop(first, seconds(0)).ok());
  ExitOf("a", first);
  spec.before_boot = [](const MachineHandle&) -> Result<> {
    return Error{Code::kUnavailable, "", "not now"};
  };
  for (spec.boot = 2; spec.boot < 4; ++spec.boot) {
    EXPECT_EQ(driver().Start(spec).error().message, "not now");
    EXPECT_EQ(driver().Observe(first).value().phase, MachinePhase::kStopped) << spec.boot;
  }
  Start("b", kObedient);  // must not get what is the first one's
  spec.before_boot = nullptr;
  EXPECT_EQ(driver().Observe(driver().Start(spec).value()).value().addresses, addresses);
}

// Whatever the boot was called: where none ever ran there is no machine.
TEST_P(DriverContract, AFailedLaterBootOfAMachineThatNeverRanLeavesNothing) {
  MachineSpec spec = world_->Spec("a", kObedient);
  spec.boot = 2;
  spec.before_boot = [](const MachineHandle&) -> Result<> {
    return Error{Code::kUnavailable, "", "not now"};
  };
  EXPECT_EQ(driver().Start(spec).error().message, "not now");
  EXPECT_THAT(Ids(), IsEmpty());
}

TEST_P(DriverContract, AKilledKeeperTakesItsMachineAlong) {
  // By this word in their command lines the host knows the machine's programs.
  std::string word = "word-" + SystemRandom().Hex(8);
  std::string command = "setsid sh -c 'echo hello; sleep 1000; : " + word + "' & wait; : " + word;
  MachineHandle handle = Start("a", {command.c_str(), {}});
  std::optional<pid_t> keeper = world_->Keeper("a");
  if (!keeper) GTEST_SKIP() << "nobody keeps a fake machine";
  EXPECT_TRUE(RunsOnHost(word));
  ASSERT_EQ(kill(*keeper, SIGKILL), 0);
  MachineExit exit = ExitOf("a", handle);
  EXPECT_EQ(exit.kind, ExitKind::kKilled);
  EXPECT_EQ(exit.asked_by, AskedBy::kNobody);
  EXPECT_FALSE(RunsOnHost(word));
}

TEST_P(DriverContract, ARestartedDaemonFindsItsMachines) {
  MachineHandle running = Start("runs", kObedient);
  MachineHandle ending = Start("ends", kStubborn);
  ASSERT_TRUE(driver().Stop(ending, milliseconds(100)).ok());
  world_->RestartDaemon();
  EXPECT_THAT(Ids(), ElementsAre("ends", "runs"));
  EXPECT_EQ(driver().Observe(running).value().phase, MachinePhase::kRunning);
  EXPECT_EQ(ExitOf("ends", ending).kind, ExitKind::kKilled);  // though nobody was there to see it
  ASSERT_TRUE(driver().Stop(running, seconds(60)).ok());
  EXPECT_EQ(ExitOf("runs", running).kind, ExitKind::kOff);
}

TEST_P(DriverContract, FreezeAndThaw) {
  MachineHandle handle = Start("a", kObedient);
  if (!driver().capabilities().freeze) {
    EXPECT_EQ(driver().Freeze(handle, true).error().code, Code::kInvalid);
    return;
  }
  ASSERT_TRUE(driver().Freeze(handle, true).ok());
  EXPECT_TRUE(driver().Observe(handle).value().frozen);
  EXPECT_TRUE(driver().Freeze(handle, true).ok());
  ASSERT_TRUE(driver().Freeze(handle, false).ok());
  EXPECT_FALSE(driver().Observe(handle).value().frozen);
  // A frozen machine can be stopped.
  ASSERT_TRUE(driver().Freeze(handle, true).ok());
  ASSERT_TRUE(driver().Stop(handle, seconds(60)).ok());
  EXPECT_EQ(ExitOf("a", handle).kind, ExitKind::kOff);
}

TEST_P(DriverContract, ExecRunsAProgram) {
  if (!driver().capabilities().exec) GTEST_SKIP() << "no such capability";
  MachineSpec spec = world_->Spec("a", kObedient);
  spec.labels["fake.exec-output"] = "said hello\n";
  MachineHandle handle = driver().Start(spec).value();
  ShellResult result = ShellIn(driver(), handle, "echo said hello");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.output, "said hello\n");
  ASSERT_TRUE(driver().Stop(handle, seconds(0)).ok());
  ExitOf("a", handle);
  EXPECT_EQ(driver().Exec(handle, {.argv = {"true"}}).error().code, Code::kPrecondition);
}

TEST_P(DriverContract, DataDisksComeAndGo) {
  MachineHandle handle = Start("a", kObedient);
  TemporaryDirectory disk;
  MachineVolume volume{.directory = disk.path(), .inside = "/mnt/disks/data"};
  Result<> placed = driver().PlaceVolume(handle, volume, true);
  if (!driver().capabilities().own_root) {
    EXPECT_EQ(placed.error().code, Code::kInvalid);
    return;
  }
  for (bool there : {true, true, false, false}) {
    placed = driver().PlaceVolume(handle, volume, there);
    EXPECT_TRUE(placed.ok()) << placed.error().message;
  }
  ASSERT_TRUE(driver().Stop(handle, seconds(0)).ok());
  ExitOf("a", handle);
  EXPECT_EQ(driver().PlaceVolume(handle, volume, true).error().code, Code::kNotFound);
}

TEST_P(DriverContract, ListenInsideGivesAListeningSocket) {
  MachineSpec spec = world_->Spec("a", kObedient);
  UniqueFd before;
  bool can = driver().capabilities().listen_inside;
  spec.before_boot = [&](const MachineHandle& handle) -> Result<> {
    if (!can) return Done{};
    before = driver().ListenInside(handle, "169.254.169.254", 80, Transport::kTcp).value();
    return Done{};
  };
  MachineHandle handle = driver().Start(spec).value();
  if (!can) {
    EXPECT_EQ(driver().ListenInside(handle, "169.254.169.254", 80, Transport::kTcp).error().code,
              Code::kInvalid);
    return;
  }
  Result<UniqueFd> dns = driver().ListenInside(handle, "169.254.169.254", 53, Transport::kUdp);
  int listening = 0;
  socklen_t size = sizeof listening;
  ASSERT_EQ(getsockopt(before.get(), SOL_SOCKET, SO_ACCEPTCONN, &listening, &size), 0);
  EXPECT_EQ(listening, 1);
  // Without a network of its own a machine has its metadata server, but no names.
  bool names = driver().capabilities().driver != "process";
  EXPECT_EQ(dns.ok(), names);
  if (!names) {
    EXPECT_EQ(dns.error().code, Code::kInvalid);
  }
  ASSERT_TRUE(driver().Stop(handle, seconds(0)).ok());
  ExitOf("a", handle);
}

TEST_P(DriverContract, PurgeRemovesEverything) {
  Start("a", kStubborn);
  Start("b", kPowersOff);
  EXPECT_TRUE(driver().Purge().ok());
  EXPECT_THAT(Ids(), IsEmpty());
  EXPECT_TRUE(driver().Purge().ok());
}

INSTANTIATE_TEST_SUITE_P(
    All, DriverContract,
    ::testing::Values(WorldMaker{"fake", [] { return std::make_unique<FakeWorld>(); }},
                      WorldMaker{"process", [] { return std::make_unique<ProcessWorld>(); }},
                      WorldMaker{"crun", [] { return std::make_unique<CrunWorld>(true); }},
                      WorldMaker{"crun_same_ids",
                                 [] { return std::make_unique<CrunWorld>(false); }}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace fireweed
