// What is the next step for a training job? All the thinking of its life is here, and nothing else: no clock, store, log
// or randomness. It writes rows only: it makes instances, starts them again and marks them to go.
//
//             the queue admits it       packages are there: gangs        all replicas run
//   QUEUED ─────────────────► PREPARING ─────────────────────► (booting) ────────────────► RUNNING
//      │ cancel, maxWaitTime      │ no environment                 │ cannot start              │ │ │
//      │                          ▼                                ▼                           │ │ │ a gang ends
//      │                       (FAILED)                         (FAILED)                       │ │ ▼
//      └──────────► CANCELLING ◄────────── cancel, maxRunningTime ─────────────────────────────┘ │ (SUCCEEDED, FAILED)
//
//   A state in brackets is an outcome: it is shown, with endTime, when every machine is down and every line is in.
//
// master ended with 0     the gang has succeeded; evaluators may finish for a while, parameter servers and workers end
// another ended with 0    it is done and stays so
// 1..127, 255             the trainer's own mistake: the gang has failed
// 128 + signal, or the    tried again, with pauses, as long as the budget of the gang lasts
//   machine does not start
// preempted, stopped from outside, lost with the host: started again, and the budget is not touched
//
// Who starts again: the replica alone; all of the gang where workers work without parameter servers, since none of them
// can go on without the others.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/logging/entry.h"
#include "base/clock.h"
#include "compute/records.h"
#include "ml/environments.h"
#include "ml/job_record.h"

namespace fireweed::ml {

struct JobRules {
  int most_restarts = 3;  // failures of a gang that are forgiven
  // Evaluators still have something to export when the master has ended.
  Duration evaluator_grace = std::chrono::minutes(5);
  // Lines that are not in by then will not come any more.
  Duration drain_limit = std::chrono::seconds(30);
};
// The collector tells when it is done; this is for one that was asked too early.
inline constexpr Duration kDrainPoll = std::chrono::milliseconds(250);
// While a job is prepared a line reports progress at least this often (ADR 47); for a wait that may take hours, the
// second.
inline constexpr Duration kProgressInterval = std::chrono::seconds(5);
inline constexpr Duration kWaitInterval = std::chrono::minutes(1);
inline constexpr BackoffRule kReplicaBackoff{.first = std::chrono::seconds(1),
                                             .longest = std::chrono::minutes(2)};

// What is seen of a replica's instance.
struct ReplicaSight {
  enum class Kind {
    kMissing,
    kBooting,
    kRunning,
    kEnded,
    kBroken,  // it does not start, and will not be tried again
  } kind = Kind::kMissing;
  int64_t boot = 0;
  bool begun = false;        // nothing is between it and its program any more
  bool wants_cards = false;  // others have them
  bool stopping = false;     // somebody has asked already; kMissing: it is going
  compute::LastExit exit{};  // of kEnded
  std::string error;         // of kBroken
};
ReplicaSight SightOf(const compute::InstanceRecord* instance, const Replica& replica);

// What the search says of a tuning job.
struct TuningOrders {
  // Every trial there is, with where it stands and what it has reported.
  std::vector<api::ml::HyperparameterOutput> trials;
  std::vector<api::ml::HyperparameterOutput> start;
  std::vector<std::string> stop;
  std::optional<std::pair<api::ml::JobState, std::string>> end;  // and why
};

struct JobView {
  const JobRecord& record;
  std::vector<std::vector<ReplicaSight>> sights;  // as record.gangs and their replicas
  std::optional<EnvironmentAnswer> environment;   // when NeedsEnvironment
  std::optional<TuningOrders> tuning;             // of a tuning job
  bool drained = false;                           // every line of its replicas is in
  double units_per_hour = 0;                      // of one gang
  Time now;
  JobRules rules = {};
};

struct JobStep {
  enum class Kind { kCreate, kRestart, kStop, kRemove } kind = Kind::kCreate;
  size_t gang = 0, replica = 0;
};

// A line of the service's own in the job's log. `once` names it among the lines of its job.
struct JobLine {
  std::string task, trial;
  api::logging::Severity severity = api::logging::Severity::kInfo;
  std::string message, once;
  // Set in a line that reports progress: since when the job waits for this. A reader on a terminal shows such lines as
  // one that changes.
  std::optional<Time> waits_since = std::nullopt;
};

struct JobPlan {
  JobRecord next;
  std::vector<JobStep> steps;
  std::vector<JobLine> lines;
  bool freed = false;  // it holds no machines any more
  // Set when it ends by a replica's failure: the last lines of this task of this gang belong to its message.
  std::optional<std::pair<size_t, std::string>> last_lines_of;
  std::optional<Time> look_again;
};

JobPlan PlanJob(const JobView& view);

// Whether the plan has to know how far the packages are.
bool NeedsEnvironment(const JobRecord& record);
// Whether its replicas run in a container image. The public images of a framework
// ("gcr.io/cloud-ml-public/training/pytorch-gpu.1-10") with a Python module are runtimes.
bool UsesImage(const api::ml::TrainingInput& input);
// The row of the runtime table that a job without an image requests: "1.15", "pytorch-gpu.1-10".
std::string RuntimeVersionOf(const api::ml::TrainingInput& input);
// "3600s" or "1.5s". nullopt when it is no duration.
std::optional<Duration> ParseSeconds(std::string_view text);
// Adds what happened to the job's timeline.
void AddEvent(api::ml::Job& job, std::string what, Time now);
// The same, unless it is there already. False: it is.
bool AddEventOnce(api::ml::Job& job, const std::string& what, Time now);

}  // namespace fireweed::ml
