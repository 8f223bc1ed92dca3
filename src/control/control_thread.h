// The control thread of a running program. Made last, after every controller, and so gone first:
// when its destructor returns, no controller and no action runs any more.
#pragma once

#include <thread>

#include "control/action_pool.h"
#include "control/control_loop.h"

namespace fireweed {

class ControlThread {
 public:
  // Looks at everything once (WakeAll), then runs what is due until it is destroyed.
  ControlThread(ControlLoop& loop, ThreadActionPool& pool, Logger& logger);
  ~ControlThread();
  ControlThread(const ControlThread&) = delete;
  ControlThread& operator=(const ControlThread&) = delete;

 private:
  void Run();
  bool WakeAll();

  ControlLoop& loop_;
  ThreadActionPool& pool_;
  Logger& logger_;
  std::thread thread_;
};

}  // namespace fireweed
