#include "net/io_loop.h"

#include <signal.h>

#include <atomic>
#include <thread>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace fireweed::net {

namespace asio = boost::asio;

namespace {

// Loops of this process that look for events. One core is always left to those they wait for.
std::atomic<int> awake_loops{0};

bool TakeCore() {
  static const int spare = static_cast<int>(std::thread::hardware_concurrency()) - 1;
  if (awake_loops.fetch_add(1, std::memory_order_relaxed) < spare) return true;
  awake_loops.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

}  // namespace

Deadline::Deadline(IoLoop& loop) : loop_(loop), index_(loop.deadlines_.size()) {
  loop.deadlines_.push_back(this);
  loop.StartTicking();
}

Deadline::~Deadline() {
  loop_.deadlines_[index_] = loop_.deadlines_.back();
  loop_.deadlines_[index_]->index_ = index_;
  loop_.deadlines_.pop_back();
}

struct IoLoop::State {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  asio::steady_timer timer{context};
  std::thread thread;
};

IoLoop::IoLoop() : state_(std::make_unique<State>()) {
  state_->thread = std::thread([this] {
    // sendfile(2) to a client that went away raises SIGPIPE and has no flag against it.
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    state_->context.run();
  });
}

IoLoop::~IoLoop() {
  state_->work.reset();
  Post([this] {
    if (deadlines_.empty()) state_->timer.cancel();
  });
  state_->thread.join();
}

asio::io_context& IoLoop::context() { return state_->context; }

void IoLoop::Post(std::function<void()> job) { asio::post(state_->context, std::move(job)); }

void IoLoop::StartTicking() {
  if (ticking_) return;
  ticking_ = true;
  state_->timer.expires_after(kTickLength);
  state_->timer.async_wait([this](boost::system::error_code error) {
    ticking_ = false;
    if (!error) OnTick();
  });
}

void IoLoop::OnTick() {
  ++now_;
  // Expire only cancels operations, whose handlers run later: the list stays as it is meanwhile.
  for (Deadline* deadline : deadlines_) {
    if (deadline->at > now_) continue;
    deadline->at = kNever;
    deadline->Expire();
  }
  if (!deadlines_.empty()) StartTicking();
}

bool IoLoop::StayAwake(int looks) {
  if (!looking_ && !TakeCore()) return false;
  looks_left_ = looks;
  if (!std::exchange(looking_, true)) LookAgain();
  return true;
}

// A loop with a job at hand asks for events without waiting for them, before each job.
void IoLoop::LookAgain() {
  if (looks_left_ > 0) {
    --looks_left_;
    asio::post(state_->context, [this] { LookAgain(); });
  } else {
    looking_ = false;
    awake_loops.fetch_sub(1, std::memory_order_relaxed);
  }
}

struct Event::State {
  explicit State(IoLoop& loop) : timer(loop.context()) {}
  asio::steady_timer timer;
  bool signalled = false;
};

Event::Event(IoLoop& loop) : state_(std::make_unique<State>(loop)) {}
Event::~Event() = default;

void Event::Signal() {
  state_->signalled = true;
  state_->timer.cancel();
}

Task<void> Event::Wait() {
  constexpr auto token = asio::as_tuple(asio::use_awaitable);
  while (!state_->signalled) {
    state_->timer.expires_at(asio::steady_timer::time_point::max());
    co_await state_->timer.async_wait(token);
  }
  state_->signalled = false;
}

Task<bool> Event::WaitFor(std::chrono::milliseconds limit) {
  constexpr auto token = asio::as_tuple(asio::use_awaitable);
  if (!state_->signalled) {
    state_->timer.expires_after(limit);
    co_await state_->timer.async_wait(token);
  }
  bool signalled = state_->signalled;
  state_->signalled = false;
  co_return signalled;
}

}  // namespace fireweed::net
