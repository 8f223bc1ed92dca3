// What for: slow calls of controllers (drivers, downloads), at most one per key at a time.
// Who calls: Submit the control thread. Actions run elsewhere, and may block.
// Owns: the closures until they have run.
// A failure: an action records its own failures in the catalog. What it throws is told to the loop,
//   which logs it and tries the key again later.
//
// When an action has ended the loop is told after the key is free again: a Reconcile that found the
// key busy is always followed by another one.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "control/control_loop.h"

namespace fireweed {

class ActionPool {
 public:
  virtual ~ActionPool() = default;
  // False, and nothing happens, while an action of this key is queued or running. Does not block.
  virtual bool Submit(std::string_view kind, const Key& key, std::function<void()> action) = 0;
};

// Threads of its own. Stop, and the destructor, drop what has not begun (its intent is in the
// catalog) and wait for the rest.
class ThreadActionPool final : public ActionPool {
 public:
  ThreadActionPool(int threads, ControlLoop& loop);
  ~ThreadActionPool() override;
  bool Submit(std::string_view kind, const Key& key, std::function<void()> action) override;
  void Stop();

 private:
  using Address = std::pair<std::string, Key>;
  void RunThread();

  ControlLoop& loop_;

  std::mutex mu_;
  std::condition_variable changed_;
  std::deque<std::pair<Address, std::function<void()>>> queue_;  // guarded by mu_
  std::set<Address> busy_;  // guarded by mu_; queued or running
  bool stop_ = false;       // guarded by mu_
  std::vector<std::thread> threads_;
};

// For simulations: actions wait until the test runs them, on its own thread, one by one.
class QueuedActionPool final : public ActionPool {
 public:
  explicit QueuedActionPool(ControlLoop& loop) : loop_(loop) {}
  bool Submit(std::string_view kind, const Key& key, std::function<void()> action) override;

  size_t size() const { return queue_.size(); }
  // Runs the `index`th waiting action. REQUIRES: index < size().
  void Run(size_t index);

 private:
  using Address = std::pair<std::string, Key>;
  ControlLoop& loop_;
  std::deque<std::pair<Address, std::function<void()>>> queue_;
  std::set<Address> busy_;
};

}  // namespace fireweed
