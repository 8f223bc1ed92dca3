// Removes bytes that no object refers to: once at the start, then every so often. Its thread ends with it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/log.h"
#include "storage/service.h"

namespace fireweed {

class Sweeper {
 public:
  Sweeper(storage::StorageService& storage, std::chrono::minutes every, Logger& log);
  ~Sweeper();

 private:
  void Run();
  void SweepOnce();

  storage::StorageService& storage_;
  const std::chrono::minutes every_;
  Logger& log_;
  std::mutex mu_;
  std::condition_variable changed_;
  bool stop_ = false;  // guarded by mu_
  std::thread thread_;
};

}  // namespace fireweed
