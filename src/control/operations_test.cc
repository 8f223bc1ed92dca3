#include "control/operations.h"

#include <thread>

#include <gtest/gtest.h>

#include "base/sim_clock.h"
#include "catalog/memory_catalog.h"
#include "control/control_loop.h"
#include "control/operation_expiry.h"
#include "control/operation_waiters.h"

namespace fireweed {
namespace {

using std::chrono::seconds;

class OperationsTest : public ::testing::Test {
 protected:
  Operation New(std::string id, std::string target, int64_t version, std::string request_id = "") {
    Operation operation{.scope = "p/zones/z", .id = std::move(id), .verb = "insert"};
    operation.target_kind = "instance";
    operation.target = std::move(target);
    operation.target_version = version;
    operation.user = "owner@example.com";
    operation.request_id = std::move(request_id);
    return operation;
  }
  Operation BeginNow(Operation operation) {
    return Update(catalog_, "begin", [&](Txn& txn) { return Begin(txn, operation, clock_.Now()); });
  }
  int SettleNow(std::string_view target, int64_t reached, std::optional<Error> error = {}) {
    return Update(catalog_, "settle", [&](Txn& txn) {
      return Settle(txn, "instance", target, reached, error, clock_.Now());
    });
  }
  Operation Get(std::string_view id) {
    std::string key = "p/zones/z/" + std::string(id);
    auto row = Query(catalog_, [&](Txn& txn) { return txn.Find<Operation>(key); });
    return row ? row->value : Operation{};
  }

