// What for: a few threads that do small jobs in any order, with a bounded queue in front.
// Threads: Add and Finish are for one thread. A job that throws Failure stops the rest; Add or Finish throws it on.
// Owns: the threads, joined by Finish or the destructor.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.h"

namespace fireweed {

class CopyCrew {
 public:
  CopyCrew();
  ~CopyCrew();
  CopyCrew(const CopyCrew&) = delete;
  CopyCrew& operator=(const CopyCrew&) = delete;

  void Add(std::function<void()> job);  // blocks while the queue is full
  void Finish();                        // all jobs done

 private:
  void Work();
  void Close();

  std::mutex mu_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;  // guarded by mu_
  std::optional<Error> failed_;              // guarded by mu_
  bool closed_ = false;                      // guarded by mu_
  std::vector<std::thread> threads_;
};

}  // namespace fireweed
