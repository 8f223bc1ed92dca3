#include "compute/notice.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "compute/scheduling.h"
#include "describe/json_codec.h"

namespace fireweed::compute {
namespace {

using api::compute::Scheduling;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const Time kNow = FromMicros(1'700'000'000'000'000);

TEST(PreemptionTest, ASeedAlwaysSaysTheSame) {
  PreemptionRule rule{.seed = 7, .mean = minutes(30)};
  EXPECT_EQ(PreemptAfter(rule, "i-1", 1), PreemptAfter(rule, "i-1", 1));
  EXPECT_NE(PreemptAfter(rule, "i-1", 1), PreemptAfter(rule, "i-1", 2));
  EXPECT_NE(PreemptAfter(rule, "i-1", 1), PreemptAfter(rule, "i-2", 1));
  EXPECT_NE(PreemptAfter(rule, "i-1", 1), PreemptAfter({8, minutes(30)}, "i-1", 1));
  EXPECT_FALSE(PreemptAfter({7, Duration(0)}, "i-1", 1));
}

TEST(PreemptionTest, TheMeanIsTheMeanAndMostComeEarlier) {
  PreemptionRule rule{.seed = 1, .mean = minutes(30)};
  double sum = 0;
  int below_mean = 0;
  constexpr int kDraws = 4000;
  for (int i = 0; i < kDraws; ++i) {
    double drawn = std::chrono::duration<double, std::ratio<60>>(
                       *PreemptAfter(rule, "i-" + std::to_string(i), 1))
                       .count();
    EXPECT_GE(drawn, 0);
    sum += drawn;
    below_mean += drawn < 30;
  }
  EXPECT_NEAR(sum / kDraws, 30, 2);
  EXPECT_NEAR(below_mean / double{kDraws}, 0.632, 0.03) << "exponential: 1 - 1/e";
}

TEST(NoticeTest, AStopThatComesLateGetsWhatIsLeftOfTheThirtySeconds) {
  Notice notice = MakeNotice(NoticeCause::kPreemption, kNow);
  EXPECT_EQ(notice.due, kNow);
  notice.taken = true;
  EXPECT_EQ(GraceOf(notice, kNow), seconds(30));
  EXPECT_EQ(GraceOf(notice, kNow + seconds(12)), seconds(18));
  EXPECT_EQ(GraceOf(notice, kNow + minutes(5)), Duration(0));
  EXPECT_EQ(GraceOf(std::nullopt, kNow), kStopGrace);
  EXPECT_EQ(MakeNotice(NoticeCause::kTermination, kNow).due, kNow + minutes(1));
}

struct FateCase {
  const char* rules;
  std::optional<Fate> fate;
};

TEST(NoticeTest, WhatEndsAMachineByItself) {
  const FateCase kCases[] = {
      {R"({})", std::nullopt},
      {R"({"preemptible":true})", Fate{kNow + hours(24), NoticeCause::kPreemption}},
      {R"({"provisioningModel":"SPOT"})", std::nullopt},
      {R"({"maxRunDuration":{"seconds":"60"}})", Fate{kNow + minutes(1), NoticeCause::kTimeUp}},
      {R"({"preemptible":true,"maxRunDuration":{"seconds":"60"}})",
       Fate{kNow + minutes(1), NoticeCause::kTimeUp}},
      {R"({"terminationTime":"2023-11-14T23:13:20Z"})",
       Fate{kNow + hours(1), NoticeCause::kTimeUp}},
  };
  for (const FateCase& row : kCases) {
    SCOPED_TRACE(row.rules);
    std::optional<Fate> fate = FateOf(DecodeJson<Scheduling>(row.rules), {"i-1", 1, kNow}, {});
    ASSERT_EQ(fate.has_value(), row.fate.has_value());
    if (!fate) continue;
    EXPECT_EQ(fate->at, row.fate->at);
    EXPECT_EQ(fate->cause, row.fate->cause);
  }
}

TEST(SchedulingTest, DefaultsAreTheCloudsOwn) {
  Scheduling plain;
  FitScheduling(plain, false);
  EXPECT_EQ(EncodeJson(plain),
            EncodeJson(DecodeJson<Scheduling>(
                R"({"onHostMaintenance":"MIGRATE","provisioningModel":"STANDARD",)"
                R"("automaticRestart":true,"preemptible":false})")));
  Scheduling old{.preemptible = true};
  FitScheduling(old, false);
  EXPECT_EQ(old.provisioningModel, "STANDARD") << "only those have the cap of a day";
  EXPECT_EQ(old.onHostMaintenance, "TERMINATE");
  EXPECT_FALSE(*old.automaticRestart);
  Scheduling spot{.provisioningModel = "SPOT"};
  FitScheduling(spot, false);
  EXPECT_TRUE(*spot.preemptible);
  EXPECT_EQ(spot.instanceTerminationAction, "STOP");
  Scheduling cards;
  FitScheduling(cards, true);
  EXPECT_EQ(cards.onHostMaintenance, "TERMINATE");
}

TEST(SchedulingTest, ContradictionsAreRefused) {
  for (const char* text :
       {R"({"preemptible":true,"automaticRestart":true})",
        R"({"provisioningModel":"SPOT","onHostMaintenance":"MIGRATE"})",
        R"({"onHostMaintenance":"HOPE"})", R"({"instanceTerminationAction":"DELETE"})",
        R"({"maxRunDuration":{"seconds":"5"}})", R"({"terminationTime":"soon"})",
        R"({"maxRunDuration":{"seconds":"90"},"terminationTime":"2030-01-01T00:00:00Z"})"}) {
    Scheduling rules = DecodeJson<Scheduling>(text);
    EXPECT_THROW(FitScheduling(rules, false), Failure) << text;
  }
  Scheduling moved{.onHostMaintenance = "MIGRATE"};
  EXPECT_THROW(FitScheduling(moved, true), Failure);
}

}  // namespace
}  // namespace fireweed::compute
