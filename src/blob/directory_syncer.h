// What for: many writers that finish at once in one directory share its sync. A sync serves everyone
//   who arrived before it started.
// Who calls: any thread.
// May block: yes, for at most the sync that is running and the one after it.
// Owns: nothing on disk. The Disk outlives it.
// A failure: the error of the sync that served the caller; nobody tries again on its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "base/disk.h"

namespace fireweed {

class DirectorySyncer {
 public:
  explicit DirectorySyncer(Disk& disk) : disk_(disk) {}

  Result<> Sync(const std::string& directory);

 private:
  struct Round {
    int waiting = 0;
    bool done = false;
    Result<> outcome = Done{};
  };
  struct Progress {
    int64_t started = 0;  // number of the newest round; rounds of one directory run one by one
    bool running = false;
    std::map<int64_t, Round> rounds;  // those that someone waits for
    std::condition_variable changed;
  };

  Disk& disk_;
  std::mutex mu_;
  std::map<std::string, Progress> directories_;  // guarded by mu_; entries stay
};

}  // namespace fireweed
