// What for: requests that arrive while the engine is busy are computed together. An idle engine is never kept waiting
//   unless a budget says so: a batch starts with what is there, and grows under load by itself.
// Threads: Submit from any; `Engine::Traits::parallel` threads compute and call back. Callbacks must not throw or block.
// May block: Submit never; the destructor until running batches are done, what waits is answered kUnavailable.
// Owns: its threads and the waiting requests. Borrows the engine, the clock and the metrics.
// A failure: Submit throws Failure kExhausted when too much waits. A failed batch of several requests is tried again one
//   by one, so that one bad request spoils no other.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "predict/engine.h"
#include "predict/serving_metrics.h"

namespace fireweed::predict {

class Batcher {
 public:
  struct Options {
    int64_t max_rows = 256;      // of one batch; a larger request is a batch of its own
    Duration budget{0};          // how long the first request may wait for company
    size_t max_waiting = 1'024;  // requests
  };
  using Done = std::function<void(Result<Outputs>)>;

  Batcher(Engine& engine, Options options, const Clock& clock, ServingMetrics& metrics);
  ~Batcher();
  Batcher(const Batcher&) = delete;

  // `signature` outlives the call back. Past `deadline` nothing is computed: the answer is kCancelled.
  void Submit(const Signature& signature, Inputs inputs, Time deadline, Done done);

 private:
  struct Job {
    const Signature* signature;
    Inputs inputs;
    Time since, deadline;
    Done done;
  };

  void Work();
  bool MayJoin(const Job& first, const Job& other) const;
  int64_t WaitingRows() const;  // REQUIRES: mu_
  std::vector<Job> TakeBatch(std::unique_lock<std::mutex>& lock);
  void DropLate(std::vector<Job>& batch);
  void Compute(std::vector<Job>& batch);
  void ComputeAlone(Job& job);

  Engine& engine_;
  const Options options_;
  const Clock& clock_;
  ServingMetrics& metrics_;
  std::mutex mu_;
  std::condition_variable wake_;
  std::deque<Job> waiting_;  // guarded by mu_
  bool ending_ = false;      // guarded by mu_
  std::vector<std::thread> threads_;
};

}  // namespace fireweed::predict
