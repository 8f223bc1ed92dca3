#include "init/machine_init.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <string_view>

#include "init/accounts.h"
#include "init/console.h"
#include "init/descendants.h"
#include "init/program.h"
#include "init/protocol.h"
#include "init/ssh_door.h"
#include "init/units/systemctl.h"
#include "init/workload.h"

namespace fireweed {
namespace {

// From TERM to KILL, and for the shutdown scripts, when nobody outside counts the time.
constexpr int kOwnGraceSeconds = 90;
// Between two rounds of killing, and how many there are: the processes of fireweed-init have so long for last lines.
constexpr int kKillRoundMs = 20, kMaxKillRounds = 75;

// Connections by ssh at a time. Each is a server of its own; neighbours must not fill the machine with them.
constexpr size_t kMostSshServers = 100;

class Init {
 public:
  explicit Init(const InitSettings& settings) : settings_(settings) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before_);
    signals_ = signalfd(-1, &all, SFD_CLOEXEC);
    timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    if (!settings_.whole_machine) prctl(PR_SET_CHILD_SUBREAPER, 1);
  }

  int Run() {
    if (settings_.workload) return RunWorkload();
    SayOnConsole("fireweed-init", "machine is up");
    StartScripts("startup");
    if (settings_.whole_machine) Fork([] { return StartEnabledUnits(); });
    OpenDoor();
    while (phase_ != Phase::kGone) {
      pollfd waits[3] = {{signals_, POLLIN, 0}, {timer_, POLLIN, 0}, {door_, POLLIN, 0}};
      if (poll(waits, 3, -1) < 0) continue;
      if (waits[0].revents) OnSignal();
      if (waits[1].revents) OnTimer();
      if (waits[2].revents && door_ >= 0) OnConnection();
    }
    SayOnConsole("fireweed-init", ending_ == kExitReboot ? "rebooting" : "powering off");
    sync();
    return ending_;
  }

 private:
  enum class Phase { kRunning, kDelayed, kScripts, kTerminating, kKilling, kGone };

  int RunWorkload() {
    WorkloadRun run(*settings_.workload, settings_.environment);
    workload_ = run.Start(before_);
    if (workload_ < 0) return kExitCannotRun;
    while (phase_ != Phase::kGone) {
      pollfd waits[4] = {{signals_, POLLIN, 0},
                         {timer_, POLLIN, 0},
                         {run.output(), POLLIN, 0},
                         {run.error(), POLLIN, 0}};
      if (poll(waits, 4, -1) < 0) continue;
      if (waits[2].revents || waits[3].revents) run.Copy();
      if (waits[1].revents) OnTimer();
      if (waits[0].revents) OnSignal();
    }
    run.Drain();
    return workload_code_;
  }

  // Programs that the workload started end with it, before the rest of their lines is copied.
  void OnWorkloadEnd(int status) {
    workload_ = -1;
    workload_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    KillAll();
  }

  void OnSignal() {
    signalfd_siginfo got{};
    if (read(signals_, &got, sizeof got) != sizeof got) return;
    int signal = static_cast<int>(got.ssi_signo);
    if (signal == SIGCHLD) return Reap();
    if (signal == CancelSignal()) return Cancel();
    if (signal == KillSignal()) return OnKillOrder(got);
    bool reboots = signal == RebootSignal();
    // USR1 and USR2 are what the small images' own halt and poweroff send.
    bool asks = reboots || signal == OffSignal() || signal == OffSignal() - 1 ||
                signal == SIGTERM || signal == SIGPWR || signal == SIGINT || signal == SIGUSR1 ||
                signal == SIGUSR2;
    if (!asks || phase_ > Phase::kDelayed) return;
    // A sender without a number is in no namespace of ours: the host.
    bool outside = got.ssi_pid == 0 || (!settings_.whole_machine && signal == SIGTERM);
    int minutes = got.ssi_code == SI_QUEUE && !outside ? got.ssi_int : 0;
    ending_ = reboots ? kExitReboot : outside ? kExitOffFromOutside : kExitOff;
    SayOnConsole("fireweed-init", std::string(reboots ? "reboot" : "power off") +
                                      " asked for from " + (outside ? "outside" : "inside"));
    if (minutes > 0) {
      phase_ = Phase::kDelayed;
      return SetTimer(minutes * 60);
    }
    GoDown();
  }

  // Plain processes live in the host's network and with its accounts: no door for those.
  void OpenDoor() {
    if (!settings_.whole_machine || !settings_.scripts) return;
    door_ = OpenSshDoor();
    Fork([this] { return PrepareSsh(settings_.scripts->metadata); });
  }

