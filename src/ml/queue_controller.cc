#include "ml/queue_controller.h"

#include <algorithm>

#include "compute/hidden.h"
#include "compute/links.h"
#include "compute/records.h"
#include "ml/job_plan.h"

namespace fireweed::ml {
namespace {

// No job's key: the turn in which the queue as a whole is looked at, once however many jobs have changed.
constexpr const char* kWhole = "";

}  // namespace

std::vector<std::string_view> QueueController::also_watches() const {
  return {kRecordKind<compute::InstanceRecord>};
}

// Instances give cards back.
std::vector<Key> QueueController::Concerns(std::string_view, const Key&) {
  if (!AnyWaitsForCards()) return {};
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
    told_.erase(key);
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
  QueuePlan plan = PlanQueue({jobs, capacity_, clock_.Now(), std::move(lent)});
  for (const Admission& admission : plan.admit) Admit(admission);
  for (const Key& job : plan.want_cards) TellWaiting(job);
  return plan.look_again;
}

void QueueController::TellWaiting(const Key& key) {
  if (!told_.insert(key).second) return;
  Time now = clock_.Now();
  catalog_.Write("job waits for cards", [&](Txn& txn) {
    auto job = txn.Find<JobRecord>(key);
    bool news = job && AddEventOnce(job->value.job, "waits for cards that instances have", now);
    if (news) txn.Put(key, job->value);
  });
}

void QueueController::Admit(const Admission& admission) {
  Time now = clock_.Now();
  catalog_.Write("job admitted", [&](Txn& txn) {
    auto active = txn.Find<ActiveJob>(admission.job);
    auto job = txn.Find<JobRecord>(admission.job);
    if (!active || !job) return;
    active->value.admitted = true;
    txn.Put(admission.job, active->value);
    if (job->value.admitted) return;
    job->value.admitted = now;
    job->value.oversubscribed = admission.oversubscribed;
    txn.Put(admission.job, job->value);
  });
  jobs_[admission.job].admitted = true;
  log_.Debug("job admitted", {{"job", admission.job}, {"alone", admission.oversubscribed}});
}

}  // namespace fireweed::ml
