#include "ml/job_plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "ml/gang_plan.h"
#include "ml/replica_layout.h"

namespace fireweed::ml {
namespace {

using api::ml::JobState;

constexpr std::string_view kPublicImages = "gcr.io/cloud-ml-public/training/";

class Planner {
 public:
  explicit Planner(const JobView& view) : view_(view), plan_{.next = view.record} {}

  JobPlan Run() {
    if (api::ml::HasEnded(job().state)) return std::move(plan_);
    ShowTrials();
    NoteWishes();
    if (!decided() && next().admitted) {
      BeginPreparing();
      if (Prepare()) RunGangs();
    }
    ReportProgress();
    if (decided()) WindDown();
    return std::move(plan_);
  }

 private:
  JobRecord& next() { return plan_.next; }
  api::ml::Job& job() { return plan_.next.job; }
  bool decided() { return next().outcome != JobState::kUnspecified; }
  void Say(std::string message, std::string once,
           api::logging::Severity severity = api::logging::Severity::kInfo) {
    plan_.lines.push_back({"service", "", severity, std::move(message), std::move(once)});
  }
  void LookAgainBy(Time at) {
    if (!plan_.look_again || at < *plan_.look_again) plan_.look_again = at;
  }

  void Decide(JobState outcome, std::string message) {
    if (decided()) return;
    next().outcome = outcome;
    next().stopping = view_.now;
    job().errorMessage = std::move(message);
    if (outcome == JobState::kCancelled) job().state = JobState::kCancelling;
    if (!next().gangs.empty()) Say("Tearing down training program.", "tearing-down");
    for (Gang& gang : next().gangs) {
      if (gang.end == GangEnd::kNone) gang.end = GangEnd::kStopped;
    }
  }

  // Cancelled, or waited or ran too long?
  void NoteWishes() {
    if (decided()) return;
    if (next().cancel) {
      AddEvent(job(), "cancelled", view_.now);
      return Decide(JobState::kCancelled, "");
    }
    const auto& scheduling = job().trainingInput->scheduling;
    if (!scheduling) return;
    bool waits = !job().startTime;
    std::optional<Duration> most =
        ParseSeconds(waits ? scheduling->maxWaitTime : scheduling->maxRunningTime);
    if (!most || *most <= Duration(0)) return;
    Time until = (waits ? *job().createTime : *job().startTime) + *most;
    if (view_.now < until) return LookAgainBy(until);
    AddEvent(job(), waits ? "waited too long" : "ran too long", view_.now);
    Decide(JobState::kCancelled,
           waits ? fmt::format("The job has waited longer than maxWaitTime ({}).",
                               scheduling->maxWaitTime)
                 : fmt::format("The job has run longer than maxRunningTime ({}).",
                               scheduling->maxRunningTime));
  }

  void BeginPreparing() {
    if (job().state != JobState::kQueued) return;
    job().state = JobState::kPreparing;
    AddEvent(job(), "begun", view_.now);
    Say("Waiting for job to be provisioned.", "provision");
    if (!next().oversubscribed) return;
    Say("The replicas want more than this machine has: they run together, and slower.", "large",
        api::logging::Severity::kWarning);
  }

  // True when the packages are there.
  bool Prepare() {
    if (next().prepared || UsesImage(*job().trainingInput)) return true;
    if (!view_.environment) return false;
    if (const auto* failed = std::get_if<EnvironmentFailed>(&*view_.environment)) {
      AddEvent(job(), "packages not installed", view_.now);
      Decide(JobState::kFailed, failed->message);
      return false;
    }
    const auto* ready = std::get_if<EnvironmentReady>(&*view_.environment);
    if (!ready) {
      NoteInstalling();
      return false;
    }
    next().prepared =
        PreparedEnvironment{ready->interpreter, ready->tree, ready->mounts, ready->environment};
    AddEvent(job(), "packages ready", view_.now);
    for (size_t i = 0; i < ready->warnings.size(); ++i) {
      Say(ready->warnings[i], fmt::format("warning-{}", i), api::logging::Severity::kWarning);
    }
    return true;
  }

  void NoteInstalling() {
    constexpr std::string_view kWhat = "installing packages";
    if (!job().timeline.empty() && job().timeline.back().what == kWhat) return;
    AddEvent(job(), std::string(kWhat), view_.now);
    Say("Installing the packages of the job.", "installing");
  }

  // A silent preparation looks like a hang.
  void ReportProgress() {
    if (job().state != JobState::kPreparing || decided()) return;
    if (!plan_.lines.empty()) {
      next().last_line = view_.now;
      return LookAgainBy(view_.now + kProgressInterval);
    }
    const auto [what, since, interval] = CurrentWait();
    Time due = next().last_line.value_or(since) + interval;
    if (view_.now < due) return LookAgainBy(due);
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(view_.now - since).count();
    plan_.lines.push_back({"service", "", api::logging::Severity::kInfo,
                           fmt::format("{}: {} s so far.", what, seconds),
                           fmt::format("progress/{}", seconds), since});
    next().last_line = view_.now;
    LookAgainBy(view_.now + interval);
  }