  SimClock clock_;
  MemoryCatalog catalog_;
};

TEST_F(OperationsTest, EndsWhenItsTargetGetsThere) {
  BeginNow(New("1", "i", 3));
  BeginNow(New("2", "i", 4));
  BeginNow(New("3", "i2", 1));
  EXPECT_EQ(SettleNow("i", 2), 0);
  clock_.Advance(seconds(5));
  EXPECT_EQ(SettleNow("i", 3), 1);
  EXPECT_EQ(Get("1").ended, clock_.Now());
  EXPECT_EQ(Get("1").progress, 100);
  EXPECT_FALSE(Get("1").error);
  EXPECT_FALSE(Get("2").ended);
  EXPECT_FALSE(Get("3").ended);
  EXPECT_EQ(SettleNow("i", 3), 0);
  EXPECT_EQ(SettleNow("i", kGone), 1);
  EXPECT_TRUE(Get("2").ended);
}

TEST_F(OperationsTest, KeepsTheErrorAsItWas) {
  BeginNow(New("1", "i", 1));
  Error error{Code::kExhausted, "quotaExceeded", "No room."};
  SettleNow("i", 1, error);
  ASSERT_TRUE(Get("1").error);
  EXPECT_EQ(Get("1").error->ToError(), error);
}

TEST_F(OperationsTest, OneTargetsNameInsideAnothersDoesNotMatch) {
  BeginNow(New("1", "i", 1));
  BeginNow(New("2", "i/x", 1));
  EXPECT_EQ(SettleNow("i", 1), 1);
  EXPECT_FALSE(Get("2").ended);
}

TEST_F(OperationsTest, ARetriedRequestFindsItsOperation) {
  Operation first = New("1", "i", 1, "r-1");
  BeginNow(first);
  auto retried = [&](const Operation& wanted) {
    return Query(catalog_, [&](Txn& txn) { return FindRetried(txn, wanted); });
  };
  EXPECT_EQ(retried(New("2", "i", 1, "r-1"))->id, "1");
  EXPECT_FALSE(retried(New("2", "i", 1, "r-2")));
  EXPECT_FALSE(retried(New("2", "i", 1)));
  EXPECT_THROW(retried(New("2", "j", 1, "r-1")), Failure);
  SettleNow("i", 1);
  EXPECT_TRUE(retried(New("2", "i", 1, "r-1"))->ended);
}

TEST_F(OperationsTest, NothingOfABeginStaysWhenItsIntentFails) {
  EXPECT_THROW(catalog_.Write("intent",
                              [&](Txn& txn) {
                                Begin(txn, New("1", "i", 1, "r"), clock_.Now());
                                throw Failure(Code::kInvalid, "no");
                              }),
               Failure);
  EXPECT_EQ(Get("1").id, "");
  BeginNow(New("1", "i", 1, "r"));
  EXPECT_THROW(BeginNow(New("1", "i", 1)), Failure);
}

TEST_F(OperationsTest, MayBeBornEnded) {
  Operation done = New("1", "i", 1, "r");
  done.ended = Time{};
  EXPECT_EQ(BeginNow(done).ended, clock_.Now());
  EXPECT_EQ(SettleNow("i", 1), 0);
  EXPECT_EQ(Get("1").progress, 100);
}

TEST_F(OperationsTest, ProgressAndWarningsReachOpenOnesOnly) {
  BeginNow(New("1", "i", 1));
  BeginNow(New("2", "i", 2));
  catalog_.Write("note", [](Txn& txn) {
    NoteProgress(txn, "instance", "i", 1, 40);
    NoteProgress(txn, "instance", "i", 1, 30);
    NoteWarning(txn, "instance", "i", 1, {"CLIPPED", "2 processors instead of 64"});
    NoteWarning(txn, "instance", "i", 1, {"CLIPPED", "2 processors instead of 64"});
  });
  EXPECT_EQ(Get("1").progress, 40);
  EXPECT_EQ(Get("1").warnings.size(), 1u);
  EXPECT_EQ(Get("2").progress, 0);
  SettleNow("i", 1);
  catalog_.Write("note", [](Txn& txn) { NoteProgress(txn, "instance", "i", 1, 50); });
  EXPECT_EQ(Get("1").progress, 100);
}

TEST_F(OperationsTest, ForgetsWhatEndedLongAgo) {
  BeginNow(New("1", "i", 1, "r"));
  BeginNow(New("2", "j", 1));
  SettleNow("i", 1);
  clock_.Advance(seconds(100));
  SettleNow("j", 1);
  Time before = clock_.Now() - seconds(50);
  auto forget = [&] {
    return Update(catalog_, "forget", [&](Txn& txn) { return ForgetEnded(txn, before, 10); });
  };
  EXPECT_EQ(forget(), 1);
  EXPECT_EQ(forget(), 0);
  EXPECT_EQ(Get("1").id, "");
  EXPECT_EQ(Get("2").id, "2");
  EXPECT_FALSE(Query(catalog_, [&](Txn& txn) { return FindRetried(txn, New("3", "i", 1, "r")); }));
}

TEST_F(OperationsTest, ExpiryKeepsTwoWeeks) {
  NullLogger logger;
  ControlLoop loop(catalog_, clock_, logger);
  OperationExpiry expiry(catalog_, clock_);
  loop.Add(expiry);
  constexpr int kMany = 2 * OperationExpiry::kAtOnce + 1;
  for (int i = 0; i < kMany; ++i) {
    BeginNow(New(std::to_string(i), "i", 1));
    SettleNow("i", 1);
  }
  BeginNow(New("open", "j", 1));
  Time ended = clock_.Now();
  loop.WakeAll();
  auto count = [&] {
    return Query(catalog_, [](Txn& txn) { return txn.Scan<Operation>({}).size(); });
  };
  while (clock_.Now() < ended + OperationExpiry::kKeep) clock_.JumpTo(*loop.RunDue());
  EXPECT_EQ(count(), kMany + 1u);
  clock_.JumpTo(*loop.RunDue());
  clock_.JumpTo(*loop.RunDue());
  EXPECT_EQ(count(), 1u);
  EXPECT_FALSE(Get("open").ended);
}

class WaitersTest : public OperationsTest {
 protected:
  WaitersTest() : loop_(catalog_, clock_, logger_), waiters_(catalog_) { loop_.Add(waiters_); }
  NullLogger logger_;
  ControlLoop loop_;
  OperationWaiters waiters_;
};

TEST_F(WaitersTest, AreToldOnceWhenItEnds) {
  BeginNow(New("1", "i", 1));
  int told = 0;
  waiters_.When("p/zones/z/1", [&] { ++told; });
  waiters_.When("p/zones/z/1", [&] { ++told; });
  loop_.RunDue();
  catalog_.Write("note", [](Txn& txn) { NoteProgress(txn, "instance", "i", 1, 50); });
  loop_.RunDue();
  EXPECT_EQ(told, 0);
  SettleNow("i", 1);
  loop_.RunDue();
  EXPECT_EQ(told, 2);
  loop_.RunDue();
  EXPECT_EQ(told, 2);
  EXPECT_EQ(waiters_.size(), 0u);
}

TEST_F(WaitersTest, AreToldAtOnceWhenThereIsNothingToWaitFor) {
  BeginNow(New("1", "i", 1));
  SettleNow("i", 1);
  int told = 0;
  waiters_.When("p/zones/z/1", [&] { ++told; });
  EXPECT_EQ(told, 1);
  waiters_.When("p/zones/z/unknown", [&] { ++told; });
  EXPECT_EQ(told, 2);
}

TEST_F(WaitersTest, CanBeForgotten) {
  BeginNow(New("1", "i", 1));
  auto ticket = waiters_.When("p/zones/z/1", [] { FAIL(); });
  waiters_.Forget(ticket);
  waiters_.Forget(ticket);
  EXPECT_EQ(waiters_.size(), 0u);
  SettleNow("i", 1);
  loop_.RunDue();
}

TEST_F(WaitersTest, NoneIsLostBetweenLookingAndEnding) {
  constexpr int kRounds = 200;
  std::atomic<int> told = 0;
  for (int i = 0; i < kRounds; ++i) BeginNow(New(std::to_string(i), std::to_string(i), 1));
  std::thread ender([&] {
    for (int i = 0; i < kRounds; ++i) SettleNow(std::to_string(i), 1);
  });
  for (int i = 0; i < kRounds; ++i) {
    waiters_.When("p/zones/z/" + std::to_string(i), [&] { ++told; });
  }
  ender.join();
  loop_.RunDue();
  EXPECT_EQ(told.load(), kRounds);
}

}  // namespace
}  // namespace fireweed
