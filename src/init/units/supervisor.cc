#include "init/units/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <utility>

#include "init/console.h"
#include "init/descendants.h"
#include "init/program.h"
#include "init/units/service_process.h"

namespace fireweed {
namespace {

constexpr const char* kDirectory = "/run/fireweed-units";
constexpr int64_t kDefaultTimeoutMs = 90'000, kDefaultRestartMs = 100;
constexpr int64_t kPidFileMs = 5'000, kAfterKillMs = 2'000, kStepMs = 50;
constexpr int64_t kStartLimitMs = 10'000;
constexpr size_t kStartLimit = 5;

std::string PathOf(const std::string& name, const char* file) {
  return std::string(kDirectory) + "/" + name + "." + file;
}

int64_t NowMs() {
  timespec now{};
  // NOHOUSE(clock): nobody inside a machine could hand it a Clock
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

int64_t Span(const Unit& unit, const char* key, int64_t otherwise) {
  int64_t span = ParseTimeSpan(unit.file.Value(key)).value_or(otherwise);
  return span < 0 ? INT64_MAX / 2 : span;
}

std::string Meaning(int status) {
  if (WIFEXITED(status)) return "exit-code " + std::to_string(WEXITSTATUS(status));
  return std::string("signal ") + std::to_string(WTERMSIG(status));
}

bool IsClean(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0;
  int signal = WTERMSIG(status);
  return signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGPIPE;
}

int SignalNumber(const std::string& name) {
  for (const auto& [word, number] : std::map<std::string, int>{{"SIGINT", SIGINT},
                                                               {"SIGQUIT", SIGQUIT},
                                                               {"SIGKILL", SIGKILL},
                                                               {"SIGHUP", SIGHUP},
                                                               {"SIGWINCH", SIGWINCH},
                                                               {"SIGUSR1", SIGUSR1},
                                                               {"SIGUSR2", SIGUSR2}}) {
    if (name == word || "SIG" + name == word) return number;
  }
  return SIGTERM;
}

class Supervisor {
 public:
  Supervisor(Unit unit, int report) : unit_(std::move(unit)), report_(report) {
    state_.supervisor = getpid();
    type_ = unit_.file.Value("Service.Type", "simple");
    program_ = unit_.name.substr(0, unit_.name.rfind('.'));
  }

  int Run() {
    Prepare();
    std::vector<int64_t> starts;
    while (true) {
      starts.push_back(NowMs());
      std::string problem = Start();
      Report(problem);
      if (problem.empty()) AwaitEnd();
      bool restarts = !stop_ && Restarts(problem);
      Stop(problem);
      std::erase_if(starts, [](int64_t at) { return NowMs() - at > kStartLimitMs; });
      if (restarts && starts.size() >= kStartLimit) {
        SayOnConsole(program_, "start request repeated too quickly");
        failed_ = true;
        restarts = false;
      }
      if (!restarts) break;
      SetState("activating", "auto-restart");
      Pump(Span(unit_, "Service.RestartSec", kDefaultRestartMs), [&] { return stop_; });
      if (stop_) break;
    }
    SetState(failed_ ? "failed" : "inactive", failed_ ? "failed" : "dead");
    CopyRest();
    return 0;
  }

 private:
  void Prepare() {
    sigset_t watched;
    sigemptyset(&watched);
    for (int signal : {SIGCHLD, SIGTERM}) sigaddset(&watched, signal);
    sigprocmask(SIG_SETMASK, &watched, nullptr);
    signal(SIGPIPE, SIG_IGN);
    signals_ = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) _exit(1);
    output_ = ends[0];
    input_ = ends[1];
    fcntl(output_, F_SETFL, O_NONBLOCK);
    if (type_ == "notify") OpenNotify();
  }

  void OpenNotify() {
    mkdir("/run/systemd", 0755);
    notify_path_ = "/run/systemd/notify-" + program_;
    unlink(notify_path_.c_str());
    sockaddr_un at{.sun_family = AF_UNIX};
    notify_path_.resize(std::min(notify_path_.size(), sizeof at.sun_path - 1));
    std::memcpy(at.sun_path, notify_path_.c_str(), notify_path_.size() + 1);
    notify_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (bind(notify_, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) return;
    chmod(notify_path_.c_str(), 0777);
  }

  void SetState(const char* active, const char* sub) {
    state_.active = active;
    state_.sub = sub;
    // NOHOUSE(clock): nobody inside a machine could hand it a Clock
    int64_t now = time(nullptr);
    ReplaceFile(PathOf(unit_.name, "state"),
                state_.active + " " + state_.sub + " " + std::to_string(main_) + " " +
                    std::to_string(state_.supervisor) + " " + std::to_string(now) + " " +
                    state_.result + "\n",
                0644);
  }

  void Report(const std::string& problem) {
    if (report_ < 0) return;
    if (write(report_, problem.data(), problem.size()) < 0) SayOnConsole(program_, problem);
    close(std::exchange(report_, -1));
  }

  // Handles what comes until `done`, or for so long; true: done.
  bool Pump(int64_t milliseconds, const std::function<bool()>& done) {
    int64_t until = NowMs() + milliseconds;
    while (!done()) {
      int64_t left = until - NowMs();
      if (left <= 0) return false;
      pollfd waits[3] = {{signals_, POLLIN, 0}, {output_, POLLIN, 0}, {notify_, POLLIN, 0}};
      // Not only for signals: the end of a process that is another's child is not announced.
      poll(waits, 3, static_cast<int>(std::min(left, stepwise_ ? kStepMs : int64_t{60'000})));
      if (waits[1].revents) Copy();
      if (waits[2].revents) OnNotify();
      OnSignals();
    }
    return true;
  }

  void OnSignals() {
    signalfd_siginfo got{};
    while (read(signals_, &got, sizeof got) == sizeof got) {
      if (got.ssi_signo == SIGTERM) stop_ = true;
    }
    int status = 0;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) ends_[pid] = status;
  }

  bool Copy() {
    char buffer[8192];
    ssize_t n = read(output_, buffer, sizeof buffer);
    if (n <= 0) return false;
    for (const std::string& line : lines_.Add({buffer, static_cast<size_t>(n)})) {
      SayOnConsole(program_, line);
    }
    return true;
  }

  void CopyRest() {
    while (Copy()) {
    }
    for (const std::string& line : lines_.Finish()) SayOnConsole(program_, line);
  }

  void OnNotify() {
    char buffer[4096];
    ssize_t n = recv(notify_, buffer, sizeof buffer, 0);
    if (n <= 0) return;
    std::string text = "\n" + std::string(buffer, static_cast<size_t>(n)) + "\n";
    if (text.find("\nREADY=1\n") != text.npos) ready_ = true;
    size_t main = text.find("\nMAINPID=");
    if (main != text.npos) {
      std::from_chars(text.data() + main + 9, text.data() + text.size(), main_);
    }
  }

  std::vector<std::string> Environment() const {
    std::vector<std::string> more;
    if (main_ > 0) more.push_back("MAINPID=" + std::to_string(main_));
    if (!notify_path_.empty()) more.push_back("NOTIFY_SOCKET=" + notify_path_);
    return UnitEnvironment(unit_, more);
  }

  // Runs a command to its end; the problem, if it counts.
  std::string RunToEnd(const std::string& line, int64_t timeout) {
    std::optional<UnitCommand> command = ParseUnitCommand(line);
    if (!command) return "";
    Launched launched = LaunchUnitCommand(unit_, *command, Environment(), input_);
    std::string problem = launched.problem;
    if (launched.pid > 0) {
      bool ended = Pump(timeout, [&] { return ends_.contains(launched.pid); });
      if (!ended) {
        kill(launched.pid, SIGKILL);
        problem = "timeout";
      } else if (problem.empty() &&
                 !(WIFEXITED(ends_[launched.pid]) && WEXITSTATUS(ends_[launched.pid]) == 0)) {
        problem = Meaning(ends_[launched.pid]);
      }
    }
    if (problem.empty() || !command->failure_counts) return "";
    return command->program + ": " + problem;
  }

  std::string RunAll(const char* key, int64_t timeout) {
    for (const std::string& line : unit_.file.Values(key)) {
      if (std::string problem = RunToEnd(line, timeout); !problem.empty()) return problem;
    }
    return "";
  }

  // The problem; empty: it has started.
  std::string Start() {
    int64_t timeout = Span(unit_, "Service.TimeoutStartSec", kDefaultTimeoutMs);
    ends_.clear();
    main_ = 0;
    ready_ = failed_ = false;
    state_.result = "success";
    SetState("activating", "start");
    MakeUnitDirectories(unit_);
    std::string problem = RunAll("Service.ExecStartPre", timeout);
    if (problem.empty()) problem = StartMain(timeout);
    if (problem.empty()) problem = RunAll("Service.ExecStartPost", timeout);
    if (!problem.empty()) return problem;
    SetState("active", main_ > 0 ? "running" : "exited");
    return "";
  }

  std::string StartMain(int64_t timeout) {
    std::vector<std::string> lines = unit_.file.Values("Service.ExecStart");
    if (type_ == "oneshot") return RunAll("Service.ExecStart", timeout);
    std::optional<UnitCommand> command =
        lines.empty() ? std::nullopt : ParseUnitCommand(lines.front());
    if (!command) return "the unit has no ExecStart";
    if (type_ == "forking") {
      if (std::string problem = RunToEnd(lines.front(), timeout); !problem.empty()) return problem;
      return FindMain();
    }
    Launched launched = LaunchUnitCommand(unit_, *command, Environment(), input_);
    if (!launched.problem.empty()) return launched.problem;
    main_ = launched.pid;
    if (type_ != "notify") return "";
    bool came = Pump(timeout, [&] { return ready_ || stop_ || ends_.contains(main_); });
    if (ready_) return "";
    return came ? "ended before it was ready" : "timeout";
  }

  std::string FindMain() {
    std::string file = ExpandSpecifiers(unit_.file.Value("Service.PIDFile"), unit_.name, "");
    if (!file.empty()) {
      stepwise_ = true;
      Pump(kPidFileMs, [&] {
        std::string text =
            ReadSmallFile(file.starts_with('/') ? file : "/run/" + file).value_or("");
        std::from_chars(text.data(), text.data() + text.size(), main_);
        return main_ > 0;
      });
      stepwise_ = false;
    }
    OnSignals();
    std::vector<pid_t> children = ChildrenOf(getpid());
    if (main_ <= 0 && !children.empty()) main_ = children.front();
    bool stays = unit_.file.Flag("Service.RemainAfterExit");
    return main_ > 0 || stays ? "" : "no process is left after the start";
  }

  void AwaitEnd() {
    bool remains = unit_.file.Flag("Service.RemainAfterExit");
    if (main_ <= 0 && !remains) return;
    while (!stop_) {
      Pump(INT64_MAX / 4, [&] { return stop_ || (main_ > 0 && ends_.contains(main_)); });
      if (stop_ || !remains) return;
      main_ = 0;
      SetState("active", "exited");
    }
  }

  bool Restarts(const std::string& problem) {
    std::string policy = unit_.file.Value("Service.Restart", "no");
    int status = problem.empty() ? 0 : 1 << 8;
    if (auto end = ends_.find(main_); end != ends_.end()) status = end->second;
    if (!problem.empty() || !IsClean(status)) {
      failed_ = true;
      state_.result = problem.empty() ? Meaning(status) : problem;
      SayOnConsole(program_, "failed: " + state_.result);
    }
    return RestartsAfter(policy, status);
  }

  void Stop(const std::string& problem) {
    int64_t timeout = Span(unit_, "Service.TimeoutStopSec", kDefaultTimeoutMs);
    SetState("deactivating", "stop");
    if (problem.empty() && stop_) RunAll("Service.ExecStop", timeout);
    KillRest(timeout);
    RunAll("Service.ExecStopPost", timeout);
    main_ = 0;
  }

  void KillRest(int64_t timeout) {
    std::string mode = unit_.file.Value("Service.KillMode", "control-group");
    if (mode == "none") return;
    bool only_main = mode == "process";
    int signal = SignalNumber(unit_.file.Value("Service.KillSignal", "SIGTERM"));
    auto targets = [&] {
      if (!only_main) return DescendantsOf(getpid());
      bool runs = main_ > 0 && !ends_.contains(main_) && kill(main_, 0) == 0;
      return runs ? std::vector<pid_t>{main_} : std::vector<pid_t>{};
    };
    auto gone = [&] { return targets().empty(); };
    stepwise_ = true;
    for (pid_t pid : targets()) {
      kill(pid, mode == "mixed" && pid != main_ ? SIGKILL : signal);
      kill(pid, SIGCONT);
    }
    if (!Pump(timeout, gone)) {
      for (pid_t pid : targets()) kill(pid, SIGKILL);
      Pump(kAfterKillMs, gone);
    }
    stepwise_ = false;
  }

  Unit unit_;
  std::string type_, program_, notify_path_;
  UnitState state_;
  std::map<pid_t, int> ends_;  // of children, as waitpid(2) gives them
  LineCutter lines_;
  int report_;
  int signals_ = -1, output_ = -1, input_ = -1, notify_ = -1;
  pid_t main_ = 0;
  bool stop_ = false, ready_ = false, failed_ = false;
  bool stepwise_ = false;  // conditions are looked at again without a signal
};

// Held by a supervisor for its life. -1: another has it.
int TakeLock(const std::string& name, bool wait) {
  mkdir(kDirectory, 0755);
  int fd = open(PathOf(name, "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0 && flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

// In a grandchild, which process 1 adopts: nothing of the caller's session stays.
[[noreturn]] void BecomeSupervisor(const Unit& unit, int report, int lock) {
  setsid();
  if (fork() != 0) _exit(0);
  int null = open("/dev/null", O_RDWR | O_CLOEXEC),
      console = open("/proc/1/fd/1", O_WRONLY | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(console < 0 ? null : console, STDOUT_FILENO);
  dup2(console < 0 ? null : console, STDERR_FILENO);
  for (int fd = STDERR_FILENO + 1; fd < 1024; ++fd) {
    if (fd != report && fd != lock) close(fd);
  }
  if (chdir("/") != 0) _exit(1);
  umask(022);
  _exit(Supervisor(unit, report).Run());
}

}  // namespace

bool RestartsAfter(const std::string& policy, int status) {
  if (policy == "always") return true;
  if (policy == "on-success") return IsClean(status);
  if (policy == "on-failure") return !IsClean(status);
  if (policy == "on-abnormal" || policy == "on-abort")
    return !WIFEXITED(status) && !IsClean(status);
  return false;
}

UnitState ReadUnitState(const std::string& name) {
  UnitState state;
  std::string text = ReadSmallFile(PathOf(name, "state")).value_or("");
  std::vector<std::string> words = SplitWords(text.substr(0, text.find('\n')));
  if (words.size() < 6) return state;
  state.active = words[0];
  state.sub = words[1];
  auto number = [](const std::string& word, int64_t& out) {
    std::from_chars(word.data(), word.data() + word.size(), out);
  };
  number(words[2], state.main_pid);
  number(words[3], state.supervisor);
  number(words[4], state.since);
  state.result = words[5] + (words.size() > 6 ? " " + words[6] : "");
  return state;
}

std::string StartUnit(const Unit& unit) {
  int lock = TakeLock(unit.name, false);
  if (lock < 0) return ReadUnitState(unit.name).active == "failed" ? "the service has failed" : "";
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::strerror(errno);
  pid_t pid = fork();
  if (pid == 0) BecomeSupervisor(unit, ends[1], lock);
  close(ends[1]);
  close(lock);
  while (pid > 0 && waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  std::string problem;
  char buffer[1024];
  ssize_t n;
  while ((n = read(ends[0], buffer, sizeof buffer)) > 0)
    problem.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  return problem;
}

std::string StopUnit(const std::string& name) {
  int lock = TakeLock(name, false);
  if (lock < 0) {
    UnitState state = ReadUnitState(name);
    if (state.supervisor > 1) kill(static_cast<pid_t>(state.supervisor), SIGTERM);
    lock = TakeLock(name, true);
  }
  if (lock < 0) return std::strerror(errno);
  // A unit that is stopped by hand has not failed.
  if (ReadUnitState(name).active == "failed") unlink(PathOf(name, "state").c_str());
  close(lock);
  return "";
}

std::string ReloadUnit(const Unit& unit) {
  UnitState state = ReadUnitState(unit.name);
  if (state.active != "active") return "the service is not active";
  std::vector<std::string> lines = unit.file.Values("Service.ExecReload");
  if (lines.empty()) return "the service cannot be reloaded: it has no ExecReload";
  std::vector<std::string> environment =
      UnitEnvironment(unit, {"MAINPID=" + std::to_string(state.main_pid)});
  for (const std::string& line : lines) {
    std::optional<UnitCommand> command = ParseUnitCommand(line);
    if (!command) continue;
    Launched launched = LaunchUnitCommand(unit, *command, environment, STDERR_FILENO);
    int status = 0;
    while (launched.pid > 0 && waitpid(launched.pid, &status, 0) < 0 && errno == EINTR) {
    }
    if ((!launched.problem.empty() || status != 0) && command->failure_counts) {
      return command->program + ": " +
             (launched.problem.empty() ? Meaning(status) : launched.problem);
    }
  }
  return "";
}

}  // namespace fireweed
