#include "machine/kept/kept_machines.h"

#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "base/process.h"
#include "init/protocol.h"
#include "machine/kept/state_file.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A keeper answers within milliseconds; a machine that swaps is slower.
constexpr Duration kKeeperPatience = seconds(60);

int ToPollTimeout(Duration duration) {
  return static_cast<int>(std::chrono::duration_cast<milliseconds>(duration).count());
}

Error Failed(Code code, std::string message) { return Error{code, "", std::move(message)}; }

// One line from a pipe, without its end.
Result<std::string> ReadLine(int fd) {
  std::string line;
  while (true) {
    pollfd wait{fd, POLLIN, 0};
    int ready = poll(&wait, 1, ToPollTimeout(kKeeperPatience));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return Failed(Code::kUnavailable, "the machine's keeper does not answer");
    char c;
    ssize_t n = read(fd, &c, 1);
    if (n <= 0) return Failed(Code::kInternal, "the machine's keeper is gone");
    if (c == '\n') return line;
    line += c;
  }
}

// Reads "WORD NUMBER"; "failed WHY" becomes an error.
Result<int64_t> Expect(int fd, std::string_view word) {
  Result<std::string> line = ReadLine(fd);
  if (!line.ok()) return line.error();
  if (line->starts_with("failed ")) return Failed(Code::kInternal, line->substr(7));
  std::optional<int64_t> number = NumberAfter(*line, word);
  if (!number) return Failed(Code::kInternal, fmt::format("the keeper said '{}'", *line));
  return *number;
}

std::optional<int64_t> ParseBoot(const std::string& name) {
  int64_t boot = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), boot);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return boot;
}

}  // namespace

MachineExit ExitFrom(const ShimExit& seen) {
  int status = seen.wait_status;
  MachineExit exit{.code = ShellExitCode(status),
                   .out_of_memory = seen.out_of_memory_kills > 0,
                   .stop_asked = seen.stop_asked};
  bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  bool off = exit.code == kExitOff || exit.code == kExitOffFromOutside ||
             (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  bool reboots = exit.code == kExitReboot || (WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP);
  exit.kind = killed            ? ExitKind::kKilled
              : seen.stop_asked ? ExitKind::kOff
              : off             ? ExitKind::kOff
              : reboots         ? ExitKind::kReboot
                                : ExitKind::kCrashed;
  exit.asked_by = seen.stop_asked || exit.code == kExitOffFromOutside ? AskedBy::kOutside
                  : off || reboots                                    ? AskedBy::kInside
                                                                      : AskedBy::kNobody;
  return exit;
}

KeptMachines::KeptMachines(Settings settings) : settings_(std::move(settings)) {}

std::string KeptMachines::MachineDirectory(const std::string& id) const {
  return fmt::format("{}/{}", settings_.root, id);
}

std::string KeptMachines::BootDirectory(const MachineKey& key) const {
  return fmt::format("{}/{}/{}", settings_.root, key.id, key.boot);
}

std::vector<int64_t> KeptMachines::Boots(const std::string& id) const {
  std::vector<int64_t> boots;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(MachineDirectory(id), failed)) {
    if (std::optional<int64_t> boot = ParseBoot(entry.path().filename())) boots.push_back(*boot);
  }
  return boots;
}

std::optional<int64_t> KeptMachines::NewestBoot(const std::string& id) const {
  std::vector<int64_t> boots = Boots(id);
  if (boots.empty()) return std::nullopt;
  return *std::max_element(boots.begin(), boots.end());
}

std::optional<pid_t> KeptMachines::Keeper(const MachineKey& key) const {
  return LockHolder(BootDirectory(key) + "/lock");
}

std::optional<pid_t> KeptMachines::FirstProcess(const MachineKey& key) const {
  std::optional<std::string> text = ReadStateFile(BootDirectory(key) + "/running");
  std::optional<int64_t> pid = text ? NumberAfter(*text, "pid") : std::nullopt;
  if (!pid) return std::nullopt;
  return static_cast<pid_t>(*pid);
}

UniqueFd KeptMachines::OpenKeeper(const MachineKey& key) const {
  std::optional<pid_t> keeper = Keeper(key);
  if (!keeper) return UniqueFd();
  UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, *keeper, 0)));
  // Gone in between, or its number belongs to someone else by now.
  if (!pidfd || Keeper(key) != keeper) return UniqueFd();
  return pidfd;
}

