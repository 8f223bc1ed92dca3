#include "machine/shim/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <optional>
#include <utility>
#include <vector>

#include "init/descendants.h"
#include "init/protocol.h"
#include "machine/shim/complain.h"
#include "machine/shim/console_log.h"
#include "machine/shim/live_volume.h"
#include "machine/shim/machine_view.h"
#include "machine/shim/memory_watch.h"
#include "machine/shim/root_mount.h"
#include "machine/shim/small_file.h"

namespace fireweed {
namespace {

constexpr const char* kRuntimeLog = "runtime.log";
constexpr const char* kPidFile = "pid";
// After the grace of a stop, for process 1 to copy the last lines of its programs to the console.
constexpr int64_t kLastLinesMs = 2000;
// The kernel notifies before it counts a kill: how often and how many times the count is read again.
constexpr int kRecountMs = 50, kMaxRecounts = 20;

// Whether that process blocks `signal`, as fireweed-init does, which reads signals from a descriptor.
bool Blocks(pid_t pid, int signal) {
  std::string status = ReadSmallFile(("/proc/" + std::to_string(pid) + "/status").c_str());
  constexpr std::string_view kKey = "SigBlk:\t";
  size_t at = status.find(kKey);
  uint64_t mask = 0;
  if (at != status.npos) {
    std::from_chars(status.data() + at + kKey.size(), status.data() + status.size(), mask, 16);
  }
  return mask >> (signal - 1) & 1;
}

std::string MemoryLine(int64_t kills, std::optional<int64_t> limit) {
  // NOHOUSE(clock): the shim has nobody who could hand it a Clock
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char when[32];
  std::string line(when, std::strftime(when, sizeof when, "%b %e %H:%M:%S", &parts));
  line += " kernel: Out of memory: killed " + std::to_string(kills);
  line += kills == 1 ? " process" : " processes";
  if (limit) line += "; the memory limit of " + std::to_string(*limit >> 20) + " MiB is used up";
  return line + ". A larger machine type has more memory.\n";
}

// Held until this process ends, and never by its children; who asks for the lock learns the holder's pid.
void TakeLock() {
  int fd = open("lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (fd < 0 || fcntl(fd, F_SETLK, &whole) != 0) FailSaying("another keeper has this machine");
}

void WriteSetting(const char* path, const char* value) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;  // a kernel without it
  if (write(fd, value, strlen(value)) < 0) Fail(path);
  close(fd);
}

// An empty network for the machine, owned by the host: root inside can neither change addresses nor forge packets, so
// what it would need a capability for is opened by settings instead.
void EnterOwnNetwork() {
  if (unshare(CLONE_NEWNET) != 0) Fail("making a network namespace");
  WriteSetting("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0");
  // Up to the largest id there is: in a user namespace a machine's ids may begin anywhere on the host.
  WriteSetting("/proc/sys/net/ipv4/ping_group_range", "0 4294967294");
  WriteSetting("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
  WriteSetting("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
}

void AwaitGo() {
  char word[3];
  size_t have = 0;
  while (have < sizeof word) {
    ssize_t n = read(STDIN_FILENO, word + have, sizeof word - have);
    if (n <= 0) _exit(1);  // whoever ordered this machine is gone; nothing has been started
    have += static_cast<size_t>(n);
  }
}

class Keeper {
 public:
  explicit Keeper(const ShimOrder& order)
      : order_(order),
        console_(order.console, order.console_keep),
        view_(order),
        memory_(order.cgroup_path) {}

  int Run() {
    Prepare();
    order_.container ? StartContainer() : StartProcess();
    WriteSmallFile("running", "pid " + std::to_string(machine_) + "\n", Keep::kThisBoot);
    Report("running " + std::to_string(machine_));
    LetGoOfDaemon();
    memory_.Start();
    // A stop that was ordered while the machine was starting.
    OnStopOrder();
    view_.Watch();
    Watch();
    return 0;
  }

 private:
  void Prepare() {
    sigemptyset(&watched_);
    for (int signal : {SIGCHLD, SIGUSR1, SIGTERM, SIGHUP, SIGINT}) sigaddset(&watched_, signal);
    sigprocmask(SIG_BLOCK, &watched_, &before_);
    signal(SIGPIPE, SIG_IGN);
    signals_ = signalfd(-1, &watched_, SFD_CLOEXEC | SFD_NONBLOCK);
    timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) Fail("pipe");
    output_ = ends[0];
    machine_output_ = ends[1];
    fcntl(output_, F_SETFL, O_NONBLOCK);
    // So that root inside may open /dev/stderr and the like again by name.
    uid_t owner = static_cast<uid_t>(order_.id_base);
    if (owner > 0 && fchown(machine_output_, owner, owner) != 0) Fail("owning the console");
    // Orphans of the machine come here: also process 1 itself, once the runtime that started it has ended.
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) Fail("becoming the reaper");
  }

  pid_t Spawn(const std::vector<std::string>& command, int output, bool in_machine) {
    pid_t pid = fork();
    if (pid < 0) Fail("fork");
    if (pid > 0) return pid;
    setsid();
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    std::vector<char*> argv = Pointers(command), envp = Pointers(order_.environment);
    if (!in_machine) {
      execv(argv[0], argv.data());
    } else if (order_.directory.empty() || chdir(order_.directory.c_str()) == 0) {
      execve(argv[0], argv.data(), envp.data());
    }
    _exit(127);
  }

  static std::vector<char*> Pointers(const std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    return pointers;
  }

  std::vector<std::string> RuntimeCommand(std::vector<std::string> rest) const {
    std::vector<std::string> command{order_.runtime, "--root", order_.runtime_root, "--log",
                                     Absolute(kRuntimeLog)};
    command.insert(command.end(), rest.begin(), rest.end());
    return command;
  }
  // The runtime goes to its bundle, which lies in the machine's directory.
  std::string Absolute(const char* name) const { return order_.bundle + "/../" + name; }

  void StartContainer() {
    EnterPrivateMounts();
    EnterOwnNetwork();
    Report("ready " + std::to_string(getpid()));
    MountRoot(order_);
    AwaitGo();
    unlink(kRuntimeLog);
    unlink(kPidFile);
    // One call of the runtime where one is enough; data disks are mounted between its two halves.
    std::vector<std::string> start{"--pid-file", Absolute(kPidFile), "--bundle", order_.bundle,
                                   order_.container_id};
    bool halves = !order_.volumes.empty();
    start.insert(start.begin(), halves ? "create" : "run");
    if (!halves) start.insert(start.begin() + 1, "--detach");
    RunRuntime(start);
    machine_ = static_cast<pid_t>(std::stol(ReadSmallFile(kPidFile)));
    if (!halves) return;
    for (const ShimVolume& volume : order_.volumes) MountDisk(volume);
    RunRuntime({"start", order_.container_id});
  }

  void RunRuntime(const std::vector<std::string>& rest) {
    int status = Await(Spawn(RuntimeCommand(rest), machine_output_, false));
    if (status == 0 && !ReadSmallFile(kPidFile).empty()) return;
    std::string why = ReadSmallFile(kRuntimeLog);
    DeleteContainer();
    FailSaying("the runtime refused: " + (why.empty() ? "status " + std::to_string(status) : why));
  }

  // In a process of its own, which reports its own failure.
  void MountDisk(const ShimVolume& volume) {
    pid_t pid = fork();
    if (pid < 0) Fail("fork");
    if (pid == 0) {
      MountVolumeIn(machine_, order_, volume);
      _exit(0);
    }
    if (Await(pid) == 0) return;
    DeleteContainer();
    _exit(1);
  }

  static int Await(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  void StartProcess() {
    Report("ready " + std::to_string(getpid()));
    AwaitGo();
    machine_ = Spawn(order_.command, machine_output_, true);
  }

  void LetGoOfDaemon() {
    close(machine_output_);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
  }

  void Watch() {
    bool ended = false;
    while (!ended) {
      pollfd waits[5] = {{signals_, POLLIN, 0},
                         {output_, POLLIN, 0},
                         {timer_, POLLIN, 0},
                         {view_.fd(), POLLIN, 0},
                         {memory_.fd(), POLLIN, 0}};
      int ready = poll(waits, 5, recounts_ > 0 ? kRecountMs : view_.SleepMs());
      if (ready < 0) continue;
      if (ready == 0 && view_.SleepMs() >= 0) view_.Refresh();
      if (waits[3].revents) view_.Answer();
      if (waits[1].revents) CopyConsole();
      if (waits[4].revents || (ready == 0 && recounts_ > 0)) OnMemory(waits[4].revents != 0);
      if (waits[2].revents) OnTimer();
      if (waits[0].revents) ended = OnSignal();
    }
  }

  void CopyConsole() {
    char buffer[65536];
    ssize_t n = read(output_, buffer, sizeof buffer);
    if (n > 0) console_.Append(buffer, static_cast<size_t>(n));
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
      output_ = -1;  // poll passes over it
  }

  void OnMemory(bool notified) {
    memory_.Clear();
    recounts_ = ReportMemory() ? 0 : notified ? kMaxRecounts : recounts_ - 1;
  }

  // On the console, where people look for the reason. False: no kill since the last call.
  bool ReportMemory() {
    int64_t kills = memory_.Kills();
    int64_t fresh = kills - std::exchange(reported_kills_, kills);
    if (fresh <= 0) return false;
    console_.AppendLine(MemoryLine(fresh, memory_.Limit()));
    return true;
  }

  // True once the machine has ended and everything about it is written down.
  bool OnSignal() {
    signalfd_siginfo got{};
    while (read(signals_, &got, sizeof got) == sizeof got) {
      if (got.ssi_signo == SIGUSR1) OnStopOrder();
    }
    int status = 0;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
      if (pid != machine_) continue;
      Finish(status);
      return true;
    }
    return false;
  }

  // The earlier of two ends counts.
  void OnStopOrder() {
    std::optional<int64_t> grace = NumberAfter(ReadSmallFile("stop"), "grace-ms");
    if (!grace) return;
    if (*grace <= 0) return Kill();
    itimerspec left{};
    timerfd_gettime(timer_, &left);
    int64_t left_ms = left.it_value.tv_sec * 1000 + left.it_value.tv_nsec / 1'000'000;
    if (!stop_asked_ || *grace < left_ms) {
      itimerspec wanted{
          .it_value = {.tv_sec = *grace / 1000, .tv_nsec = *grace % 1000 * 1'000'000}};
      timerfd_settime(timer_, 0, &wanted, nullptr);
    }
    if (!std::exchange(stop_asked_, true)) kill(machine_, SIGTERM);
  }

  // The grace is used up. fireweed-init kills its programs and copies what they had printed; other programs, and one that
  // takes too long, are killed as they are.
  void OnTimer() {
    if (std::exchange(grace_used_up_, true) || !Blocks(machine_, KillSignal())) return Kill();
    itimerspec last{.it_value = {.tv_sec = kLastLinesMs / 1000, .tv_nsec = 0}};
    timerfd_settime(timer_, 0, &last, nullptr);
    kill(machine_, KillSignal());
  }

  void Kill() {
    stop_asked_ = true;
    itimerspec never{};
    timerfd_settime(timer_, 0, &never, nullptr);
    kill(machine_, SIGKILL);
  }

  void Finish(int status) {
    // Without a pid namespace of its own a machine's other processes outlive its first one.
    if (!order_.container) KillDescendants();
    for (int rounds = 0; rounds < 64 && output_ >= 0; ++rounds) {
      pollfd more{output_, POLLIN, 0};
      if (poll(&more, 1, 0) <= 0) break;
      CopyConsole();
    }
    ReportMemory();
    if (grace_used_up_)
      status = SIGKILL;  // as waitpid(2) gives it, also where process 1 exited by itself
    WriteSmallFile("exit", FormatShimExit({status, stop_asked_, reported_kills_}), Keep::kDurably);
    if (order_.container) DeleteContainer();
  }

  void DeleteContainer() {
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    Await(Spawn(RuntimeCommand({"delete", "--force", order_.container_id}), null, false));
    close(null);
  }

  const ShimOrder& order_;
  ConsoleLog console_;
  MachineView view_;
  MemoryWatch memory_;
  sigset_t watched_, before_;
  int signals_ = -1;
  int timer_ = -1;
  int output_ = -1;          // our end of the console
  int machine_output_ = -1;  // the machine's
  pid_t machine_ = -1;
  bool stop_asked_ = false;
  bool grace_used_up_ = false;
  int64_t reported_kills_ = 0;
  int recounts_ = 0;  // how many times more the kills are counted
};

}  // namespace

int KeepMachine(const ShimOrder& order) {
  TakeLock();
  return Keeper(order).Run();
}

}  // namespace fireweed
