// What for: one I/O thread: its event loop, and coarse deadlines for everything that waits there.
// Threads: Post from any thread; everything else on the loop's own.
// Deadlines count ticks and not the clock: setting one is a store, and one timer serves all
// sessions of the loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "net/asio_fwd.h"

namespace fireweed::net {

using Tick = int64_t;
inline constexpr Tick kNever = std::numeric_limits<Tick>::max();
inline constexpr std::chrono::milliseconds kTickLength{50};

// Something that gives up at a tick. Lives in the loop's list while it exists.
class IoLoop;
class Deadline {
 public:
  explicit Deadline(IoLoop& loop);
  virtual ~Deadline();
  Deadline(const Deadline&) = delete;

 protected:
  // The tick has passed; called once, with `at` reset to kNever.
  virtual void Expire() = 0;
  Tick at = kNever;

 private:
  friend class IoLoop;
  IoLoop& loop_;
  size_t index_ = 0;  // in the loop's list
};

class IoLoop {
 public:
  IoLoop();
  // Joins; nothing may be left on the loop.
  ~IoLoop();
  IoLoop(const IoLoop&) = delete;

  boost::asio::io_context& context();
  void Post(std::function<void()> job);
  // The tick at which `wait` has surely passed.
  Tick After(std::chrono::milliseconds wait) const { return now_ + wait / kTickLength + 1; }

  // The loop looks for events so many times, half a microsecond each, before it sleeps again: on a virtual machine with idle
  // cores being woken costs a hundred of them. False: no core is to spare, since other loops of this process already do so.
  bool StayAwake(int looks);
  bool awake() const { return looks_left_ > 0; }
  void Rest() { looks_left_ = 0; }

 private:
  friend class Deadline;
  struct State;
  void LookAgain();
  void StartTicking();
  void OnTick();

  Tick now_ = 0;
  bool ticking_ = false;
  bool looking_ = false;
  int looks_left_ = 0;
  std::vector<Deadline*> deadlines_;
  std::unique_ptr<State> state_;
};

// A flag that a coroutine of the loop waits for. All calls on the loop's thread; one waiter at a
// time.
class Event {
 public:
  explicit Event(IoLoop& loop);
  ~Event();

  void Signal();
  // Returns at the next Signal, or at once when one came since the last wait.
  Task<void> Wait();
  // The same with a limit; false when it passed first.
  Task<bool> WaitFor(std::chrono::milliseconds limit);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fireweed::net
