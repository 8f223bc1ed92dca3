// What for: lets jobs begin when the machine has room for them. It decides nothing: PlanQueue does.
// Who calls: the control loop. May block: for the catalog only.
// Owns: what the rows of active jobs say, so that a turn costs no reading; they are read anew after a restart.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "compute/quota.h"
#include "control/control_loop.h"
#include "control/controller.h"
#include "ml/job_plan.h"
#include "ml/queue_plan.h"

namespace fireweed::ml {

// Conditions of admission. `catalogue` outlives the controller.
struct QueueRules {
  QueueCapacity capacity;
  const compute::Catalogue& catalogue;
  compute::QuotaLimits quotas = {};
  bool preemptible = false;  // replicas are preemptible instances
  // Writes a line into the job's log.
  std::function<void(const JobRecord&, const JobLine&)> say = {};
};

class QueueController final : public Controller {
 public:
  QueueController(Catalog& catalog, ControlLoop& loop, QueueRules rules, const Clock& clock,
                  Logger& log)
      : catalog_(catalog), loop_(loop), rules_(std::move(rules)), clock_(clock), log_(log) {}

  std::string_view kind() const override { return kRecordKind<ActiveJob>; }
  std::vector<std::string_view> also_watches() const override;
  std::vector<Key> Concerns(std::string_view kind, const Key& key) override;
  std::optional<Time> Reconcile(const Key& key) override;

 private:
  void Read(const Key& key);
  std::optional<Time> Plan();
  // Why it may not begin although there is room: it is over quota. Nothing is written then.
  std::optional<Error> Admit(const Admission& admission);
  // Jobs that wait and have no quota left, with the refusal.
  std::map<Key, Error> OverQuota();
  bool AnyWaitsForCards() const;
  CardCounts LentCards();
  void NoteWaiting(const Key& job, const std::string& reason);

  // Constant after construction.
  Catalog& catalog_;
  ControlLoop& loop_;
  const QueueRules rules_;
  const Clock& clock_;
  Logger& log_;

  // The control thread's alone.
  std::map<Key, ActiveJob> jobs_;
  std::map<Key, std::string> noted_;  // why a job waits, as in its record
  bool any_over_quota_ = false;
};

}  // namespace fireweed::ml
