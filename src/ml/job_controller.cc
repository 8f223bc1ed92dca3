#include "ml/job_controller.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/quota.h"
#include "ml/job_tuning.h"
#include "ml/replica_layout.h"
#include "ml/tuning/trial_record.h"

namespace fireweed::ml {
namespace {

bool AnyEnded(const std::vector<std::vector<ReplicaSight>>& sights) {
  return std::ranges::any_of(sights, [](const auto& gang) {
    return std::ranges::any_of(gang, [](const ReplicaSight& sight) {
      return sight.kind == ReplicaSight::Kind::kEnded || sight.kind == ReplicaSight::Kind::kBroken;
    });
  });
}

}  // namespace

JobController::JobController(Catalog& catalog, JobWorld world, const Clock& clock, Logger& log)
    : catalog_(catalog), world_(std::move(world)), clock_(clock), log_(log) {}

std::vector<std::string_view> JobController::also_watches() const {
  return {kRecordKind<compute::InstanceRecord>, kEnvironmentKind, kRecordKind<TrialRecord>};
}

std::vector<Key> JobController::Concerns(std::string_view kind, const Key& key) {
  if (kind == kEnvironmentKind) return {waiting_.begin(), waiting_.end()};
  if (kind == kRecordKind<TrialRecord>) return {key.substr(0, key.rfind('/'))};
  auto found = job_of_.find(key);
  if (found == job_of_.end()) return {};
  return {found->second};
}

std::optional<std::vector<Key>> JobController::start_keys() const {
  std::vector<Key> keys;
  ForEachRaw(catalog_, kRecordKind<ActiveJob>, {}, [&](const RawRow& row) {
    keys.push_back(row.key);
    return true;
  });
  return keys;
}

void JobController::Remember(const JobRecord& job) {
  for (const Gang& gang : job.gangs) {
    for (const Replica& replica : gang.replicas) {
      if (replica.instance_id != 0) job_of_[ReplicaKey(job, replica)] = job.key();
    }
  }
  bool waits = NeedsEnvironment(job);
  waits ? (void)waiting_.insert(job.key()) : (void)waiting_.erase(job.key());
}

void JobController::Forget(const Key& job) {
  waiting_.erase(job);
  std::erase_if(job_of_, [&](const auto& entry) { return entry.second == job; });
}

JobController::Sight JobController::Look(const Key& key) {
  Sight sight{.job = FreshRow<JobRecord>(catalog_, key), .instances = {}};
  if (!sight.job) return sight;
  for (const Gang& gang : sight.job->value.gangs) {
    std::vector<InstanceRow>& rows = sight.instances.emplace_back();
    for (const Replica& replica : gang.replicas) {
      bool made = replica.instance_id != 0 && !gang.removed;
      rows.push_back(
          made ? FreshRow<compute::InstanceRecord>(catalog_, ReplicaKey(sight.job->value, replica))
               : nullptr);
    }
  }
  return sight;
}

JobView JobController::ViewOf(const Sight& sight) {
  const JobRecord& job = sight.job->value;
  JobView view{.record = job, .now = clock_.Now(), .rules = world_.rules};
  for (size_t g = 0; g < job.gangs.size(); ++g) {
    std::vector<ReplicaSight>& sights = view.sights.emplace_back();
    for (size_t r = 0; r < job.gangs[g].replicas.size(); ++r) {
      const InstanceRow& row = sight.instances[g][r];
      sights.push_back(SightOf(row ? &row->value : nullptr, job.gangs[g].replicas[r]));
    }
  }
  const api::ml::TrainingInput& input = *job.job.trainingInput;
  if (NeedsEnvironment(job)) {
    view.environment =
        world_.environments.Ask({.project = job.project,
                                 .runtime_version = RuntimeVersionOf(input),
                                 .python_version = input.pythonVersion,
                                 .package_uris = input.packageUris,
                                 .account = job.account,
                                 .strict = input.strict.value_or(world_.strict),
                                 .python = input.command.empty(),
                                 .accelerated = UsesNvidia(input, world_.replicas.catalogue)});
  }
  bool ends = AnyEnded(view.sights) || job.outcome != api::ml::JobState::kUnspecified;
  view.drained = ends && world_.collector.Drained(job.project, job.job.jobId);
  if (input.hyperparameters && job.admitted) {
    int32_t most = GangsAtOnce(input, world_.replicas.catalogue);
    TuningLook look = Query(catalog_, [&](Txn& txn) { return LookAtTrials(txn, job, most); });
    view.tuning = std::move(look.orders);
    view.drained = view.drained && look.complete;
  }
  view.units_per_hour = UnitsPerHour(input, world_.replicas.catalogue);
  return view;
}

std::optional<Time> JobController::Reconcile(const Key& key) {
  Sight sight = Look(key);
  bool over = !sight.job || api::ml::HasEnded(sight.job->value.job.state);
  if (over) {
    if (sight.job && sight.job->value.job.trainingInput) Seal(sight.job->value);
    Forget(key);
    return std::nullopt;
  }
  const JobRecord& job = sight.job->value;
  if (!job.job.trainingInput) return std::nullopt;  // batch prediction has a controller of its own
  Remember(job);
  JobPlan plan = PlanJob(ViewOf(sight));
  if (plan.steps.empty() && SameValue(plan.next, job)) return plan.look_again;
  AddLastLines(plan);
  Say(job, plan);
  std::optional<JobRecord> next =
      Update(catalog_, "job plan", [&](Txn& txn) { return Apply(txn, sight, plan); });
  if (!next) return clock_.Now();
  if (next->job.state != job.job.state) {
    log_.Info("job changed", {{"job", key}, {"state", EnumName(next->job.state)}});
  }
  Remember(*next);
  return plan.look_again;
}

void JobController::Say(const JobRecord& job, const JobPlan& plan) {
  for (const JobLine& line : plan.lines) {
    try {
      world_.say(job, line);
    } catch (const Failure& failure) {
      // A full disk must not keep a job from ending.
      log_.Warning("job line not written",
                   {{"job", job.key()}, {"error", failure.error().message}});
    }
  }
}

void JobController::Seal(const JobRecord& job) {
  try {
    world_.seal(job);
  } catch (const Failure& failure) {
    log_.Warning("job log not sealed", {{"job", job.key()}, {"error", failure.error().message}});
  }
}

void JobController::AddLastLines(JobPlan& plan) {
  if (!plan.last_lines_of) return;
  const auto& [gang, task] = *plan.last_lines_of;
  std::string text;
  for (const std::string& line : world_.last_lines(plan.next, plan.next.gangs[gang].trial, task)) {
    text += "\n" + line;
  }
  if (text.empty()) return;
  text = " Its last lines:" + text;
  plan.next.job.errorMessage += text;
  for (JobLine& line : plan.lines) {
    if (line.once == "end") line.message += text;
  }
}

bool JobController::Unmoved(Txn& txn, const Sight& sight, const JobStep& step) {
  if (step.kind != JobStep::Kind::kRestart)
    return true;  // the others are right whatever has happened
  const InstanceRow& planned = sight.instances[step.gang][step.replica];
  auto row =
      planned ? txn.FindRaw(kRecordKind<compute::InstanceRecord>, planned->key) : std::nullopt;
  return row && row->version == planned->version;
}

std::optional<JobRecord> JobController::Apply(Txn& txn, const Sight& sight, const JobPlan& plan) {
  const Key& key = sight.job->key;
  auto row = txn.FindRaw(kind(), key);
  if (!row || row->version != sight.job->version) return std::nullopt;
  for (const JobStep& step : plan.steps) {
    if (!Unmoved(txn, sight, step)) return std::nullopt;
  }
  JobRecord next = plan.next;
  for (const JobStep& step : plan.steps) Take(txn, next, step);
  if (next.job.trainingInput->hyperparameters) {
    StoreTrials(txn, next, world_.replicas.metric_root);
    if (api::ml::HasEnded(next.job.state)) RemoveTrials(txn, next.project, next.job.jobId);
  }
  if (api::ml::HasEnded(next.job.state)) {
    txn.Erase<ActiveJob>(key);
    compute::ReleaseQuota(txn, key);
  } else if (plan.freed) {
    compute::ReleaseQuota(txn, key);
    if (auto active = txn.Find<ActiveJob>(key)) {
      active->value.freed = true;
      txn.Put(key, active->value);
    }
  }
  txn.Put(key, next);
  return next;
}

void JobController::Take(Txn& txn, JobRecord& next, const JobStep& step) {
  Gang& gang = next.gangs[step.gang];
  Replica& replica = gang.replicas[step.replica];
  switch (step.kind) {
    case JobStep::Kind::kCreate: break;
    case JobStep::Kind::kRestart: return RestartReplica(txn, next, replica);
    case JobStep::Kind::kStop: return StopReplica(txn, next, replica);
    case JobStep::Kind::kRemove: return RemoveReplica(txn, next, replica);
  }
  if (gang.end != GangEnd::kNone) return;  // a fellow could not be made
  try {
    NameReplicas(txn, next, gang, world_.replicas.own_network);
    replica.instance_id = MakeReplica(txn, next, gang, step.replica, world_.replicas, clock_.Now());
  } catch (const Failure& failure) {
    gang.end = GangEnd::kFailed;
    gang.error = failure.error().message;
    log_.Warning("replica not made", {{"job", next.key()}, {"error", failure.error().message}});
  }
}

}  // namespace fireweed::ml
