#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

// NOHOUSE(getenv): a child inherits the environment whole; nothing is read from it here.
extern char** environ;

namespace fireweed {
namespace {

constexpr size_t kLargestOutput = 16 << 20;

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoError(errno, "pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// What posix_spawn is to do in the child; released by its destructor.
class SpawnPlan {
 public:
  SpawnPlan(const ProgramSpec& spec, int in, int out, int err) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_adddup2(&actions_, in, 0);
    posix_spawn_file_actions_adddup2(&actions_, out, 1);
    posix_spawn_file_actions_adddup2(&actions_, err, 2);
    posix_spawn_file_actions_addclosefrom_np(&actions_, 3);
    if (!spec.directory.empty()) {
      posix_spawn_file_actions_addchdir_np(&actions_, spec.directory.c_str());
    }
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                               (spec.new_session ? POSIX_SPAWN_SETSID : 0));
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// A descriptor that becomes readable once `timeout` has passed.
Result<UniqueFd> MakeAlarm(Duration timeout) {
  UniqueFd alarm(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!alarm) return ErrnoError(errno, "timerfd_create");
  // All zeros would disarm it.
  int64_t nanos = std::max<int64_t>(timeout.count(), 1);
  itimerspec spec{.it_value = {.tv_sec = nanos / 1'000'000'000, .tv_nsec = nanos % 1'000'000'000}};
  if (timerfd_settime(alarm.get(), 0, &spec, nullptr) != 0) {
    return ErrnoError(errno, "timerfd_settime");
  }
  return alarm;
}

// Feeds the child and drains it until it has closed both outputs. One call at a time may block: poll.
class Conversation {
 public:
  Conversation(ChildProgram& child, std::string_view input) : child_(child), input_(input) {
    for (UniqueFd* end : {&child_.input, &child_.output, &child_.error}) {
      fcntl(end->get(), F_SETFL, O_NONBLOCK);
    }
    if (input_.empty()) child_.input.reset();
  }

  Result<> Run(int alarm) {
    while (child_.output || child_.error) {
      std::array<pollfd, 4> waits{{{child_.input ? child_.input.get() : -1, POLLOUT, 0},
                                   {child_.output ? child_.output.get() : -1, POLLIN, 0},
                                   {child_.error ? child_.error.get() : -1, POLLIN, 0},
                                   {alarm, POLLIN, 0}}};
      if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) {
        return ErrnoError(errno, "poll");
      }
      if (waits[3].revents) return Error{Code::kUnavailable, "", "took too long"};
      if (waits[0].revents) Feed();
      if (waits[1].revents) Drain(child_.output, output);
      if (waits[2].revents) Drain(child_.error, error);
      if (output.size() + error.size() > kLargestOutput) {
        return Error{Code::kTooLarge, "", "printed too much"};
      }
    }
    return Done{};
  }

  std::string output;
  std::string error;

 private:
  void Feed() {
    if (child_.Feed(input_) && !input_.empty()) return;
    if (input_.empty() || errno != EAGAIN) child_.input.reset();
  }
  static void Drain(UniqueFd& from, std::string& into) {
    char buffer[16384];
    ssize_t n = read(from.get(), buffer, sizeof buffer);
    if (n > 0) into.append(buffer, static_cast<size_t>(n));
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) from.reset();
  }

  ChildProgram& child_;
  std::string_view input_;
};

}  // namespace

int ShellExitCode(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

Result<ChildProgram> ChildProgram::Spawn(const ProgramSpec& spec) {
  if (spec.argv.empty()) return Error{Code::kInvalid, "", "no program to run"};
  Result<Pipe> in = MakePipe(), out = MakePipe(), err = MakePipe();
  for (const Result<Pipe>* made : {&in, &out, &err}) {
    if (!made->ok()) return made->error();
  }
  SpawnPlan plan(spec, in->read.get(), out->write.get(), err->write.get());
  std::vector<char*> argv = Pointers(spec.argv);
  std::vector<char*> environment;
  if (spec.environment) environment = Pointers(*spec.environment);
  ChildProgram child;
  int failed = posix_spawnp(&child.pid_, argv[0], plan.actions(), plan.attributes(), argv.data(),
                            // NOHOUSE(getenv): handed on, not read.
                            spec.environment ? environment.data() : environ);
  if (failed != 0) return ErrnoError(failed, fmt::format("cannot start {}", spec.argv[0]));
  child.pidfd_ = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, child.pid_, 0)));
  child.input = std::move(in->write);
  child.output = std::move(out->read);
  child.error = std::move(err->read);
  return child;
}

ChildProgram::ChildProgram(ChildProgram&& other) noexcept { *this = std::move(other); }

ChildProgram& ChildProgram::operator=(ChildProgram&& other) noexcept {
  std::swap(input, other.input);
  std::swap(output, other.output);
  std::swap(error, other.error);
  std::swap(pid_, other.pid_);
  std::swap(pidfd_, other.pidfd_);
  std::swap(exit_code_, other.exit_code_);
  return *this;
}

ChildProgram::~ChildProgram() {
  if (pid_ < 0 || exit_code_) return;
  Kill(SIGKILL);
  Wait();
}

bool ChildProgram::Feed(std::string_view& bytes) {
  sigset_t pipe_signal, before;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  ssize_t n;
  do {
    n = write(input.get(), bytes.data(), bytes.size());
  } while (n < 0 && errno == EINTR);
  int why = errno;
  if (n < 0 && why == EPIPE) {
    timespec at_once{};
    sigtimedwait(&pipe_signal, nullptr, &at_once);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = why;
  if (n <= 0) return false;
  bytes.remove_prefix(static_cast<size_t>(n));
  return true;
}

void ChildProgram::Kill(int signal) {
  // By descriptor: a reaped child's number may belong to someone else by now.
  if (pidfd_) syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, nullptr, 0);
}

int ChildProgram::Wait() {
  if (exit_code_) return *exit_code_;
  int status = 0;
  pid_t reaped;
  do {
    reaped = waitpid(pid_, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  if (reaped < 0) Abort(fmt::format("waitpid of our own child: {}", std::strerror(errno)));
  exit_code_ = ShellExitCode(status);
  return *exit_code_;
}

Result<ProgramOutcome> RunProgram(const ProgramSpec& spec, Duration timeout,
                                  std::string_view input) {
  Result<UniqueFd> alarm = MakeAlarm(timeout);
  if (!alarm.ok()) return alarm.error();
  Result<ChildProgram> child = ChildProgram::Spawn(spec);
  if (!child.ok()) return child.error();
  Conversation talk(*child, input);
  if (Result<> said = talk.Run(alarm->get()); !said.ok()) {
    return Error{said.error().code, "", fmt::format("{} {}", spec.argv[0], said.error().message)};
  }
  // The outputs are closed; the end is due now, unless it lingers on purpose.
  std::array<pollfd, 2> waits{{{child->pidfd(), POLLIN, 0}, {alarm->get(), POLLIN, 0}}};
  while (poll(waits.data(), waits.size(), -1) < 0 && errno == EINTR) {
  }
  if (!waits[0].revents) {
    return Error{Code::kUnavailable, "", fmt::format("{} took too long", spec.argv[0])};
  }
  return ProgramOutcome{child->Wait(), std::move(talk.output), std::move(talk.error)};
}

}  // namespace fireweed
