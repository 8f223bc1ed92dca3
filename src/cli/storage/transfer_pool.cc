#include "cli/storage/transfer_pool.h"

namespace fireweed::cli {

TransferPool::TransferPool(Options options, StopSignal& stop)
    : options_(std::move(options)), stop_(stop) {
  for (int i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { Serve(); });
}

TransferPool::~TransferPool() {
  {
    std::lock_guard lock(mu_);
    ended_ = true;
    queue_.clear();
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

bool TransferPool::Add(std::function<void()> work) {
  const size_t limit = threads_.size() * 4;
  std::unique_lock lock(mu_);
  changed_.wait(lock, [&] { return broken_ || queue_.size() < limit; });
  if (broken_) return false;
  queue_.push_back(std::move(work));
  changed_.notify_all();
  return true;
}

int64_t TransferPool::Finish() {
  std::unique_lock lock(mu_);
  changed_.wait(lock, [&] { return queue_.empty() && running_ == 0; });
  return failures_;
}

void TransferPool::Serve() {
  while (true) {
    std::function<void()> work;
    {
      std::unique_lock lock(mu_);
      changed_.wait(lock, [&] { return ended_ || !queue_.empty(); });
      if (queue_.empty()) return;
      work = std::move(queue_.front());
      queue_.pop_front();
      ++running_;
      changed_.notify_all();
    }
    try {
      work();
    } catch (const Failure& failure) {
      Fail(failure.error());
    } catch (const std::exception& error) {
      Fail({Code::kInternal, "", error.what()});
    }
    std::lock_guard lock(mu_);
    --running_;
    changed_.notify_all();
  }
}

void TransferPool::Fail(const Error& error) {
  std::lock_guard lock(mu_);
  ++failures_;
  // Those that stop because another one failed have nothing to tell.
  if (!broken_ && options_.on_failure) options_.on_failure(error);
  if (options_.continue_on_error) return;
  broken_ = true;
  queue_.clear();
  stop_.Stop();
}

}  // namespace fireweed::cli
