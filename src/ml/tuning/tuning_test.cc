// Points, trials, stops and reports: each case a line of a table.
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "describe/json_codec.h"
#include "ml/tuning/median_rule.h"
#include "ml/tuning/search_space.h"
#include "ml/tuning/trial_plan.h"
#include "ml/tuning/trial_report.h"
#include "ml/tuning/trial_run.h"

namespace fireweed::ml {
namespace {

using api::ml::GoalType;
using api::ml::HyperparameterMetric;
using api::ml::HyperparameterOutput;
using api::ml::HyperparameterSpec;
using api::ml::JobState;
using api::ml::ParameterSpec;

HyperparameterSpec Spec(std::string_view more, std::string_view params) {
  return DecodeJson<HyperparameterSpec>(
      R"({"goal":"MAXIMIZE","hyperparameterMetricTag":"accuracy",)" + std::string(more) +
      R"("params":[)" + std::string(params) + "]}");
}

constexpr std::string_view kRate =
    R"({"parameterName":"lr","type":"DOUBLE","minValue":0.0001,"maxValue":0.1,"scaleType":"UNIT_LOG_SCALE"})";
constexpr std::string_view kUnits =
    R"({"parameterName":"units","type":"INTEGER","minValue":1,"maxValue":3})";
constexpr std::string_view kOptimizer =
    R"({"parameterName":"opt","type":"CATEGORICAL","categoricalValues":["sgd","adam"]})";

HyperparameterOutput Trial(const std::string& id, JobState state,
                           std::vector<HyperparameterMetric> metrics = {}) {
  HyperparameterOutput trial;
  trial.trialId = id;
  trial.hyperparameters = {{"units", id}};
  trial.state = state;
  if (!metrics.empty()) trial.finalMetric = metrics.back();
  trial.allMetrics = std::move(metrics);
  return trial;
}

ParameterSpec Parameter(std::string_view json) { return DecodeJson<ParameterSpec>(json); }

TEST(SearchSpace, ScalesStretchTheUnitRange) {
  auto range = [](std::string_view type, std::string_view scale, double low, double high) {
    ParameterSpec parameter = Parameter(R"({"parameterName":"p","type":")" + std::string(type) +
                                        R"(","scaleType":")" + std::string(scale) + R"("})");
    parameter.minValue = low;
    parameter.maxValue = high;
    return parameter;
  };
  struct Case {
    ParameterSpec parameter;
    double unit, value;
  } cases[] = {
      {range("DOUBLE", "UNIT_LINEAR_SCALE", 1, 3), 0.5, 2},
      {range("DOUBLE", "NONE", 1, 3), 0.25, 1.5},
      {range("DOUBLE", "UNIT_LOG_SCALE", 0.0001, 1), 0.5, 0.01},
      {range("DOUBLE", "UNIT_LOG_SCALE", 0.0001, 1), 0, 0.0001},
      {range("DOUBLE", "UNIT_REVERSE_LOG_SCALE", 0.0001, 1), 0.5, 0.9901},
      {range("DOUBLE", "UNIT_REVERSE_LOG_SCALE", 0.0001, 1), 0, 0.0001},
      {range("INTEGER", "UNIT_LINEAR_SCALE", 1, 4), 0, 1},
      {range("INTEGER", "UNIT_LINEAR_SCALE", 1, 4), 0.74, 3},
      {range("INTEGER", "UNIT_LINEAR_SCALE", 1, 4), 0.9999, 4},
      {range("INTEGER", "UNIT_LOG_SCALE", 1, 10000), 0.5, 100},
      {range("INTEGER", "UNIT_LINEAR_SCALE", -3, -3), 0.5, -3},
  };
  for (const Case& it : cases)
    EXPECT_NEAR(std::stod(ValueAt(it.parameter, it.unit)), it.value, 1e-9)
        << EncodeJson(it.parameter) << " at " << it.unit;
  EXPECT_EQ(ValueAt(Parameter(R"({"type":"DISCRETE","discreteValues":[32,64.5,128]})"), 0.5),
            "64.5");
  EXPECT_EQ(ValueAt(Parameter(R"({"type":"DISCRETE","discreteValues":[32,64.5,128]})"), 0.9),
            "128");
  EXPECT_EQ(ValueAt(Parameter(R"({"type":"CATEGORICAL","categoricalValues":["a","b"]})"), 0.5),
            "b");
}

