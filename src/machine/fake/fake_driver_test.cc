#include "machine/fake/fake_driver.h"

#include <gtest/gtest.h>

#include "base/sim_clock.h"

namespace fireweed {
namespace {

using std::chrono::seconds;

class FakeDriverTest : public ::testing::Test {
 protected:
  MachineStatus Look() { return driver_.Observe(handle_).value(); }
  void Start(std::map<std::string, std::string> labels) {
    handle_ = driver_.Start({.id = "a", .labels = std::move(labels)}).value();
  }

  SimClock clock_;
  FakeDriver driver_{clock_};
  MachineHandle handle_;
};

TEST_F(FakeDriverTest, RunsItsScriptOnTheClock) {
  Start({{"fake.start-seconds", "2"}, {"fake.run-seconds", "30"}, {"fake.exit", "7"}});
  EXPECT_EQ(Look().phase, MachinePhase::kStarting);
  EXPECT_EQ(Look().look_again, clock_.Now() + seconds(2));
  clock_.Advance(seconds(2));
  EXPECT_EQ(Look().phase, MachinePhase::kRunning);
  EXPECT_EQ(Look().look_again, clock_.Now() + seconds(30));
  clock_.Advance(seconds(30));
  MachineStatus status = Look();
  EXPECT_EQ(status.phase, MachinePhase::kStopped);
  EXPECT_EQ(status.exit->kind, ExitKind::kCrashed);
  EXPECT_EQ(status.exit->code, 7);
  EXPECT_EQ(status.exit->asked_by, AskedBy::kNobody);
  EXPECT_EQ(status.look_again, std::nullopt);
}

TEST_F(FakeDriverTest, FailsTheFirstStarts) {
  MachineSpec spec{.id = "a", .labels = {{"fake.start-failures", "2"}}};
  EXPECT_EQ(driver_.Start(spec).error().code, Code::kUnavailable);
  EXPECT_EQ(driver_.Start(spec).error().code, Code::kUnavailable);
  EXPECT_TRUE(driver_.Start(spec).ok());
}

TEST_F(FakeDriverTest, StopTakesItsTimeOrTheGrace) {
  Start({{"fake.stop-seconds", "10"}});
  ASSERT_TRUE(driver_.Stop(handle_, seconds(30)).ok());
  clock_.Advance(seconds(9));
  EXPECT_EQ(Look().phase, MachinePhase::kRunning);
  ASSERT_TRUE(driver_.Stop(handle_, seconds(0)).ok());  // the shorter grace counts
  EXPECT_EQ(Look().exit->kind, ExitKind::kKilled);
  EXPECT_EQ(Look().exit->asked_by, AskedBy::kOutside);
}

TEST_F(FakeDriverTest, AFrozenMachineDoesNotEndByItself) {
  Start({{"fake.run-seconds", "5"}});
  ASSERT_TRUE(driver_.Freeze(handle_, true).ok());
  clock_.Advance(seconds(60));
  EXPECT_EQ(Look().phase, MachinePhase::kRunning);
  ASSERT_TRUE(driver_.Freeze(handle_, false).ok());
  EXPECT_EQ(Look().phase, MachinePhase::kStopped);
}

TEST_F(FakeDriverTest, TellsOnceThatAMachineStopped) {
  std::vector<std::string> told;
  driver_.OnStopped([&](const std::string& id) { told.push_back(id); });
  Start({{"fake.run-seconds", "5"}});
  Look();
  clock_.Advance(seconds(5));
  Look();
  Look();
  EXPECT_EQ(told, std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace fireweed
