// Transaction bodies waiting for the one writer, in two lanes. Control goes first, also into a
// batch that has already begun; bulk never starves, because a batch takes a bounded number of
// control bodies.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "catalog/catalog.h"

namespace fireweed {

// One call of Write or WriteLater.
class WriteJob {
 public:
  // `body` and `why` are the caller's, who waits until the job is done.
  WriteJob(std::string_view why, const std::function<void(Txn&)>* body) : why(why), body_(body) {}
  // Nobody waits: the job owns its body and tells `done`. `why` is a constant of the program.
  WriteJob(std::string_view why, std::function<void(Txn&)>&& body, Catalog::WriteDone done)
      : why(why), own_body_(std::move(body)), done_later_(std::move(done)) {}
  WriteJob(const WriteJob&) = delete;

  const std::string_view why;

  void Run(Txn& txn) const { body_ ? (*body_)(txn) : own_body_(txn); }
  // The writer's side, called once, last: the caller may be gone right after.
  void Finish(std::exception_ptr failure);
  // The caller's side: blocks until Finish; rethrows what it was given.
  void Wait();

 private:
  // Constant after construction.
  const std::function<void(Txn&)>* const body_ = nullptr;
  const std::function<void(Txn&)> own_body_;
  const Catalog::WriteDone done_later_;

  std::mutex mu_;
  std::condition_variable finished_;
  bool done_ = false;           // guarded by mu_
  std::exception_ptr failure_;  // guarded by mu_
};

class WriteQueue {
 public:
  // How many of each lane one commit may carry: enough to share a sync among all request threads,
  // few enough that a control write never waits for more than a couple of milliseconds of bulk
  // bodies.
  static constexpr int kControlPerBatch = 256;
  static constexpr int kBulkPerBatch = 64;

  struct Batch {
    int control = 0, bulk = 0;  // taken so far
  };

  // Any thread. Throws kUnavailable after Close.
  void Push(std::shared_ptr<WriteJob> job, Lane lane);
  // Blocks until there is a job; false when the queue is closed and empty.
  bool WaitForJob();
  // The next job of a batch; null when the batch is complete. Does not block.
  std::shared_ptr<WriteJob> Take(Batch& batch);
  size_t size() const;
  // No more jobs; what is queued will still be taken.
  void Close();

 private:
  mutable std::mutex mu_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<WriteJob>> control_, bulk_;  // guarded by mu_
  bool closed_ = false;                                   // guarded by mu_
};

}  // namespace fireweed