  struct Wait {
    std::string what;
    Time since;
    Duration interval = kProgressInterval;
  };
  // REQUIRES: the job is being prepared.
  Wait CurrentWait() const {
    if (view_.environment) {
      const auto* building = std::get_if<EnvironmentBuilding>(&*view_.environment);
      if (building) return {"Installing " + building->what, building->since};
    }
    size_t all = 0, waiting = 0;
    bool cards = false;
    for (const Gang& gang : plan_.next.gangs) {
      all += gang.replicas.size();
      for (const Replica& replica : gang.replicas) waiting += !replica.running && !replica.done;
    }
    for (const auto& gang : view_.sights) {
      cards |= std::ranges::any_of(gang, &ReplicaSight::wants_cards);
    }
    if (cards) {
      return {"Waiting for accelerators that other instances hold", PreparedSince(), kWaitInterval};
    }
    return {fmt::format("Starting {} of {} replicas", waiting, all), PreparedSince()};
  }

  // When the packages were ready, or the job left the queue.
  Time PreparedSince() const {
    const auto& timeline = plan_.next.job.timeline;
    auto ready = std::ranges::find(timeline, "packages ready", &api::ml::JobEvent::what);
    if (ready != timeline.end()) return ready->time;
    return plan_.next.admitted.value_or(view_.now);
  }

  void MakeGang(const std::string& trial, std::map<std::string, std::string> hyperparameters) {
    Gang gang{.trial = trial, .hyperparameters = std::move(hyperparameters)};
    for (const ReplicaSet& set : LayoutOf(*job().trainingInput)) {
      for (int32_t i = 0; i < set.count; ++i) {
        gang.replicas.push_back({.type = set.type, .index = i});
      }
    }
    next().gangs.push_back(std::move(gang));
  }

  // What is known of the trials goes into what the API shows.
  void ShowTrials() {
    if (!view_.tuning) return;
    if (!job().trainingOutput) job().trainingOutput.emplace();
    api::ml::TrainingOutput& output = *job().trainingOutput;
    output.isHyperparameterTuningJob = true;
    output.hyperparameterMetricTag = job().trainingInput->hyperparameters->hyperparameterMetricTag;
    output.trials = view_.tuning->trials;
    output.completedTrialCount = std::ranges::count_if(
        output.trials, [](const auto& trial) { return api::ml::HasEnded(trial.state); });
  }

  void TakeOrders() {
    if (!view_.tuning) return;
    for (const std::string& trial : view_.tuning->stop) {
      auto gang = std::ranges::find(next().gangs, trial, &Gang::trial);
      if (gang != next().gangs.end() && gang->end == GangEnd::kNone) gang->end = GangEnd::kStopped;
    }
    for (const api::ml::HyperparameterOutput& trial : view_.tuning->start) {
      auto same = std::ranges::find(next().gangs, trial.trialId, &Gang::trial);
      if (same != next().gangs.end()) continue;
      MakeGang(trial.trialId, trial.hyperparameters);
      job().trainingOutput->trials.push_back(trial);
      AddEvent(job(), "trial " + trial.trialId, view_.now);
    }
  }

  void RunGangs() {
    bool tunes = job().trainingInput->hyperparameters.has_value();
    if (tunes) {
      TakeOrders();
    } else if (next().gangs.empty()) {
      MakeGang("", {});
    }
    for (size_t i = 0; i < next().gangs.size(); ++i) {
      const std::vector<ReplicaSight> none(next().gangs[i].replicas.size());
      PlanGang({view_, i, i < view_.sights.size() ? view_.sights[i] : none}, plan_);
    }
    NoteRunning();
    if (tunes) {
      if (view_.drained) RemoveEnded();
      bool over = std::ranges::all_of(
          next().gangs, [](const Gang& gang) { return gang.phase == GangPhase::kEnded; });
      if (over && view_.tuning && view_.tuning->end) {
        Decide(view_.tuning->end->first, view_.tuning->end->second);
      }
      return;
    }
    const Gang& gang = next().gangs.front();
    if (gang.end == GangEnd::kSucceeded) Decide(JobState::kSucceeded, "");
    if (gang.end == GangEnd::kFailed) Decide(JobState::kFailed, gang.error);
  }

  void NoteRunning() {
    if (job().state != JobState::kPreparing) return;
    bool runs =
        std::ranges::any_of(next().gangs, [](const Gang& g) { return g.started.has_value(); });
    if (!runs) return;
    job().state = JobState::kRunning;
    job().startTime = view_.now;
    AddEvent(job(), "running", view_.now);
  }