TEST(SearchSpace, RandomPointsAreTheSameAgainAndSpread) {
  HyperparameterSpec spec = Spec("", std::string(kRate) + "," + std::string(kUnits));
  std::set<std::string> rates, units;
  double logs = 0;
  for (int n = 1; n <= 200; ++n) {
    Point point = RandomPoint(spec, "job", n);
    EXPECT_EQ(point, RandomPoint(spec, "job", n));
    EXPECT_NE(point, RandomPoint(spec, "other", n));
    double rate = std::stod(point["lr"]);
    EXPECT_GE(rate, 0.0001);
    EXPECT_LE(rate, 0.1);
    logs += std::log10(rate);
    rates.insert(point["lr"]);
    units.insert(point["units"]);
  }
  EXPECT_EQ(rates.size(), 200u);
  EXPECT_EQ(units, (std::set<std::string>{"1", "2", "3"}));
  EXPECT_NEAR(logs / 200, -2.5, 0.25);
}

TEST(SearchSpace, GridHoldsEveryCombinationOnce) {
  HyperparameterSpec spec =
      Spec(R"("maxTrials":20,)",
           std::string(kUnits) + "," + std::string(kOptimizer) + "," + std::string(kRate));
  ASSERT_EQ(GridSize(spec), 18);  // 3 * 2 * 3: three rates fit into 20 trials
  std::set<Point> points;
  for (int64_t i = 0; i < 18; ++i) points.insert(GridPoint(spec, i));
  EXPECT_EQ(points.size(), 18u);
  EXPECT_EQ(GridPoint(spec, 0), (Point{{"units", "1"}, {"opt", "sgd"}, {"lr", "0.0001"}}));
  EXPECT_EQ(GridPoint(spec, 17)["opt"], "adam");
  EXPECT_NEAR(std::stod(GridPoint(spec, 17)["lr"]), 0.1, 1e-12);
  HyperparameterSpec huge =
      Spec("", R"({"parameterName":"a","type":"INTEGER","minValue":0,"maxValue":9e15},
      {"parameterName":"b","type":"INTEGER","minValue":0,"maxValue":9e15})");
  EXPECT_GT(GridSize(huge), 1'000'000);
}

TEST(SearchSpace, RefusesWhatCannotBeSearched) {
  struct Case {
    std::string_view more, params, field;
  } cases[] = {
      {"", R"({"parameterName":"p","type":"DOUBLE","minValue":1})", "params[0].max_value"},
      {"", R"({"parameterName":"p","type":"DOUBLE","minValue":2,"maxValue":1})",
       "params[0].max_value"},
      {"", R"({"parameterName":"p","type":"INTEGER","minValue":0.5,"maxValue":1})",
       "params[0].min_value"},
      {"",
       R"({"parameterName":"p","type":"DOUBLE","minValue":0,"maxValue":1,"scaleType":"UNIT_LOG_SCALE"})",
       "params[0].scale_type"},
      {"", R"({"parameterName":"p","type":"CATEGORICAL"})", "params[0].categorical_values"},
      {"", R"({"parameterName":"p","type":"DISCRETE","discreteValues":[2,1]})",
       "params[0].discrete_values"},
      {"", R"({"parameterName":"p"})", "params[0].type"},
      {"", "", "params"},
      {R"("maxTrials":0,)", kUnits, "max_trials"},
      {R"("maxParallelTrials":0,)", kUnits, "max_parallel_trials"},
      {R"("maxFailedTrials":-1,)", kUnits, "max_failed_trials"},
      {R"("goal":"GOAL_TYPE_UNSPECIFIED",)", kUnits, "goal"},
  };
  for (const Case& it : cases) {
    std::vector<SpecViolation> found = CheckTuning(Spec(it.more, it.params));
    ASSERT_EQ(found.size(), 1u) << it.params;
    EXPECT_EQ(found[0].field, "training_input.hyperparameters." + std::string(it.field));
  }
  EXPECT_EQ(CheckTuning(Spec("", std::string(kUnits) + "," + std::string(kUnits))).size(), 1u);
  EXPECT_TRUE(CheckTuning(Spec("", kRate)).empty());
}

TEST(SearchSpace, OnlyTheSameSearchIsResumed) {
  EXPECT_EQ(CheckResume(Spec("", kRate), Spec(R"("maxTrials":3,)", kRate)), "");
  EXPECT_NE(CheckResume(Spec("", kRate), Spec("", kUnits)), "");
  EXPECT_NE(CheckResume(Spec("", kRate), Spec(R"("goal":"MINIMIZE",)", kRate)), "");
}

