// What for: threads for handlers, which may block. Anyone may post; jobs start in order of posting.
// A failure: a job must not throw; one that does ends the process, since nobody is left to tell.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fireweed::net {

class WorkerPool {
 public:
  explicit WorkerPool(int threads);
  // Runs what was posted, then joins.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;

  // Any thread; does not block. Unbounded by itself: each session has at most one job here at a
  // time.
  void Post(std::function<void()> job);

 private:
  void Work();

  std::mutex mu_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;  // guarded by mu_
  bool ending_ = false;                     // guarded by mu_
  std::vector<std::thread> threads_;        // constant after construction
};

}  // namespace fireweed::net
