// What for: runs transfers on a few threads, with a short queue, so that a million files cost no more memory than a
//   hundred.
// Threads: Add and Finish by the owner; the work on the pool's own threads.
// May block: Add while the queue is full, Finish until all is done.
// A failure: what a work item throws is counted and told to `on_failure` (one at a time); unless told to go on, the
//   first one stops the rest: items still queued are dropped.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.h"
#include "cli/storage/retry.h"

namespace fireweed::cli {

class TransferPool {
 public:
  struct Options {
    int threads = 8;
    bool continue_on_error = false;
    std::function<void(const Error&)> on_failure;
  };
  TransferPool(Options options, StopSignal& stop);
  // Drops what is queued and waits for what runs.
  ~TransferPool();

  // False when a failure has stopped the pool: there is no point in adding more.
  bool Add(std::function<void()> work);
  // Waits until everything added has run. The number of failures.
  int64_t Finish();

 private:
  void Serve();
  void Fail(const Error& error);

  const Options options_;
  StopSignal& stop_;
  std::mutex mu_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;  // guarded by mu_
  int running_ = 0;                          // guarded by mu_
  bool ended_ = false;                       // guarded by mu_
  bool broken_ = false;                      // guarded by mu_
  int64_t failures_ = 0;                     // guarded by mu_
  std::vector<std::thread> threads_;
};

}  // namespace fireweed::cli
