#include "ml/gang_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/instance_plan.h"
#include "ml/cluster_config.h"
#include "ml/replica_layout.h"

namespace fireweed::ml {
namespace {

using api::logging::Severity;
using Kind = ReplicaSight::Kind;

std::string SignalName(int signal) {
  switch (signal) {
    case 1: return "SIGHUP";
    case 2: return "SIGINT";
    case 3: return "SIGQUIT";
    case 4: return "SIGILL";
    case 6: return "SIGABRT";
    case 7: return "SIGBUS";
    case 8: return "SIGFPE";
    case 9: return "SIGKILL";
    case 11: return "SIGSEGV";
    case 13: return "SIGPIPE";
    case 15: return "SIGTERM";
    default: return fmt::format("signal {}", signal);
  }
}

// What the trainer itself ended with, and would again. 255 is what exit(-1) becomes: no signal is meant by it.
bool IsOwnMistake(const ReplicaEnd& end) {
  return ((end.code >= 1 && end.code <= 127) || end.code == 255) && !end.out_of_memory;
}

// The signal that a shell's status stands for; 0: none.
int SignalOf(const ReplicaEnd& end) {
  constexpr int kShell = 128, kLastSignal = 64;
  if (end.signal != 0) return end.signal;
  return end.code > kShell && end.code <= kShell + kLastSignal ? end.code - kShell : 0;
}

// Machines that go without a word, each time soon after they came: no preemption is like that.
constexpr int kMostLosses = 10;

class GangPlanner {
 public:
  GangPlanner(const GangView& view, JobPlan& plan)
      : view_(view), plan_(plan), now_(view.job.now), gang_(plan.next.gangs[view.index]) {}

  void Run() {
    if (gang_.phase == GangPhase::kMaking && gang_.end == GangEnd::kNone) return Make();
    if (gang_.end == GangEnd::kNone) {
      // What befell one from outside comes first: what its fellows do then follows from it.
      for (size_t i = 0; i < gang_.replicas.size(); ++i) {
        if (BefellFromOutside(i)) Watch(i);
      }
      for (size_t i = 0; i < gang_.replicas.size() && gang_.end == GangEnd::kNone; ++i) {
        if (!Waits(i) && !Asked(i)) Watch(i);
      }
      if (gang_.end == GangEnd::kNone) Judge();
    }
    if (gang_.end != GangEnd::kNone) Stop();
  }

  void Stop() {
    if (gang_.phase == GangPhase::kEnded) return;
    gang_.phase = GangPhase::kStopping;
    bool down = true;
    for (size_t i = 0; i < gang_.replicas.size(); ++i) {
      const ReplicaSight& sight = view_.sights[i];
      // What this very plan makes or starts is up only in the next one.
      bool live = sight.kind == Kind::kRunning || sight.kind == Kind::kBooting || Asked(i);
      if (live && !sight.stopping) Step(JobStep::Kind::kStop, i);
      down = down && !live;
      if (!live) gang_.replicas[i].running = false;
    }
    if (!down) return;
    gang_.phase = GangPhase::kEnded;
    gang_.ended = now_;
  }

 private:
  bool Asked(size_t replica) const {
    return std::ranges::any_of(plan_.steps, [&](const JobStep& step) {
      return step.gang == view_.index && step.replica == replica;
    });
  }
  void Step(JobStep::Kind kind, size_t replica) {
    if (!Asked(replica)) plan_.steps.push_back({kind, view_.index, replica});
  }
  void Say(const Replica& replica, std::string message, std::string_view once,
           Severity severity = Severity::kInfo) {
    std::string task = TaskName(replica.type, replica.index);
    plan_.lines.push_back({task, gang_.trial, severity, std::move(message),
                           fmt::format("{}/{}/{}/{}", once, gang_.trial, task, replica.boot)});
  }
  std::string EventOf(const Replica& replica, std::string_view what) const {
    std::string task = TaskName(replica.type, replica.index);
    if (!gang_.trial.empty()) task = fmt::format("trial {} {}", gang_.trial, task);
    return fmt::format("{} {}", task, what);
  }
  void Event(const Replica& replica, std::string_view what) {
    AddEvent(plan_.next.job, EventOf(replica, what), now_);
  }
  bool EventOnce(const Replica& replica, std::string_view what) {
    return AddEventOnce(plan_.next.job, EventOf(replica, what), now_);
  }
  void LookAgainBy(Time at) {
    if (!plan_.look_again || at < *plan_.look_again) plan_.look_again = at;
  }

