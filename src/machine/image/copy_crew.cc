#include "machine/image/copy_crew.h"

#include <algorithm>

namespace fireweed {
namespace {

constexpr size_t kMostQueued = 256;
constexpr unsigned kMostThreads = 4;  // more only wait for the same disk

}  // namespace

CopyCrew::CopyCrew() {
  unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1u, kMostThreads);
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
}

CopyCrew::~CopyCrew() {
  {
    std::lock_guard lock(mu_);
    queue_.clear();
  }
  Close();
}

void CopyCrew::Close() {
  {
    std::lock_guard lock(mu_);
    closed_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void CopyCrew::Add(std::function<void()> job) {
  std::unique_lock lock(mu_);
  changed_.wait(lock, [&] { return failed_ || queue_.size() < kMostQueued; });
  if (failed_) throw Failure(*failed_);
  queue_.push_back(std::move(job));
  lock.unlock();
  changed_.notify_all();
}

void CopyCrew::Finish() {
  Close();
  if (failed_) throw Failure(*failed_);
}

void CopyCrew::Work() {
  while (true) {
    std::function<void()> job;
    {
      std::unique_lock lock(mu_);
      changed_.wait(lock, [&] { return closed_ || !queue_.empty(); });
      if (queue_.empty()) return;
      job = std::move(queue_.front());
      queue_.pop_front();
    }
    changed_.notify_all();
    try {
      job();
    } catch (const Failure& failure) {
      std::lock_guard lock(mu_);
      if (!failed_) failed_ = failure.error();
      queue_.clear();
    }
  }
}

}  // namespace fireweed
