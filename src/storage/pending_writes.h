// Counts writes that were started and not waited for, so that their starter can outlive them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace fireweed::storage {

// Any thread. The destructor blocks until the last ticket is gone.
class PendingWrites {
 public:
  class Ticket {
   public:
    explicit Ticket(PendingWrites& home) : home_(&home) {
      std::lock_guard lock(home_->mu_);
      ++home_->count_;
    }
    ~Ticket() {
      // Told under the lock: right after it the other side may be gone.
      std::lock_guard lock(home_->mu_);
      if (--home_->count_ == 0) home_->none_.notify_all();
    }
    Ticket(const Ticket&) = delete;

   private:
    PendingWrites* const home_;
  };

  PendingWrites() = default;
  PendingWrites(const PendingWrites&) = delete;
  ~PendingWrites() {
    std::unique_lock lock(mu_);
    none_.wait(lock, [this] { return count_ == 0; });
  }

 private:
  std::mutex mu_;
  std::condition_variable none_;
  int64_t count_ = 0;  // guarded by mu_
};

}  // namespace fireweed::storage