  void OnConnection() {
    int connection = accept4(door_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return;
    if (phase_ < Phase::kTerminating && ssh_.size() < kMostSshServers) {
      pid_t pid = Fork([&] { return ServeSsh(connection, settings_.scripts->metadata); });
      if (pid > 0) ssh_.insert(pid);
    }
    close(connection);
  }

  void Cancel() {
    if (phase_ != Phase::kDelayed) return;
    phase_ = Phase::kRunning;
    SetTimer(0);
    SayOnConsole("fireweed-init", "shutdown cancelled");
  }

  void OnTimer() {
    uint64_t times;
    if (read(timer_, &times, sizeof times) != sizeof times) return;
    if (phase_ == Phase::kDelayed) return GoDown();
    if (phase_ == Phase::kKilling) return KillRound();
    EndGrace();
  }

  void EndGrace() {
    if (!settings_.workload) {
      SayOnConsole("fireweed-init", "grace is used up, killing what is left");
    }
    KillAll();
  }

  // The shim sends it plainly, `poweroff -f` with a value.
  void OnKillOrder(const signalfd_siginfo& got) {
    if (phase_ >= Phase::kKilling) return;
    if (got.ssi_code != SI_QUEUE) return EndGrace();
    ending_ = got.ssi_int == kForcedReboot ? kExitReboot : kExitOff;
    KillAll();
  }

  // Kills every program, and waits for the processes of fireweed-init, which copy the last lines and exit.
  void KillAll() {
    phase_ = Phase::kKilling;
    kill_rounds_ = 0;
    KillRound();
  }

  void KillRound() {
    if (++kill_rounds_ > kMaxKillRounds) {
      SignalAll(SIGKILL);
      KillDescendants();
      phase_ = Phase::kGone;
      return;
    }
    for (pid_t pid : settings_.whole_machine ? AllProcesses() : DescendantsOf(getpid())) {
      kill(pid, IsOwnProgram(pid) ? SIGTERM : SIGKILL);
    }
    SetTimer(0, kKillRoundMs);
    Reap();
  }

  // Whoever asked from outside counts the time and kills process 1 when it is up; inside, this side does.
  void GoDown() {
    if (settings_.workload) return Terminate();
    SetTimer(ending_ == kExitOffFromOutside ? 0 : kOwnGraceSeconds);
    phase_ = Phase::kScripts;
    shutdown_ = StartScripts("shutdown");
    if (shutdown_ < 0) Terminate();
  }

  void Terminate() {
    phase_ = Phase::kTerminating;
    SignalAll(SIGTERM);
    SignalAll(SIGCONT);  // a stopped process would not see the TERM
    Reap();
  }

  void Reap() {
    pid_t pid;
    int status = 0;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
      if (pid == workload_) return OnWorkloadEnd(status);
      ssh_.erase(pid);
      if (pid == shutdown_) {
        shutdown_ = -1;
        if (phase_ == Phase::kScripts) Terminate();
      }
    }
    bool ending = phase_ == Phase::kTerminating || phase_ == Phase::kKilling;
    if (pid < 0 && errno == ECHILD && ending) phase_ = Phase::kGone;
  }

  // Never kill(-1) outside a pid namespace: it would reach every process of the user.
  void SignalAll(int signal) {
    if (settings_.whole_machine) {
      kill(-1, signal);
    } else {
      SignalDescendants(signal);
    }
  }

  pid_t StartScripts(const char* which) {
    if (!settings_.scripts) return -1;
    // Scripts say `sudo -u USER`: the accounts of the metadata come first.
    bool accounts = settings_.whole_machine && std::string_view(which) == "startup";
    return Fork([&] {
      if (accounts) PrepareAccounts(settings_.scripts->metadata);
      return RunScripts(which, *settings_.scripts);
    });
  }

  template <class Work>
  pid_t Fork(Work work) {
    pid_t pid = fork();
    if (pid != 0) return pid;
    setpgid(0, 0);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    _exit(work());
  }

  void SetTimer(int seconds, int milliseconds = 0) {
    itimerspec spec{.it_value = {.tv_sec = seconds, .tv_nsec = milliseconds * 1'000'000L}};
    timerfd_settime(timer_, 0, &spec, nullptr);
  }

  const InitSettings& settings_;
  sigset_t before_;
  int signals_ = -1;
  int timer_ = -1;
  int door_ = -1;        // port 22; -1: closed
  std::set<pid_t> ssh_;  // servers of ssh that run
  pid_t shutdown_ = -1;
  pid_t workload_ = -1;
  int workload_code_ = kExitCannotRun;
  Phase phase_ = Phase::kRunning;
  int kill_rounds_ = 0;
  int ending_ = kExitOff;
};

}  // namespace

int RunInit(const InitSettings& settings) { return Init(settings).Run(); }

}  // namespace fireweed