  static bool FromOutside(const ReplicaSight& sight) {
    const std::string& by = sight.exit.asked_by;
    return sight.kind == Kind::kEnded && by != "WORKLOAD" && by != "GUEST" &&
           !sight.exit.out_of_memory;
  }
  // Somebody has reset it, or it was rebooted from inside.
  bool Rebooted(size_t i) const {
    const ReplicaSight& sight = view_.sights[i];
    bool up = sight.kind == Kind::kBooting || sight.kind == Kind::kRunning;
    return up && sight.boot > gang_.replicas[i].boot;
  }
  // Ended by somebody else, deleted, or started again.
  bool BefellFromOutside(size_t i) const {
    const ReplicaSight& sight = view_.sights[i];
    bool befell = FromOutside(sight) || sight.kind == Kind::kMissing || Rebooted(i);
    return befell && !gang_.replicas[i].done;
  }
  // Whether a gang that starts again as a whole is about to do so, and this replica with it.
  bool Waits(size_t i) const {
    if (!Collective()) return false;
    for (size_t other = 0; other < gang_.replicas.size(); ++other) {
      if (other != i && BefellFromOutside(other)) return view_.sights[i].kind != Kind::kMissing;
    }
    return false;
  }

  // All of them at once: a gang starts together.
  void Make() {
    for (size_t i = 0; i < gang_.replicas.size(); ++i) {
      gang_.replicas[i].boot = 1;
      Step(JobStep::Kind::kCreate, i);
    }
    gang_.phase = GangPhase::kStarting;
    plan_.lines.push_back({"service", gang_.trial, Severity::kInfo,
                           "Waiting for training program to start.", "start/" + gang_.trial});
  }

  void Watch(size_t i) {
    Replica& replica = gang_.replicas[i];
    const ReplicaSight& sight = view_.sights[i];
    if (replica.done) return;
    if (Rebooted(i)) NoteReboot(i);
    if (sight.begun && !Asked(i)) TellCommand(replica);
    if (sight.wants_cards) TellCardsTaken(replica);
    switch (sight.kind) {
      case Kind::kMissing:
        if (!sight.stopping) Remake(i);
        return;
      case Kind::kBooting: replica.running = false; return;
      case Kind::kRunning:
        if (!Asked(i)) NoteRunning(replica);
        return;
      case Kind::kBroken: return Failed(i, {.code = 128, .message = sight.error}, sight.boot);
      case Kind::kEnded: return Ended(i, sight);
    }
  }

  void TellCommand(Replica& replica) {
    if (replica.told == replica.boot) return;
    replica.told = replica.boot;
    Say(replica, "Running command: " + Command(replica), "running");
  }

  void TellCardsTaken(const Replica& replica) {
    if (!EventOnce(replica, "waits for cards")) return;
    Say(replica, "Waiting for accelerators that other instances have.", "cards",
        Severity::kWarning);
  }

  void NoteReboot(size_t i) {
    Replica& replica = gang_.replicas[i];
    replica.boot = view_.sights[i].boot;
    replica.running = false;
    ++replica.preemptions;
    Event(replica, "rebooted");
    // Itself, too: it may have met what its fellows were before.
    if (Collective()) RestartAll();
  }

  void NoteRunning(Replica& replica) {
    if (replica.running) return;
    replica.running = true;
    replica.up_since = now_;
  }

  std::string Command(const Replica& replica) const {
    const api::ml::TrainingInput& input = *plan_.next.job.trainingInput;
    std::vector<std::string> words = input.command;
    auto add = [&](const std::vector<std::string>& more) {
      words.insert(words.end(), more.begin(), more.end());
    };
    if (!input.pythonModule.empty()) words = {"python3", "-m", input.pythonModule};
    if (UsesImage(input)) {
      const api::ml::ReplicaConfig& container = ContainerOf(input, replica.type);
      words = container.containerCommand;
      if (words.empty()) words = {"the image's command"};
      add(container.containerArgs);
    }
    add(TrainerArgs(plan_.next, gang_));
    return fmt::format("{}", fmt::join(words, " "));
  }

  // Its instance is gone: somebody deleted it, and not its job.
  void Remake(size_t i) {
    Replica& replica = gang_.replicas[i];
    ++replica.preemptions;
    replica = {.type = replica.type,
               .index = replica.index,
               .instance = replica.instance,
               .boot = 1,
               .failures = replica.failures,
               .preemptions = replica.preemptions};
    Event(replica, "gone, made again");
    Step(JobStep::Kind::kCreate, i);
    if (Collective()) RestartAll();
  }

  void Ended(size_t i, const ReplicaSight& sight) {
    Replica& replica = gang_.replicas[i];
    replica.running = false;
    if (FromOutside(sight)) return Preempted(i, sight);
    const compute::LastExit& exit = sight.exit;
    if (exit.code == 0) return Done(replica);
    Failed(i,
           {.code = exit.code,
            .signal = exit.signal,
            .out_of_memory = exit.out_of_memory,
            .message = exit.message},
           sight.boot);
  }

  void Done(Replica& replica) {
    replica.done = true;
    replica.end.reset();
    Say(replica, "Module completed; cleaning up.", "completed");
    Say(replica, "Clean up finished.", "cleaned");
    Event(replica, "done");
  }

  // A pause that grows while the machine ends soon every time.
  void Pause(Replica& replica) {
    bool healthy = replica.up_since && now_ - *replica.up_since >= compute::kHealthyRun;
    if (healthy) replica.backoff = {};
    replica.backoff = AfterFailure(replica.backoff, kReplicaBackoff, replica.instance, now_);
  }