Result<> KeptMachines::WaitForKeeper(const MachineKey& key) const {
  UniqueFd keeper = OpenKeeper(key);
  if (!keeper) return Done{};
  pollfd wait{keeper.get(), POLLIN, 0};
  if (poll(&wait, 1, ToPollTimeout(settings_.patience)) == 1) return Done{};
  return Failed(Code::kUnavailable, fmt::format("machine '{}' does not end", key.id));
}

Result<bool> KeptMachines::HasBooted(const MachineKey& key) {
  std::optional<int64_t> newest = NewestBoot(key.id);
  if (!newest) return false;
  MachineKey last{key.id, *newest};
  if (*newest > key.boot) return Failed(Code::kPrecondition, "a later boot has been started");
  if (*newest < key.boot) {
    Result<MachineStatus> status = Observe(last);
    if (status.ok() && status->phase != MachinePhase::kStopped) {
      return Failed(Code::kPrecondition, "an earlier boot still runs");
    }
    if (Result<> ended = WaitForKeeper(last); !ended.ok()) return ended.error();
    if (FirstProcess(last)) return false;
    if (Result<> cleared = ClearStart(last); !cleared.ok()) return cleared.error();
    return false;
  }
  Result<bool> started = AwaitStart(key);
  if (!started.ok() || *started) return started;
  if (Result<> cleared = ClearStart(key); !cleared.ok()) return cleared.error();
  return false;
}

