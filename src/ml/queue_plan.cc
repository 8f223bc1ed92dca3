#include "ml/queue_plan.h"

#include <algorithm>
#include <tuple>

namespace fireweed::ml {
namespace {

constexpr double kRounding = 1e-6;

int64_t RaisedPriority(const ActiveJob& job, Time now) {
  return job.priority + std::max<int64_t>(0, (now - job.created) / kQueueAge);
}

struct Room {
  double cpus = 0;
  int64_t memory_mb = 0;
  CardCounts cards;

  bool HasCards(const ActiveJob& job) const {
    return std::ranges::all_of(job.cards, [&](const auto& wanted) {
      auto left = cards.find(wanted.first);
      return left != cards.end() && wanted.second <= left->second;
    });
  }
  bool Fits(const ActiveJob& job) const {
    return HasCards(job) && job.cpus <= cpus + kRounding && job.memory_mb <= memory_mb;
  }
  void Take(const ActiveJob& job) {
    cpus -= job.cpus;
    memory_mb -= job.memory_mb;
    for (const auto& [type, count] : job.cards) cards[type] -= count;
  }
};

}  // namespace

std::vector<const ActiveJob*> QueueOrder(const std::vector<ActiveJob>& jobs, Time now) {
  std::vector<const ActiveJob*> waiting;
  for (const ActiveJob& job : jobs) {
    if (!job.admitted) waiting.push_back(&job);
  }
  std::ranges::sort(waiting, [&](const ActiveJob* a, const ActiveJob* b) {
    return std::tuple(-RaisedPriority(*a, now), a->number, a->key) <
           std::tuple(-RaisedPriority(*b, now), b->number, b->key);
  });
  return waiting;
}

QueuePlan PlanQueue(const QueueView& view) {
  QueuePlan plan;
  Room all{view.capacity.cpus, view.capacity.memory_mb, view.capacity.cards};
  Room ours = all;
  for (const auto& [type, count] : view.lent) ours.cards[type] -= count;
  Room room = ours;
  size_t holding = 0;
  for (const ActiveJob& job : view.jobs) {
    if (!job.admitted || job.freed) continue;
    room.Take(job);
    ++holding;
  }
  for (const ActiveJob* job : QueueOrder(view.jobs, view.now)) {
    if (view.over_quota.contains(job->key)) continue;
    bool too_large = !all.Fits(*job);
    bool lent = all.HasCards(*job) && !ours.HasCards(*job);
    if (lent) {
      plan.want_cards.push_back(job->key);
      continue;
    }
    if (too_large ? holding == 0 : room.Fits(*job)) {
      plan.admit.push_back({job->key, too_large});
      room.Take(*job);
      ++holding;
      continue;
    }
    // It waits. Whoever is behind it may pass for a while, then nobody does.
    Time patience_ends = job->created + kQueuePatience;
    if (view.now >= patience_ends) break;
    if (!plan.look_again || patience_ends < *plan.look_again) plan.look_again = patience_ends;
  }
  return plan;
}

}  // namespace fireweed::ml
