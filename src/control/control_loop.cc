#include "control/control_loop.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "control/backoff.h"

namespace fireweed {
namespace {

// Longest wait without a look at the clock, which may be set while the loop waits.
constexpr Duration kLongestWait = std::chrono::seconds(10);
constexpr int kStartPage = 1000;
constexpr BackoffRule kRetryRule{.first = std::chrono::seconds(1),
                                 .longest = std::chrono::minutes(1)};

}  // namespace

// What is due when. Apart from the loop, because the sink may outlive it.
struct ControlLoop::Schedule {
  using Turn = std::tuple<Time, uint64_t, Item>;  // when, order of arrival, what

  // All guarded by mu.
  mutable std::mutex mu;
  std::condition_variable changed;
  std::map<Item, std::set<Turn>::iterator> by_item;
  std::set<Turn> turns;
  std::set<std::string, std::less<>> own_kinds, watched_kinds;
  std::map<Item, int> action_failures;  // in a row
  uint64_t arrivals = 0;
  bool interrupted = false;

  // Keeps the earlier of two times. Time{} is always due.
  void Add(const std::lock_guard<std::mutex>&, Item item, Time when) {
    auto known = by_item.find(item);
    if (known != by_item.end()) {
      if (std::get<0>(*known->second) <= when) return;
      turns.erase(known->second);
      by_item.erase(known);
    }
    auto turn = turns.emplace(when, ++arrivals, item).first;
    by_item.emplace(std::move(item), turn);
    changed.notify_all();
  }
};

ControlLoop::ControlLoop(Catalog& catalog, const Clock& clock, Logger& logger)
    : catalog_(catalog), clock_(clock), logger_(logger), schedule_(std::make_shared<Schedule>()) {
  catalog.OnCommit([schedule = schedule_](std::string_view kind, const Key& key) {
    std::lock_guard lock(schedule->mu);
    if (schedule->own_kinds.contains(kind)) {
      schedule->Add(lock, {Item::Cause::kObject, std::string(kind), key}, Time{});
    }
    if (schedule->watched_kinds.contains(kind)) {
      schedule->Add(lock, {Item::Cause::kCommit, std::string(kind), key}, Time{});
    }
  });
}

// The sink stays with the catalog, but has nothing to collect any more.
ControlLoop::~ControlLoop() {
  std::lock_guard lock(schedule_->mu);
  schedule_->own_kinds.clear();
  schedule_->watched_kinds.clear();
}

void ControlLoop::Add(Controller& controller) {
  if (!controllers_.emplace(controller.kind(), &controller).second) {
    Abort(fmt::format("two controllers for kind '{}'", controller.kind()));
  }
  std::lock_guard lock(schedule_->mu);
  schedule_->own_kinds.emplace(controller.kind());
  for (std::string_view kind : controller.also_watches()) schedule_->watched_kinds.emplace(kind);
}

void ControlLoop::WakeAll() {
  for (auto& [kind, controller] : controllers_) {
    if (std::optional<std::vector<Key>> keys = controller->start_keys()) {
      for (const Key& key : *keys) Wake(kind, key);
      continue;
    }
    ForEachRaw(catalog_, kind, {.limit = kStartPage}, [this, &kind = kind](const RawRow& row) {
      Wake(kind, row.key);
      return true;
    });
  }
}

void ControlLoop::Wake(std::string_view kind, const Key& key) { WakeAt(kind, key, Time{}); }

void ControlLoop::WakeAt(std::string_view kind, const Key& key, Time when) {
  std::lock_guard lock(schedule_->mu);
  schedule_->Add(lock, {Item::Cause::kObject, std::string(kind), key}, when);
}

void ControlLoop::ActionFinished(std::string_view kind, const Key& key,
                                 const std::optional<std::string>& threw) {
  Item item{Item::Cause::kObject, std::string(kind), key};
  int failures = 0;
  {
    std::lock_guard lock(schedule_->mu);
    if (threw) {
      failures = ++schedule_->action_failures[item];
    } else {
      schedule_->action_failures.erase(item);
    }
  }
  if (threw) {
    RetryLater(item, "action failed", *threw, failures);
  } else {
    Wake(kind, key);
  }
}

std::optional<Time> ControlLoop::RunDue() {
  for (size_t most = kMostRounds + Waiting(), round = 0; round < most; ++round) {
    std::optional<Item> due = TakeDue(clock_.Now());
    if (!due) return NextDue();
    try {
      if (std::optional<Time> look_again = Run(*due)) WakeAt(due->kind, due->key, *look_again);
      failures_.erase(*due);
    } catch (const std::exception& error) {
      RetryLater(*due, "reconcile failed", error.what(), ++failures_[*due]);
    }
  }
  logger_.Error("control loop does not come to rest");
  return clock_.Now();
}

std::optional<ControlLoop::Item> ControlLoop::TakeDue(Time now) {
  std::lock_guard lock(schedule_->mu);
  auto first = schedule_->turns.begin();
  if (schedule_->interrupted || first == schedule_->turns.end() || std::get<0>(*first) > now) {
    return std::nullopt;
  }
  Item item = std::get<2>(*first);
  schedule_->by_item.erase(item);
  schedule_->turns.erase(first);
  return item;
}

size_t ControlLoop::Waiting() const {
  std::lock_guard lock(schedule_->mu);
  return schedule_->turns.size();
}

std::optional<Time> ControlLoop::NextDue() const {
  std::lock_guard lock(schedule_->mu);
  if (schedule_->turns.empty()) return std::nullopt;
  return std::max(std::get<0>(*schedule_->turns.begin()), clock_.Now());
}

std::optional<Time> ControlLoop::Run(const Item& item) {
  if (item.cause == Item::Cause::kCommit) {
    WakeConcerned(item);
    return std::nullopt;
  }
  auto controller = controllers_.find(item.kind);
  if (controller == controllers_.end()) return std::nullopt;
  return controller->second->Reconcile(item.key);
}

void ControlLoop::WakeConcerned(const Item& commit) {
  for (auto& [kind, controller] : controllers_) {
    std::vector<std::string_view> watched = controller->also_watches();
    if (std::find(watched.begin(), watched.end(), commit.kind) == watched.end()) continue;
    for (const Key& key : controller->Concerns(commit.kind, commit.key)) Wake(kind, key);
  }
}

void ControlLoop::RetryLater(const Item& item, std::string_view what, std::string_view why,
                             int failures) {
  Duration pause = BackoffPause(kRetryRule, failures, item.key);
  {
    std::lock_guard lock(schedule_->mu);
    schedule_->Add(lock, item, clock_.Now() + pause);
  }
  logger_.Error(what, {{"kind", item.kind},
                       {"key", item.key},
                       {"error", why},
                       {"failures", failures},
                       {"retry_s", std::chrono::duration<double>(pause).count()}});
}

bool ControlLoop::WaitForWork(std::optional<Time> next) {
  Time now = clock_.Now();
  Time until = std::min(next.value_or(Time::max()), now + kLongestWait);
  std::unique_lock lock(schedule_->mu);
  schedule_->changed.wait_for(lock, until - now, [&] {
    return schedule_->interrupted ||
           (!schedule_->turns.empty() && std::get<0>(*schedule_->turns.begin()) < until);
  });
  return !schedule_->interrupted;
}

void ControlLoop::Interrupt() {
  std::lock_guard lock(schedule_->mu);
  schedule_->interrupted = true;
  schedule_->changed.notify_all();
}

}  // namespace fireweed
