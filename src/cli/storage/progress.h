// What for: how far transfers have come, as a line that is rewritten a few times a second on a terminal, and the sums
//   for the end.
// Threads: the counters by any; the line is drawn by a thread of its own, which the destructor ends.
// May block: no, except the destructor.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "base/clock.h"

namespace fireweed::cli {

// "[##########----------]  51% 3/7 files, 512 MiB/1 GiB, 210 MiB/s, 2 s left". Pure.
struct ProgressState {
  int64_t files_done = 0, files_total = 0, bytes_done = 0, bytes_total = 0;
  double seconds = 0;     // since the start
  bool complete = false;  // the totals are final: everything has been listed
};
std::string ProgressLine(const ProgressState& state);

class Progress {
 public:
  // `draw`: on a terminal, and nobody said --quiet.
  Progress(const Clock& clock, bool draw);
  ~Progress();

  void Expect(int64_t bytes);  // one more file
  void Add(int64_t bytes);     // negative when a part has to be sent again
  void FileDone();
  void AllListed() { complete_ = true; }
  // A line of text that does not mix with the drawn one; standard error.
  void Say(const std::string& text);

  ProgressState state() const;

 private:
  void Draw();

  const Clock& clock_;
  const Time start_;
  const bool drawn_;
  std::atomic<int64_t> files_done_ = 0, files_total_ = 0, bytes_done_ = 0, bytes_total_ = 0;
  std::atomic<bool> complete_ = false;
  std::mutex mu_;
  std::condition_variable changed_;
  bool ended_ = false;  // guarded by mu_
  std::thread thread_;
};

}  // namespace fireweed::cli