  void WindDown() {
    bool down = true;
    for (size_t i = 0; i < next().gangs.size(); ++i) {
      const std::vector<ReplicaSight> none(next().gangs[i].replicas.size());
      // A gang that was run above has taken its step already.
      if (next().gangs[i].phase != GangPhase::kEnded) {
        StopGang({view_, i, i < view_.sights.size() ? view_.sights[i] : none}, plan_);
      }
      down = down && next().gangs[i].phase == GangPhase::kEnded;
    }
    if (!down) return;
    if (!next().down) {
      next().down = view_.now;
      plan_.freed = true;
    }
    Time limit = *next().down + view_.rules.drain_limit;
    if (view_.drained || next().gangs.empty() || view_.now >= limit) return Publish();
    LookAgainBy(view_.now + kDrainPoll);
  }

  void Publish() {
    job().state = next().outcome;
    job().endTime = view_.now;
    FillOutput();
    if (!next().gangs.empty()) Say("Finished tearing down training program.", "torn-down");
    switch (next().outcome) {
      case JobState::kSucceeded: Say("Job completed successfully.", "end"); break;
      case JobState::kFailed: Say(job().errorMessage, "end", api::logging::Severity::kError); break;
      default: Say("Job cancelled.", "end"); break;
    }
    AddEvent(job(),
             next().outcome == JobState::kSucceeded ? "succeeded"
             : next().outcome == JobState::kFailed  ? "failed"
                                                    : "ended",
             view_.now);
    RemoveEnded();
    for (size_t i = 0; i < next().gangs.size(); ++i) {
      const Gang& gang = next().gangs[i];
      bool told = next().outcome == JobState::kFailed && !gang.failed_task.empty();
      if (told && !plan_.last_lines_of) plan_.last_lines_of = {i, gang.failed_task};
    }
  }

  // Instances of gangs that are over. REQUIRES: their lines are in.
  void RemoveEnded() {
    for (size_t i = 0; i < next().gangs.size(); ++i) {
      Gang& gang = next().gangs[i];
      if (gang.phase != GangPhase::kEnded || std::exchange(gang.removed, true)) continue;
      for (size_t r = 0; r < gang.replicas.size(); ++r) {
        bool made = gang.replicas[r].instance_id != 0;
        if (made) plan_.steps.push_back({JobStep::Kind::kRemove, i, r});
      }
    }
  }

  void FillOutput() {
    double hours = 0;
    for (const Gang& gang : next().gangs) {
      if (!gang.started || !gang.ended) continue;
      hours += std::chrono::duration<double, std::ratio<3600>>(*gang.ended - *gang.started).count();
    }
    if (!job().trainingOutput) job().trainingOutput.emplace();
    // Two digits, as the cloud counts.
    job().trainingOutput->consumedMLUnits = std::round(hours * view_.units_per_hour * 100) / 100;
  }

  const JobView& view_;
  JobPlan plan_;
};

}  // namespace

JobPlan PlanJob(const JobView& view) { return Planner(view).Run(); }

bool UsesImage(const api::ml::TrainingInput& input) {
  if (!input.masterConfig || input.masterConfig->imageUri.empty()) return false;
  return input.pythonModule.empty() || !input.masterConfig->imageUri.starts_with(kPublicImages);
}

std::string RuntimeVersionOf(const api::ml::TrainingInput& input) {
  bool image = !UsesImage(input) && input.masterConfig && !input.masterConfig->imageUri.empty();
  return image ? input.masterConfig->imageUri.substr(kPublicImages.size()) : input.runtimeVersion;
}

bool NeedsEnvironment(const JobRecord& record) {
  return record.admitted && !record.prepared && !record.cancel && record.job.trainingInput &&
         record.outcome == JobState::kUnspecified && !api::ml::HasEnded(record.job.state) &&
         !UsesImage(*record.job.trainingInput);
}

std::optional<Duration> ParseSeconds(std::string_view text) {
  if (!text.ends_with('s')) return std::nullopt;
  double seconds = 0;
  const char* end = text.data() + text.size() - 1;
  auto [rest, failed] = std::from_chars(text.data(), end, seconds);
  constexpr double kLongest = 1e9;
  if (failed != std::errc() || rest != end || !(seconds >= 0) || seconds > kLongest) {
    return std::nullopt;
  }
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

void AddEvent(api::ml::Job& job, std::string what, Time now) {
  constexpr size_t kMostEvents = 200;  // a row stays small, however often replicas are preempted
  if (job.timeline.size() >= kMostEvents) job.timeline.erase(job.timeline.begin() + 1);
  Time before = job.timeline.empty() ? job.createTime.value_or(now) : job.timeline.back().time;
  double seconds = std::chrono::duration<double>(now - before).count();
  job.timeline.push_back({now, std::move(what), fmt::format("{:.1f}s", std::max(0.0, seconds))});
}

bool AddEventOnce(api::ml::Job& job, const std::string& what, Time now) {
  bool there = std::ranges::any_of(job.timeline, [&](const auto& e) { return e.what == what; });
  if (!there) AddEvent(job, what, now);
  return !there;
}

}  // namespace fireweed::ml
