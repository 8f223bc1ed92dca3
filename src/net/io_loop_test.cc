#include "net/io_loop.h"

#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "net/looking.h"

namespace fireweed::net {
namespace {

constexpr int kVeryLong = 1'000'000'000;  // looks: minutes

// What `job` gives, on the loop.
bool On(IoLoop& loop, const std::function<bool()>& job) {
  std::promise<bool> result;
  loop.Post([&] { result.set_value(job()); });
  return result.get_future().get();
}

TEST(Looking, GoesOnWhileItIsRewarded) {
  Looking looking;
  for (int i = 0; i < 3; ++i) looking.Looked(false);
  EXPECT_TRUE(looking.IsWorthIt()) << "a few may be late";
  looking.Looked(true);
  int looked = 0;
  for (int i = 0; i < 1000; ++i) {
    looked += looking.IsWorthIt() ? 1 : 0;
    looking.Looked(false);
  }
  EXPECT_GT(looked, 10) << "it may have become quick";
  EXPECT_LT(looked, 100) << "it is slow";
  looking.Looked(true);
  EXPECT_TRUE(looking.IsWorthIt());
}

TEST(IoLoop, ServesWhileItStaysAwake) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "no core to spare";
  IoLoop loop;
  EXPECT_TRUE(On(loop, [&] { return loop.StayAwake(kVeryLong); }));
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(On(loop, [] { return true; }));
  EXPECT_TRUE(On(loop, [&] { return loop.StayAwake(kVeryLong); })) << "the same again";
  EXPECT_TRUE(On(loop, [&] { return loop.awake(); }));
  loop.Post([&] { loop.Rest(); });
  EXPECT_FALSE(On(loop, [&] { return loop.awake(); }));
}

TEST(IoLoop, OneCoreIsLeftToOthers) {
  const unsigned cores = std::thread::hardware_concurrency();
  for (int round = 0; round < 2; ++round) {  // what was taken was given back
    std::vector<std::unique_ptr<IoLoop>> loops;
    unsigned awake = 0;
    for (unsigned i = 0; i < cores + 1; ++i) {
      loops.push_back(std::make_unique<IoLoop>());
      IoLoop& loop = *loops.back();
      awake += On(loop, [&] { return loop.StayAwake(kVeryLong); }) ? 1 : 0;
    }
    EXPECT_EQ(awake, cores - 1);
    for (auto& owner : loops) owner->Post([loop = owner.get()] { loop->Rest(); });
  }
}

}  // namespace
}  // namespace fireweed::net
