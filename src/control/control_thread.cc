#include "control/control_thread.h"

#include <exception>

namespace fireweed {

ControlThread::ControlThread(ControlLoop& loop, ThreadActionPool& pool, Logger& logger)
    : loop_(loop), pool_(pool), logger_(logger), thread_([this] { Run(); }) {}

ControlThread::~ControlThread() {
  loop_.Interrupt();
  thread_.join();
  pool_.Stop();
}

void ControlThread::Run() {
  bool woken_all = false;
  std::optional<Time> next;
  do {
    if (!woken_all) woken_all = WakeAll();
    next = loop_.RunDue();
  } while (loop_.WaitForWork(next));
}

bool ControlThread::WakeAll() {
  try {
    loop_.WakeAll();
    return true;
  } catch (const std::exception& error) {
    logger_.Error("cannot read what to control", {{"error", error.what()}});
    return false;
  }
}

}  // namespace fireweed
