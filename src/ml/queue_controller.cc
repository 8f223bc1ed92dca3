#include "ml/queue_controller.h"

#include <algorithm>

#include "compute/hidden.h"
#include "compute/links.h"
#include "compute/records.h"
#include "ml/job_plan.h"
#include "ml/job_quota.h"

namespace fireweed::ml {
namespace {

// No job's key: the turn in which the queue as a whole is looked at, once however many jobs have changed.
constexpr const char* kWhole = "";

}  // namespace

std::vector<std::string_view> QueueController::also_watches() const {
  return {kRecordKind<compute::InstanceRecord>, kRecordKind<compute::DiskRecord>};
}

// Instances give accelerators and quota back, disks quota.
std::vector<Key> QueueController::Concerns(std::string_view, const Key&) {
  if (!any_over_quota_ && !AnyWaitsForCards()) return {};
  return {kWhole};
}

bool QueueController::AnyWaitsForCards() const {
  return std::ranges::any_of(jobs_, [](const auto& entry) {
    const ActiveJob& job = entry.second;
    return !job.admitted && !job.freed && !job.cards.empty();
  });
}

// What instances have that are no job's, of the cards that the queue gives out.
CardCounts QueueController::LentCards() {
  CardCounts lent;
  ForEach<compute::InstanceRecord>(catalog_, {}, [&](const auto& row) {
    if (row.value.cards.empty() || compute::IsReplica(row.value)) return;
    for (const auto& wanted : row.value.resource.guestAccelerators) {
      lent[compute::LastWord(wanted.acceleratorType)] += wanted.acceleratorCount;
    }
  });
  return lent;
}

std::optional<Time> QueueController::Reconcile(const Key& key) {
  if (key == kWhole) return Plan();
  Read(key);
  loop_.Wake(kind(), kWhole);
  return std::nullopt;
}

void QueueController::Read(const Key& key) {
  auto row = Query(catalog_, [&](Txn& txn) { return txn.Find<ActiveJob>(key); });
  if (!row) {
    jobs_.erase(key);
    noted_.erase(key);
    return;
  }
  row->value.key = key;
  jobs_[key] = std::move(row->value);
}

std::optional<Time> QueueController::Plan() {
  std::vector<ActiveJob> jobs;
  for (const auto& [key, job] : jobs_) {
    if (!job.freed) jobs.push_back(job);
  }
  CardCounts lent = AnyWaitsForCards() ? LentCards() : CardCounts{};
  std::map<Key, Error> over = OverQuota();
  while (true) {
    QueueView view{jobs, rules_.capacity, clock_.Now(), lent};
    for (const auto& [key, error] : over) view.over_quota.insert(key);
    QueuePlan plan = PlanQueue(view);
    bool refused = false;
    for (const Admission& admission : plan.admit) {
      std::optional<Error> error = Admit(admission);
      std::ranges::find(jobs, admission.job, &ActiveJob::key)->admitted = !error;
      if (!error) continue;
      over.emplace(admission.job, *error);
      refused = true;
    }
    if (refused) continue;  // others may take the room
    any_over_quota_ = !over.empty();
    for (const Key& job : plan.want_cards) NoteWaiting(job, "waits for cards that instances have");
    for (const auto& [job, error] : over) NoteWaiting(job, "waits for quota: " + error.message);
    return plan.look_again;
  }
}

std::map<Key, Error> QueueController::OverQuota() {
  std::map<Key, Error> over;
  if (rules_.quotas.empty()) return over;
  catalog_.Read([&](Txn& txn) {
    over.clear();
    compute::QuotaLedger ledger(txn, rules_.catalogue, rules_.quotas);
    for (const auto& [key, active] : jobs_) {
      auto job = active.admitted || active.freed ? std::nullopt : txn.Find<JobRecord>(key);
      if (!job) continue;
      auto error = ledger.Over(QuotaDemandOf(job->value, rules_.catalogue, rules_.preemptible));
      if (error) over.emplace(key, *error);
    }
  });
  return over;
}

void QueueController::NoteWaiting(const Key& key, const std::string& reason) {
  std::string& noted = noted_[key];
  if (noted == reason) return;
  noted = reason;
  Time now = clock_.Now();
  auto told = Update(catalog_, "job waits", [&](Txn& txn) -> std::optional<JobRecord> {
    auto job = txn.Find<JobRecord>(key);
    if (!job || !AddEventOnce(job->value.job, reason, now)) return std::nullopt;
    txn.Put(key, job->value);
    return job->value;
  });
  if (!told || !rules_.say) return;
  try {
    rules_.say(*told,
               {.task = "service", .trial = "", .message = "The job " + reason, .once = reason});
  } catch (const Failure& failure) {
    log_.Warning("job line not written", {{"job", key}, {"error", failure.error().message}});
  }
}

std::optional<Error> QueueController::Admit(const Admission& admission) {
  Time now = clock_.Now();
  auto over = Update(catalog_, "job admitted", [&](Txn& txn) -> std::optional<Error> {
    auto active = txn.Find<ActiveJob>(admission.job);
    auto job = txn.Find<JobRecord>(admission.job);
    if (!active || !job) return std::nullopt;
    if (job->value.job.trainingInput) {
      auto demand = QuotaDemandOf(job->value, rules_.catalogue, rules_.preemptible);
      compute::QuotaLedger ledger(txn, rules_.catalogue, rules_.quotas);
      if (std::optional<Error> error = ledger.Over(demand)) return error;
      compute::HoldQuota(txn, admission.job, demand);
    }
    active->value.admitted = true;
    txn.Put(admission.job, active->value);
    if (job->value.admitted) return std::nullopt;
    job->value.admitted = now;
    job->value.oversubscribed = admission.oversubscribed;
    txn.Put(admission.job, job->value);
    return std::nullopt;
  });
  if (over) return over;
  jobs_[admission.job].admitted = true;
  log_.Debug("job admitted", {{"job", admission.job}, {"alone", admission.oversubscribed}});
  return std::nullopt;
}

}  // namespace fireweed::ml
