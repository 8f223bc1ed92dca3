// Runs what has to be tidied up now and then: once at the start, then every so often, one chore after another. Its
// thread ends with it. A chore that throws is logged and tried again the next time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"

namespace fireweed {

struct Chore {
  std::string name;
  std::function<void()> run;  // on the sweeper's thread; may block
};

class Sweeper {
 public:
  Sweeper(std::vector<Chore> chores, std::chrono::minutes every, Logger& log);
  ~Sweeper();

 private:
  void Run();
  void RunChores();

  const std::vector<Chore> chores_;
  const std::chrono::minutes every_;
  Logger& log_;
  std::mutex mu_;
  std::condition_variable changed_;
  bool stop_ = false;  // guarded by mu_
  std::thread thread_;
};

}  // namespace fireweed