// Its keeper, if any, either ends because nobody said "go", or gets the machine going and lives on.
Result<bool> KeptMachines::AwaitStart(const MachineKey& key) const {
  UniqueFd changes(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (changes) inotify_add_watch(changes.get(), BootDirectory(key).c_str(), IN_MOVED_TO);
  UniqueFd keeper = OpenKeeper(key);
  while (keeper && !FirstProcess(key)) {
    pollfd waits[2] = {{keeper.get(), POLLIN, 0}, {changes.get(), POLLIN, 0}};
    if (poll(waits, 2, ToPollTimeout(settings_.patience)) == 0) {
      return Failed(Code::kUnavailable, fmt::format("machine '{}' is slow to start", key.id));
    }
    if (waits[0].revents) keeper.reset();
    char events[4096];
    while (read(changes.get(), events, sizeof events) > 0) {
    }
  }
  return FirstProcess(key).has_value();
}

Result<> KeptMachines::ClearStart(const MachineKey& key) {
  // A keeper that died may have started more than it could say.
  Bury(key);
  return RemoveTree(BootDirectory(key));
}

void KeptMachines::Bury(const MachineKey& key) {
  if (settings_.bury) settings_.bury(key);
}

Result<> KeptMachines::Boot(const MachineKey& key, const ShimOrder& order,
                            const std::function<Result<>(pid_t keeper)>& before_boot) {
  Result<> done = WriteStateFile(BootDirectory(key) + "/order", FormatShimOrder(order));
  if (done.ok()) done = Converse(key, before_boot);
  if (!done.ok()) {
    Result<bool> started = AwaitStart(key);
    if (started.ok() && !*started) {
      (void)ClearStart(key);
      return done;
    }
    done = started.ok() ? Result<>(Done{}) : Result<>(started.error());
  }
  if (std::optional<pid_t> keeper = Keeper(key)) watch_.Add(key.id, *keeper);
  if (!done.ok()) return done;
  for (int64_t boot : Boots(key.id)) {
    if (boot < key.boot) (void)RemoveTree(BootDirectory({key.id, boot}));
  }
  return Done{};
}

Result<> KeptMachines::Converse(const MachineKey& key,
                                const std::function<Result<>(pid_t keeper)>& before_boot) {
  Result<ChildProgram> shim =
      ChildProgram::Spawn({.argv = {settings_.shim, "keep", BootDirectory(key)}, .directory = "/"});
  if (!shim.ok()) return shim.error();
  Result<int64_t> keeper = Expect(shim->output.get(), "ready");
  if (!keeper.ok()) return keeper.error();
  if (Result<> prepared = before_boot(static_cast<pid_t>(*keeper)); !prepared.ok()) {
    // A keeper that gave up meanwhile knows better why: its namespaces are gone because it is.
    pollfd last_words{shim->output.get(), POLLIN, 0};
    if (poll(&last_words, 1, 0) == 1) {
      if (Result<int64_t> said = Expect(shim->output.get(), "running"); !said.ok())
        return said.error();
    }
    return prepared;
  }
  // A keeper that failed meanwhile has closed its end; its last words say why.
  std::string_view go = "go\n";
  (void)shim->Feed(go);
  Result<int64_t> running = Expect(shim->output.get(), "running");
  if (!running.ok()) return running.error();
  return Done{};
}

Result<MachineStatus> KeptMachines::Observe(const MachineKey& key) {
  std::string directory = BootDirectory(key);
  if (NewestBoot(key.id) != key.boot) {
    return Failed(Code::kNotFound, fmt::format("no machine '{}' with this boot", key.id));
  }
  if (!ReadStateFile(directory + "/exit") && !Keeper(key)) SettleOrphan(key);
  MachineStatus status{.started = ModifiedTime(directory + "/running")};
  std::optional<std::string> text = ReadStateFile(directory + "/exit");
  std::optional<ShimExit> seen = text ? ParseShimExit(*text) : std::nullopt;
  if (seen) {
    status.phase = MachinePhase::kStopped;
    status.exit = ExitFrom(*seen);
    status.ended = ModifiedTime(directory + "/exit");
  } else if (Keeper(key)) {
    status.phase = status.started ? MachinePhase::kRunning : MachinePhase::kStarting;
  } else {
    status.phase = MachinePhase::kStopped;
    status.exit = MachineExit{.message = "the start was cut off"};
  }
  return status;
}

void KeptMachines::SettleOrphan(const MachineKey& key) {
  std::string directory = BootDirectory(key);
  // Read again, in this order: a keeper writes the exit before it lets go of the lock.
  if (ReadStateFile(directory + "/exit") || !FirstProcess(key)) return;
  Bury(key);
  (void)WriteStateFile(directory + "/exit", FormatShimExit({.wait_status = SIGKILL}));
}

Result<> KeptMachines::Stop(const MachineKey& key, Duration grace) {
  Result<MachineStatus> status = Observe(key);
  if (!status.ok()) return status.error();
  if (status->phase == MachinePhase::kStopped) return Done{};
  auto grace_ms = std::chrono::duration_cast<milliseconds>(std::max(grace, Duration(0))).count();
  Result<> written =
      WriteStateFile(BootDirectory(key) + "/stop", fmt::format("grace-ms {}\n", grace_ms));
  if (!written.ok()) return written;
  if (UniqueFd keeper = OpenKeeper(key)) {
    syscall(SYS_pidfd_send_signal, keeper.get(), SIGUSR1, nullptr, 0);
  }
  return Done{};
}

Result<bool> KeptMachines::Remove(const MachineKey& key) {
  std::optional<int64_t> newest = NewestBoot(key.id);
  if (newest && *newest != key.boot) return false;
  if (newest) {
    (void)Stop(key, Duration(0));
    if (Result<> ended = WaitForKeeper(key); !ended.ok()) return ended.error();
    if (!ReadStateFile(BootDirectory(key) + "/exit")) Bury(key);
  }
  if (Result<> removed = RemoveTree(MachineDirectory(key.id)); !removed.ok())
    return removed.error();
  return true;
}

std::vector<MachineKey> KeptMachines::List() const {
  std::vector<MachineKey> all;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(settings_.root, failed)) {
    std::string id = entry.path().filename();
    all.push_back({id, NewestBoot(id).value_or(1)});
  }
  std::sort(all.begin(), all.end(),
            [](const MachineKey& a, const MachineKey& b) { return a.id < b.id; });
  return all;
}

void KeptMachines::OnStopped(std::function<void(const std::string& id)> sink) {
  watch_.OnEnd(std::move(sink));
  // Machines of an earlier daemon are watched from here on, too.
  for (const MachineKey& key : List()) {
    if (std::optional<pid_t> keeper = Keeper(key)) watch_.Add(key.id, *keeper);
  }
}

}  // namespace fireweed
