// What for: lets jobs begin when the machine has room for them. It decides nothing: PlanQueue does.
// Who calls: the control loop. May block: for the catalog only.
// Owns: what the rows of active jobs say, so that a turn costs no reading; they are read anew after a restart.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "control/control_loop.h"
#include "control/controller.h"
#include "ml/queue_plan.h"

namespace fireweed::ml {

class QueueController final : public Controller {
 public:
  QueueController(Catalog& catalog, ControlLoop& loop, QueueCapacity capacity, const Clock& clock,
                  Logger& log)
      : catalog_(catalog), loop_(loop), capacity_(capacity), clock_(clock), log_(log) {}

  std::string_view kind() const override { return kRecordKind<ActiveJob>; }
  std::vector<std::string_view> also_watches() const override;
  std::vector<Key> Concerns(std::string_view kind, const Key& key) override;
  std::optional<Time> Reconcile(const Key& key) override;

 private:
  void Read(const Key& key);
  std::optional<Time> Plan();
  void Admit(const Admission& admission);
  bool AnyWaitsForCards() const;
  CardCounts LentCards();
  void TellWaiting(const Key& job);

  // Constant after construction.
  Catalog& catalog_;
  ControlLoop& loop_;
  const QueueCapacity capacity_;
  const Clock& clock_;
  Logger& log_;

  // The control thread's alone.
  std::map<Key, ActiveJob> jobs_;
  std::set<Key> told_;  // jobs that were told what they wait for
};

}  // namespace fireweed::ml
