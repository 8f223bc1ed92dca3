// Which of the waiting jobs begin now? Pure.
//
// Order: by priority, raised by one for every kAge of waiting, then by age. A job begins when it fits beside those that
// hold machines. Smaller ones behind one that does not fit may go ahead of it, until it has waited kPatience: from then
// on what becomes free is kept for it. So nobody waits for ever.
//
// A job that could never fit whole begins alone, oversubscribed (ADR 27); cards are never shared. Cards that
// instances have which are no job's are waited for, and nobody waits behind such a job: room would not help it. The same
// holds for a job that is over quota.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "base/clock.h"
#include "ml/job_record.h"

namespace fireweed::ml {

struct QueueCapacity {
  double cpus = 1;
  int64_t memory_mb = 1024;
  CardCounts cards = {};
};

struct QueueView {
  const std::vector<ActiveJob>& jobs;
  QueueCapacity capacity;
  Time now;
  CardCounts lent = {};           // to instances that are no job's
  std::set<Key> over_quota = {};  // jobs whose project or creator has no quota left for them
};

inline constexpr Duration kQueueAge = std::chrono::minutes(10);
inline constexpr Duration kQueuePatience = std::chrono::minutes(5);

struct Admission {
  Key job;
  bool oversubscribed = false;
};
struct QueuePlan {
  std::vector<Admission> admit;
  std::vector<Key> want_cards;  // that are lent
  std::optional<Time> look_again;
};

QueuePlan PlanQueue(const QueueView& view);

// Waiting jobs in the order in which they would begin.
std::vector<const ActiveJob*> QueueOrder(const std::vector<ActiveJob>& jobs, Time now);

}  // namespace fireweed::ml
