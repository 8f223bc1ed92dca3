#include "control/action_pool.h"

#include <exception>

namespace fireweed {
namespace {

// What it threw, if it did.
std::optional<std::string> RunAction(const std::function<void()>& action) {
  try {
    action();
    return std::nullopt;
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

ThreadActionPool::ThreadActionPool(int threads, ControlLoop& loop) : loop_(loop) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { RunThread(); });
}

ThreadActionPool::~ThreadActionPool() { Stop(); }

void ThreadActionPool::Stop() {
  {
    std::lock_guard lock(mu_);
    stop_ = true;
    queue_.clear();
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool ThreadActionPool::Submit(std::string_view kind, const Key& key, std::function<void()> action) {
  std::lock_guard lock(mu_);
  Address address(kind, key);
  if (stop_ || !busy_.insert(address).second) return false;
  queue_.emplace_back(std::move(address), std::move(action));
  changed_.notify_one();
  return true;
}

void ThreadActionPool::RunThread() {
  std::unique_lock lock(mu_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    if (stop_) return;
    auto [address, action] = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    std::optional<std::string> threw = RunAction(action);
    action = nullptr;
    lock.lock();
    busy_.erase(address);
    lock.unlock();
    loop_.ActionFinished(address.first, address.second, threw);
    lock.lock();
  }
}

bool QueuedActionPool::Submit(std::string_view kind, const Key& key, std::function<void()> action) {
  Address address(kind, key);
  if (!busy_.insert(address).second) return false;
  queue_.emplace_back(std::move(address), std::move(action));
  return true;
}

void QueuedActionPool::Run(size_t index) {
  auto [address, action] = std::move(queue_.at(index));
  queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(index));
  std::optional<std::string> threw = RunAction(action);
  busy_.erase(address);
  loop_.ActionFinished(address.first, address.second, threw);
}

}  // namespace fireweed