  void Preempted(size_t i, const ReplicaSight& sight) {
    Replica& replica = gang_.replicas[i];
    bool lost = sight.exit.asked_by == "LOST";
    if (replica.counted < sight.boot) {
      replica.counted = sight.boot;
      ++replica.preemptions;
      // A machine that is lost at every start must not keep the host busy with nothing else.
      if (lost) Pause(replica);
      Say(replica, lost ? "The machine was lost; it starts again." : "Preempted; it starts again.",
          "preempted", Severity::kWarning);
      Event(replica, lost ? "lost" : "preempted");
      if (lost && replica.backoff.attempts > kMostLosses) {
        gang_.end = GangEnd::kFailed;
        gang_.error = fmt::format("The replica {} {} is lost again and again: {}",
                                  TypeWord(replica.type), replica.index, sight.exit.message);
        return;
      }
    }
    Restart(i);
  }

  int Failures() const {
    int count = 0;
    for (const Replica& replica : gang_.replicas) count += replica.failures;
    return count;
  }

  void Failed(size_t i, ReplicaEnd end, int64_t boot) {
    Replica& replica = gang_.replicas[i];
    replica.running = false;
    if (replica.counted < std::max<int64_t>(boot, 1)) {
      replica.counted = std::max<int64_t>(boot, 1);
      replica.end = end;
      ++replica.failures;
      Pause(replica);
      std::string message = EndMessage(replica, end);
      plan_.lines.push_back({"service", gang_.trial, Severity::kError, message,
                             fmt::format("failed/{}/{}/{}", gang_.trial,
                                         TaskName(replica.type, replica.index), replica.boot)});
      Event(replica, end.message.empty() ? fmt::format("ended with {}", end.code)
                                         : std::string("did not start"));
      if (IsOwnMistake(end) || Failures() > view_.job.rules.most_restarts) {
        gang_.end = GangEnd::kFailed;
        gang_.error = message;
        if (end.message.empty()) gang_.failed_task = TaskName(replica.type, replica.index);
        return;
      }
    }
    Restart(i);
  }

  // Workers without parameter servers hold the model together: none can go on when one is gone.
  bool Collective() const {
    auto of = [&](ReplicaType type) {
      return std::ranges::count(gang_.replicas, type, &Replica::type) > 0;
    };
    return of(ReplicaType::kWorker) && !of(ReplicaType::kParameterServer);
  }

  void Restart(size_t i) {
    if (!MayTry(gang_.replicas[i].backoff, now_)) {
      return LookAgainBy(*gang_.replicas[i].backoff.next_try);
    }
    Collective() ? RestartAll() : RestartOne(i);
  }

  void RestartAll() {
    for (size_t i = 0; i < gang_.replicas.size(); ++i) {
      if (view_.sights[i].kind != Kind::kMissing) RestartOne(i);
    }
  }

  void RestartOne(size_t i) {
    if (Asked(i)) return;
    Replica& replica = gang_.replicas[i];
    replica.boot = std::max(replica.boot, view_.sights[i].boot) + 1;
    replica.running = false;
    replica.done = false;
    Step(JobStep::Kind::kRestart, i);
  }

  // Does it run as a whole, and is it over?
  void Judge() {
    bool up =
        std::ranges::all_of(gang_.replicas, [](const Replica& r) { return r.running || r.done; });
    if (up && gang_.phase == GangPhase::kStarting) gang_.phase = GangPhase::kRunning;
    bool master_done = gang_.replicas.front().done;
    if ((up || master_done) && !gang_.started) gang_.started = now_;
    if (!master_done) return;
    if (!gang_.master_done) gang_.master_done = now_;
    bool evaluates = std::ranges::any_of(gang_.replicas, [](const Replica& replica) {
      return replica.type == ReplicaType::kEvaluator && !replica.done;
    });
    Time patience = *gang_.master_done + view_.job.rules.evaluator_grace;
    if (evaluates && now_ < patience) return LookAgainBy(patience);
    gang_.end = GangEnd::kSucceeded;
  }

  const GangView& view_;
  JobPlan& plan_;
  const Time now_;
  Gang& gang_;
};

}  // namespace

void PlanGang(const GangView& view, JobPlan& plan) { GangPlanner(view, plan).Run(); }
void StopGang(const GangView& view, JobPlan& plan) { GangPlanner(view, plan).Stop(); }

std::string EndMessage(const Replica& replica, const ReplicaEnd& end) {
  std::string who = fmt::format("The replica {} {}", TypeWord(replica.type), replica.index);
  if (!end.message.empty()) return fmt::format("{} could not be started: {}", who, end.message);
  std::string status = std::to_string(end.code);
  if (int signal = SignalOf(end); signal != 0) status += fmt::format("({})", SignalName(signal));
  if (end.out_of_memory) {
    return fmt::format("{} ran out-of-memory and exited with a non-zero status of {}.", who,
                       status);
  }
  return fmt::format("{} exited with a non-zero status of {}.", who, status);
}

}  // namespace fireweed::ml
