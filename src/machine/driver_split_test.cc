#include "machine/driver_split.h"

#include <gtest/gtest.h>

#include "base/sim_clock.h"
#include "machine/fake/fake_driver.h"

namespace fireweed {
namespace {

MachineSpec Spec(const std::string& id) {
  MachineSpec spec;
  spec.id = id;
  spec.boot = 1;
  return spec;
}

std::vector<std::string> IdsOf(MachineDriver& driver) {
  std::vector<std::string> ids;
  for (const auto& [id, handle] : driver.List().value()) ids.push_back(id);
  return ids;
}

class Split : public testing::Test {
 protected:
  SimClock clock_;
  FakeDriver driver_{clock_};
  DriverSplit split_{driver_, "serve-"};
};

TEST_F(Split, EachSideSeesItsOwnMachinesOnly) {
  ASSERT_TRUE(split_.with_prefix().Start(Spec("serve-a")).ok());
  ASSERT_TRUE(split_.others().Start(Spec("vm-a")).ok());
  EXPECT_EQ(IdsOf(split_.with_prefix()), std::vector<std::string>{"serve-a"});
  EXPECT_EQ(IdsOf(split_.others()), std::vector<std::string>{"vm-a"});
  EXPECT_EQ(IdsOf(driver_).size(), 2u);
}

TEST_F(Split, AMachineOfTheOtherSideIsRefused) {
  EXPECT_EQ(split_.with_prefix().Start(Spec("vm-a")).error().code, Code::kInvalid);
  EXPECT_EQ(split_.others().Start(Spec("serve-a")).error().code, Code::kInvalid);
  EXPECT_TRUE(IdsOf(driver_).empty());
}

TEST_F(Split, AnEndIsToldToWhoseMachineItWas) {
  std::vector<std::string> serving, instances;
  split_.with_prefix().OnStopped([&](const std::string& id) { serving.push_back(id); });
  split_.others().OnStopped([&](const std::string& id) { instances.push_back(id); });
  auto stop = [&](MachineDriver& side, const std::string& id) {
    MachineHandle handle = side.Start(Spec(id)).value();
    ASSERT_TRUE(side.Stop(handle, Duration::zero()).ok());
    ASSERT_TRUE(side.Observe(handle).ok());  // where the driver without machines notices
  };
  stop(split_.with_prefix(), "serve-a");
  stop(split_.others(), "vm-a");
  EXPECT_EQ(serving, std::vector<std::string>{"serve-a"});
  EXPECT_EQ(instances, std::vector<std::string>{"vm-a"});
  // One side's sink can go while the other's stays.
  split_.with_prefix().OnStopped(nullptr);
  stop(split_.with_prefix(), "serve-b");
  stop(split_.others(), "vm-b");
  EXPECT_EQ(serving.size(), 1u);
  EXPECT_EQ(instances.size(), 2u);
}

}  // namespace
}  // namespace fireweed
