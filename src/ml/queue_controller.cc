#include "ml/queue_controller.h"

#include "ml/job_plan.h"

namespace fireweed::ml {
namespace {

// No job's key: the turn in which the queue as a whole is looked at, once however many jobs have changed.
constexpr const char* kWhole = "";

}  // namespace

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
  QueuePlan plan = PlanQueue({jobs, capacity_, clock_.Now()});
  for (const Admission& admission : plan.admit) Admit(admission);
  return plan.look_again;
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
