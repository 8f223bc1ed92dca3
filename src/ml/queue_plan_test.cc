#include "ml/queue_plan.h"

#include <gtest/gtest.h>

namespace fireweed::ml {
namespace {

using std::chrono::minutes;

const Time kStart = *ParseTime("2026-11-15T10:00:00Z");

ActiveJob Waiting(const char* key, double cpus, int number, int priority = 0) {
  return {.created = kStart,
          .number = number,
          .priority = priority,
          .cpus = cpus,
          .memory_mb = 100,
          .key = key};
}
ActiveJob Holding(const char* key, double cpus, int number) {
  ActiveJob job = Waiting(key, cpus, number);
  job.admitted = true;
  return job;
}

std::string Admitted(const std::vector<ActiveJob>& jobs, Time now = kStart, double cpus = 4,
                     int64_t memory_mb = 1000) {
  std::string names;
  for (const Admission& one : PlanQueue({jobs, {cpus, memory_mb}, now}).admit) {
    names += one.job + (one.oversubscribed ? "! " : " ");
  }
  return names;
}

TEST(QueuePlan, BeginsWhatFitsInOrder) {
  EXPECT_EQ(Admitted({}), "");
  EXPECT_EQ(Admitted({Waiting("b", 2, 2), Waiting("a", 2, 1), Waiting("c", 1, 3)}), "a b ");
  EXPECT_EQ(Admitted({Holding("x", 3, 1), Waiting("a", 2, 2), Waiting("b", 1, 3)}), "b ");
  EXPECT_EQ(Admitted({Waiting("low", 4, 1, 1), Waiting("high", 4, 2, 5)}), "high ");
  EXPECT_EQ(Admitted({Waiting("a", 1, 1), Waiting("b", 1, 2)}, kStart, 4, 150), "a ");
}

TEST(QueuePlan, TooLargeForTheMachineRunsAlone) {
  EXPECT_EQ(Admitted({Waiting("gang", 12, 1)}), "gang! ");
  EXPECT_EQ(Admitted({Waiting("gang", 12, 1), Waiting("small", 1, 2)}), "gang! ");
  EXPECT_EQ(Admitted({Holding("gang", 12, 1), Waiting("small", 1, 2)}), "");
  EXPECT_EQ(Admitted({Holding("small", 1, 1), Waiting("gang", 12, 2)}), "");
}

TEST(QueuePlan, ACardIsWaitedFor) {
  auto with = [](ActiveJob job, int64_t count) {
    job.cards["nvidia-tesla-t4"] = count;
    return job;
  };
  auto admitted = [](const std::vector<ActiveJob>& jobs) {
    std::string names;
    for (const Admission& one :
         PlanQueue({jobs, {4, 1000, {{"nvidia-tesla-t4", 2}}}, kStart}).admit) {
      names += one.job + (one.oversubscribed ? "! " : " ");
    }
    return names;
  };
  ActiveJob holds = with(Holding("x", 1, 1), 1), waits = with(Waiting("a", 1, 2), 2);
  EXPECT_EQ(admitted({holds, waits, with(Waiting("b", 1, 3), 1), Waiting("c", 1, 4)}), "b c ");
  EXPECT_EQ(admitted({waits}), "a ");
  EXPECT_EQ(admitted({with(Waiting("trials", 1, 1), 3), waits}), "trials! ");
}

TEST(QueuePlan, CardsThatInstancesHaveAreWaitedForAndHoldNobodyUp) {
  ActiveJob one = Waiting("one", 1, 1), two = Waiting("two", 1, 2), large = Waiting("large", 12, 3);
  one.cards = large.cards = {{"nvidia-tesla-t4", 1}};
  two.cards = {{"nvidia-tesla-t4", 2}};
  std::vector<ActiveJob> jobs{one, two, large, Waiting("plain", 1, 4)};
  auto admitted = [&](int64_t lent) {
    Time late = kStart + 2 * kQueuePatience;
    QueuePlan plan =
        PlanQueue({jobs, {4, 1000, {{"nvidia-tesla-t4", 2}}}, late, {{"nvidia-tesla-t4", lent}}});
    std::string names;
    for (const Admission& admission : plan.admit) names += admission.job + " ";
    for (const Key& key : plan.want_cards) names += "-" + key + " ";
    return names;
  };
  EXPECT_EQ(admitted(2), "plain -one -two -large ");
  EXPECT_EQ(admitted(1), "one -two ") << "what is free is kept for the large one";
  EXPECT_EQ(admitted(0), "one ");
}

TEST(QueuePlan, SmallOnesPassALargeOneOnlyForAWhile) {
  std::vector<ActiveJob> jobs{Holding("x", 2, 1), Waiting("large", 4, 2), Waiting("small", 1, 3)};
  EXPECT_EQ(Admitted(jobs), "small ");
  QueuePlan plan = PlanQueue({jobs, {4, 1000}, kStart});
  ASSERT_TRUE(plan.look_again);
  EXPECT_EQ(*plan.look_again, kStart + kQueuePatience);
  EXPECT_EQ(Admitted(jobs, kStart + kQueuePatience), "");
}

TEST(QueuePlan, WaitingRaisesThePriority) {
  ActiveJob old = Waiting("old", 4, 1, 0);
  ActiveJob fresh = Waiting("fresh", 4, 2, 3);
  fresh.created = kStart + minutes(40);
  EXPECT_EQ(Admitted({old, fresh}, kStart + minutes(29)), "fresh ");
  EXPECT_EQ(Admitted({old, fresh}, kStart + minutes(41)), "old ");
}

// However many small ones come, a large one has its turn.
TEST(QueuePlan, NobodyWaitsForEver) {
  std::vector<ActiveJob> jobs{Waiting("large", 4, 0)};
  Time now = kStart;
  int number = 1;
  for (int minute = 0; minute < 60; ++minute, now += minutes(1)) {
    std::erase_if(jobs, [](const ActiveJob& job) { return job.admitted && job.number % 2 == 0; });
    std::erase_if(
        jobs, [&](const ActiveJob& job) { return job.admitted && job.created < now - minutes(2); });
    for (int i = 0; i < 3; ++i) {
      ActiveJob small = Waiting("small", 1, number++, 0);
      small.key += std::to_string(small.number);
      small.created = now;
      jobs.push_back(small);
    }
    for (const Admission& one : PlanQueue({jobs, {4, 1000}, now}).admit) {
      if (one.job == "large") return;
      for (ActiveJob& job : jobs) job.admitted |= job.key == one.job;
    }
  }
  FAIL() << "the large job never began";
}

}  // namespace
}  // namespace fireweed::ml
