// Reads stored bytes and compares them with their checksums, slowly, once a day. Its thread ends with it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/log.h"
#include "storage/scrub.h"

namespace fireweed {

class Scrubber {
 public:
  // `mb_per_second` 0: never. `scrub` outlives it.
  Scrubber(storage::Scrub& scrub, int mb_per_second, Logger& log);
  ~Scrubber();

 private:
  void Run();
  void PassOnce();
  // Waits as long as reading so many bytes should have taken. False: it is time to end.
  bool Pace(int64_t bytes);

  storage::Scrub& scrub_;
  const int mb_per_second_;
  Logger& log_;
  std::mutex mu_;
  std::condition_variable changed_;
  bool stop_ = false;  // guarded by mu_
  std::thread thread_;
};

}  // namespace fireweed