std::vector<std::string> Ids(const std::vector<HyperparameterOutput>& trials) {
  std::vector<std::string> ids;
  for (const HyperparameterOutput& trial : trials) ids.push_back(trial.trialId);
  return ids;
}
using IdList = std::vector<std::string>;

TEST(TrialPlan, RunsMaxTrialsNeverMoreThanMaxParallel) {
  HyperparameterSpec spec =
      Spec(R"("maxTrials":5,"maxParallelTrials":2,"algorithm":"RANDOM_SEARCH",)", kRate);
  std::vector<HyperparameterOutput> trials;
  for (int ended = 0; ended < 5; ++ended) {
    TuningStep step = PlanTuning({spec, "job", trials, {}, {}});
    EXPECT_FALSE(step.end);
    for (HyperparameterOutput& trial : step.start) {
      EXPECT_EQ(trial.hyperparameters, RandomPoint(spec, "job", std::stoi(trial.trialId)));
      trials.push_back(trial);
    }
    // The same sight, the same plan: nothing is begun twice.
    EXPECT_TRUE(PlanTuning({spec, "job", trials, {}, {}}).start.empty());
    EXPECT_EQ(trials.size(), static_cast<size_t>(std::min(ended + 2, 5)));
    trials[static_cast<size_t>(ended)].state = JobState::kSucceeded;
  }
  TuningStep step = PlanTuning({spec, "job", trials, {}, {}});
  EXPECT_TRUE(step.start.empty());
  ASSERT_TRUE(step.end);
  EXPECT_EQ(step.end->state, JobState::kSucceeded);
}

TEST(TrialPlan, AGridEndsWhenItIsUsedUp) {
  HyperparameterSpec spec =
      Spec(R"("maxTrials":10,"maxParallelTrials":10,"algorithm":"GRID_SEARCH",)", kUnits);
  TuningStep step = PlanTuning({spec, "job", {}, {}, {}});
  ASSERT_EQ(Ids(step.start), (IdList{"1", "2", "3"}));
  EXPECT_EQ(step.start[2].hyperparameters, (Point{{"units", "3"}}));
  for (HyperparameterOutput& trial : step.start) trial.state = JobState::kSucceeded;
  EXPECT_TRUE(PlanTuning({spec, "job", step.start, {}, {}}).end);
}

TEST(TrialPlan, AResumedJobGoesOnAfterTheOther) {
  HyperparameterSpec spec =
      Spec(R"("maxTrials":2,"maxParallelTrials":2,"algorithm":"GRID_SEARCH",)", kUnits);
  std::vector<HyperparameterOutput> previous = {Trial("1", JobState::kSucceeded, {{1, 0.5}}),
                                                Trial("2", JobState::kSucceeded, {{1, 0.5}})};
  TuningStep step = PlanTuning({spec, "job", {}, previous, {}});
  ASSERT_EQ(Ids(step.start), IdList{"3"});
  EXPECT_EQ(step.start[0].hyperparameters, (Point{{"units", "3"}}));
}

TEST(TrialPlan, FailsAsItWasTold) {
  auto failed = Trial("1", JobState::kFailed);
  auto running = Trial("2", JobState::kRunning);
  auto good = Trial("3", JobState::kSucceeded, {{1, 0.5}});
  struct Case {
    const char* more;
    std::vector<HyperparameterOutput> trials;
    bool fails;
  } cases[] = {
      {R"("maxTrials":9,)", {failed, running}, true},
      {R"("maxTrials":9,)", {failed, running, good}, false},
      {R"("maxTrials":9,"maxFailedTrials":1,)", {failed, good}, true},
      {R"("maxTrials":9,"maxFailedTrials":2,)", {failed, running}, false},
      {R"("maxTrials":9,"maxFailedTrials":2,)", {failed, Trial("4", JobState::kFailed)}, true},
  };
  for (const Case& it : cases) {
    HyperparameterSpec spec = Spec(it.more, kUnits);
    TuningStep step = PlanTuning({spec, "job", it.trials, {}, {{"1", "exit 3"}}});
    EXPECT_EQ(step.end && step.end->state == JobState::kFailed, it.fails) << it.more;
    if (!it.fails) continue;
    EXPECT_TRUE(step.start.empty());
    EXPECT_NE(step.end->message.find("#1"), std::string::npos) << step.end->message;
    EXPECT_NE(step.end->message.find("units=1"), std::string::npos) << step.end->message;
    EXPECT_NE(step.end->message.find("exit 3"), std::string::npos) << step.end->message;
  }
  HyperparameterSpec spec = Spec(R"("maxTrials":9,)", kUnits);
  EXPECT_EQ(PlanTuning({spec, "job", {failed, running}, {}, {}}).stop, IdList{"2"});
}

