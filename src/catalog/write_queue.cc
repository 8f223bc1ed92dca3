#include "catalog/write_queue.h"

namespace fireweed {

void WriteJob::Finish(std::exception_ptr failure) {
  if (done_later_) {
    done_later_(std::move(failure));
    return;
  }
  std::lock_guard lock(mu_);
  failure_ = std::move(failure);
  done_ = true;
  finished_.notify_one();
}

void WriteJob::Wait() {
  std::unique_lock lock(mu_);
  finished_.wait(lock, [this] { return done_; });
  if (failure_) std::rethrow_exception(std::move(failure_));
}

void WriteQueue::Push(std::shared_ptr<WriteJob> job, Lane lane) {
  std::lock_guard lock(mu_);
  if (closed_) throw Failure(Code::kUnavailable, "The catalog is closing.");
  (lane == Lane::kControl ? control_ : bulk_).push_back(std::move(job));
  changed_.notify_one();
}

bool WriteQueue::WaitForJob() {
  std::unique_lock lock(mu_);
  changed_.wait(lock, [this] { return closed_ || !control_.empty() || !bulk_.empty(); });
  return !control_.empty() || !bulk_.empty();
}

std::shared_ptr<WriteJob> WriteQueue::Take(Batch& batch) {
  std::lock_guard lock(mu_);
  std::deque<std::shared_ptr<WriteJob>>* lane = nullptr;
  if (!control_.empty() && batch.control < kControlPerBatch) {
    lane = &control_;
    ++batch.control;
  } else if (!bulk_.empty() && batch.bulk < kBulkPerBatch) {
    lane = &bulk_;
    ++batch.bulk;
  } else {
    return nullptr;
  }
  std::shared_ptr<WriteJob> job = std::move(lane->front());
  lane->pop_front();
  return job;
}

size_t WriteQueue::size() const {
  std::lock_guard lock(mu_);
  return control_.size() + bulk_.size();
}

void WriteQueue::Close() {
  std::lock_guard lock(mu_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace fireweed