TEST(TrialPlan, SaysWhichAlgorithmItTook) {
  EXPECT_NE(AlgorithmNote(Spec("", kUnits)), "");
  EXPECT_EQ(AlgorithmNote(Spec(R"("algorithm":"GRID_SEARCH",)", kUnits)), "");
}

TEST(MedianRule, StopsWhatIsWorseThanTheMedianByThen) {
  std::vector<HyperparameterOutput> trials = {
      Trial("1", JobState::kSucceeded, {{1, 0.2}, {2, 0.4}, {9, 0.9}}),  // until 2: 0.3
      Trial("2", JobState::kSucceeded, {{1, 0.4}, {2, 0.6}}),            // 0.5
      Trial("3", JobState::kSucceeded, {{1, 0.6}, {2, 0.8}}),            // 0.7
      Trial("4", JobState::kRunning, {{1, 0.1}, {2, 0.49}}),
      Trial("5", JobState::kRunning, {{1, 0.5}, {2, 0.1}}),  // has been as good as the median
      Trial("6", JobState::kRunning),
  };
  EXPECT_EQ(StoppedByMedian(trials, GoalType::kMaximize), IdList{"4"});
  EXPECT_EQ(StoppedByMedian(trials, GoalType::kMinimize), IdList{});
  trials[3].isTrialStoppedEarly = true;
  EXPECT_EQ(StoppedByMedian(trials, GoalType::kMaximize), IdList{});
  trials[3].isTrialStoppedEarly.reset();
  trials[2].state = JobState::kFailed;  // two finished trials are no measure
  EXPECT_EQ(StoppedByMedian(trials, GoalType::kMaximize), IdList{});
  HyperparameterSpec spec = Spec(R"("maxTrials":6,"enableTrialEarlyStopping":true,)", kUnits);
  trials[2].state = JobState::kSucceeded;
  EXPECT_EQ(PlanTuning({spec, "job", trials, {}, {}}).stop, IdList{"4"});
  spec.enableTrialEarlyStopping = false;
  EXPECT_EQ(PlanTuning({spec, "job", trials, {}, {}}).stop, IdList{});
}

TEST(TrialReport, TheLastValueOfTheHighestStepIsFinal) {
  HyperparameterOutput trial;
  Report(trial, {{10, 0.5, 1}, {20, 0.6, 3}, {20, 0.55, 2}, {5, 0.1, 0}});
  EXPECT_EQ(trial.finalMetric->trainingStep, 20);
  EXPECT_EQ(trial.finalMetric->objectiveValue, 0.6);
  EXPECT_EQ(trial.allMetrics.size(), 3u);
  Report(trial, {});
  EXPECT_EQ(trial.finalMetric->objectiveValue, 0.6);
  std::vector<records::Measurement> many;
  for (int i = 0; i < 1001; ++i) many.push_back({i, i * 1.0, 0});
  Report(trial, many);
  EXPECT_LE(trial.allMetrics.size(), kMostMeasurements);
  EXPECT_EQ(trial.finalMetric->trainingStep, 1000);
}

TEST(TrialReport, BestFirst) {
  std::vector<HyperparameterOutput> trials = {
      Trial("10", JobState::kFailed), Trial("2", JobState::kFailed),
      Trial("3", JobState::kSucceeded, {{1, 0.5}}), Trial("4", JobState::kSucceeded, {{1, 0.9}})};
  SortTrials(trials, GoalType::kMaximize);
  EXPECT_EQ(Ids(trials), (IdList{"4", "3", "2", "10"}));
  SortTrials(trials, GoalType::kMinimize);
  EXPECT_EQ(Ids(trials), (IdList{"3", "4", "2", "10"}));
}

TEST(TrialRun, ArgumentsDirectoryAndEnvironment) {
  HyperparameterOutput trial = Trial("3", JobState::kQueued);
  EXPECT_EQ(TrialArguments(trial), IdList{"--units=3"});
  EXPECT_EQ(TrialDirectory("gs://b/j", "3"), "gs://b/j/3");
  EXPECT_EQ(TrialDirectory("gs://b/j/", "3"), "gs://b/j/3");
  EXPECT_EQ(TrialDirectory("", "3"), "");
  EXPECT_EQ(TrialEnvironment("3", "/m/out"),
            (Point{{"CLOUD_ML_TRIAL_ID", "3"}, {"CLOUD_ML_HP_METRIC_FILE", "/m/out"}}));
}

}  // namespace
}  // namespace fireweed::ml
