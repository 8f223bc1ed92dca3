#include "machine/crun/crun_driver.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "base/process.h"
#include "init/descendants.h"
#include "machine/kept/state_file.h"
#include "machine/network/listen_inside.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDriver = "crun";
constexpr std::string_view kFrozen = "frozen\n";  // in the note, once it is so
constexpr Duration kRuntimePatience = std::chrono::seconds(30);
constexpr int64_t kIdsPerMachine = 65536;
constexpr uint32_t kMachinesPerSubnet = 4096;

Error Failed(Code code, std::string message) { return Error{code, "", std::move(message)}; }

// One for each daemon on a host, spaced as the public cloud's regions are.
std::vector<Subnet> UsualSubnets() {
  constexpr Ipv4 kFirst = 10u << 24 | 128u << 16;
  std::vector<Subnet> subnets;
  for (uint32_t i = 0; i < 14; ++i) subnets.push_back({kFirst + (i << 18), 20});
  return subnets;
}

CrunSettings Complete(CrunSettings settings) {
  if (settings.subnets.empty()) settings.subnets = UsualSubnets();
  if (settings.run_directory.empty()) {
    settings.run_directory = "/run/fireweed-" + settings.daemon_id;
  }
  return settings;
}

bool CanShiftIds(const CrunSettings& settings) {
  if (!settings.user_namespace || geteuid() != 0) return false;
  if (!MakeStateDirectory(settings.state_directory).ok()) return false;
  Result<ProgramOutcome> probe =
      RunProgram({.argv = {settings.shim, "probe", settings.state_directory}}, kRuntimePatience);
  return probe.ok() && NumberAfter(probe->output, "shift-ids") == 1;
}

class RuntimeExec final : public ExecStream {
 public:
  explicit RuntimeExec(ChildProgram child) : child_(std::move(child)) {
    input = std::move(child_.input);
    output = std::move(child_.output);
    error = std::move(child_.error);
  }
  ~RuntimeExec() override {
    // The runtime is the program's parent. Where it has reaped the program already, there is no child and nobody else
    // has its number.
    if (waited_) return;
    for (pid_t program : ChildrenOf(child_.pid())) kill(program, SIGKILL);
  }
  Result<int> Wait() override {
    int code = child_.Wait();
    waited_ = true;
    return code;
  }

 private:
  ChildProgram child_;
  bool waited_ = false;
};

}  // namespace

std::string FindRuntime() {
  for (const char* path : {"/usr/bin/crun", "/usr/local/bin/crun", "/usr/sbin/runc",
                           "/usr/bin/runc", "/usr/local/sbin/runc"}) {
    if (access(path, X_OK) == 0) return path;
  }
  return "";
}

std::string WhyNoContainers(const CrunSettings& settings) {
  if (geteuid() != 0) return "containers need root";
  if (settings.runtime.empty()) return "neither crun nor runc is installed";
  for (const std::string& program : {settings.shim, settings.init, settings.runtime}) {
    if (access(program.c_str(), X_OK) != 0) return program + " is not there";
  }
  return "";
}

CrunDriver::CrunDriver(CrunSettings settings)
    : settings_(Complete(std::move(settings))),
      shifts_ids_(CanShiftIds(settings_)),
      cpus_(cgroups_, CgroupParent(), OwnCpus()),
      network_({.daemon_id = settings_.daemon_id,
                .state_file = settings_.state_directory + "/subnet",
                .shared_directory = settings_.shared_directory,
                .candidates = settings_.subnets}),
      machines_({.root = settings_.state_directory + "/machines",
                 .shim = settings_.shim,
                 .bury = [this](const MachineKey& key) { Bury(key); }}) {
  (void)MakeStateDirectory(settings_.state_directory + "/machines");
  leases_.With([&](Leases& leases) {
    for (const MachineKey& key : machines_.List()) {
      std::optional<std::string> text =
          ReadStateFile(machines_.MachineDirectory(key.id) + "/network");
      std::optional<int64_t> host = text ? NumberAfter(*text, "host") : std::nullopt;
      if (host) leases[key.id] = static_cast<uint32_t>(*host);
    }
  });
}

DriverCapabilities CrunDriver::capabilities() const {
  DriverCapabilities can{.driver = std::string(kDriver),
                         .own_root = true,
                         .own_network = true,
                         .listen_inside = true,
                         .limits = MissingControllers().empty(),
                         .freeze = true,
                         .exec = true,
                         .user_namespace = shifts_ids_};
  can.weaknesses.push_back("machines share the host's kernel");
  if (!shifts_ids_)
    can.weaknesses.push_back("root inside is root outside: ids cannot be shifted here");
  for (const std::string& controller : MissingControllers()) {
    can.weaknesses.push_back("the host has no cgroup controller " + controller);
  }
  return can;
}

int64_t CrunDriver::IdBase(const Subnet& subnet, uint32_t host) const {
  if (!shifts_ids_) return 0;
  auto found = std::find(settings_.subnets.begin(), settings_.subnets.end(), subnet);
  int64_t index = (found - settings_.subnets.begin()) % 14;
  // Ranges of different machines, and of different daemons' subnets, do not meet, and end below 2^32.
  int64_t machine = (index + 1) * kMachinesPerSubnet + host % kMachinesPerSubnet;
  return machine * kIdsPerMachine;
}

std::string CrunDriver::ContainerId(const std::string& id) const {
  return fmt::format("fw-{}-{}", settings_.daemon_id, id);
}
std::string CrunDriver::CgroupParent() const { return "/fireweed-" + settings_.daemon_id; }
std::string CrunDriver::CgroupPath(const std::string& id) const {
  return fmt::format("{}/{}", CgroupParent(), id);
}
std::vector<std::string> CrunDriver::MissingControllers() const {
  std::vector<std::string> missing;
  for (const char* name : {"cpu", "cpuset", "memory", "pids"}) {
    if (!cgroups_.Has(name)) missing.emplace_back(name);
  }
  return missing;
}
std::string CrunDriver::StageDirectory(const std::string& id) const {
  return fmt::format("{}/stage/{}", settings_.run_directory, id);
}

std::vector<std::string> CrunDriver::RuntimeCommand(pid_t keeper,
                                                    std::vector<std::string> rest) const {
  std::vector<std::string> argv{settings_.shim,    "runtime", std::to_string(keeper),
                                settings_.runtime, "--root",  settings_.run_directory + "/runtime"};
  argv.insert(argv.end(), rest.begin(), rest.end());
  return argv;
}

Result<> CrunDriver::RunRuntime(std::vector<std::string> rest) const {
  Result<ProgramOutcome> outcome = RunProgram({.argv = RuntimeCommand(0, rest)}, kRuntimePatience);
  if (!outcome.ok()) return outcome.error();
  if (!outcome->ok())
    return Failed(Code::kInternal, fmt::format("{}: {}", rest[0], outcome->error));
  return Done{};
}

Result<uint32_t> CrunDriver::Lease(const MachineSpec& spec, const Subnet& subnet) {
  return leases_.With([&](Leases& leases) -> Result<uint32_t> {
    auto mine = leases.find(spec.id);
    std::set<uint32_t> taken;
    for (const auto& [id, host] : leases) {
      if (id != spec.id) taken.insert(host);
    }
    if (spec.wanted_address.empty()) {
      if (mine != leases.end()) return mine->second;
      std::optional<uint32_t> host = PickHost(subnet, taken);
      if (!host)
        return Failed(Code::kExhausted, "every address of the instances' subnet is in use");
      return leases[spec.id] = *host;
    }
    std::optional<Ipv4> address = ParseIpv4(spec.wanted_address);
    uint32_t host = address ? *address - subnet.base : 0;
    if (!address || !subnet.Contains(*address) || host < 2 || host + 1 >= subnet.size()) {
      return Failed(Code::kInvalid, fmt::format("address '{}' is not in {}", spec.wanted_address,
                                                FormatSubnet(subnet)));
    }
    if (taken.contains(host)) {
      return Failed(Code::kExhausted, fmt::format("address {} is in use", spec.wanted_address));
    }
    return leases[spec.id] = host;
  });
}

std::optional<uint32_t> CrunDriver::LeaseOf(const std::string& id) const {
  return leases_.With([&](const Leases& leases) -> std::optional<uint32_t> {
    auto found = leases.find(id);
    if (found == leases.end()) return std::nullopt;
    return found->second;
  });
}

Result<MachineHandle> CrunDriver::Start(const MachineSpec& spec) {
  if (Result<> checked = CheckSpec(spec); !checked.ok()) return checked.error();
  if (spec.image_layers.empty()) return Failed(Code::kInvalid, "a container needs an image");
  MachineKey key{spec.id, spec.boot};
  MachineHandle handle = EncodeHandle(kDriver, key);
  Result<bool> booted = machines_.HasBooted(key);
  if (!booted.ok()) return booted.error();
  if (*booted) return handle;

  Result<Subnet> subnet = network_.Ensure();
  if (!subnet.ok()) return subnet.error();
  Result<uint32_t> host = Lease(spec, *subnet);
  if (!host.ok()) return host.error();
  ShimOrder order;
  Result<> done = Prepare(spec, *subnet, *host, order);
  if (!done.ok()) {
    (void)RemoveTree(machines_.BootDirectory(key));
  } else {
    done = machines_.Boot(key, order, [&](pid_t keeper) -> Result<> {
      UniqueFd space(open(fmt::format("/proc/{}/ns/net", keeper).c_str(), O_RDONLY | O_CLOEXEC));
      if (!space) return ErrnoError(errno, "the machine's network");
      if (Result<> attached = network_.Attach(*host, space.get()); !attached.ok()) return attached;
      return spec.before_boot ? spec.before_boot(handle) : Result<>(Done{});
    });
  }
  if (!done.ok()) {
    ForgetFailedStart(key);
    return done.error();
  }
  return handle;
}

void CrunDriver::ForgetFailedStart(const MachineKey& key) {
  std::optional<int64_t> newest = machines_.NewestBoot(key.id);
  if (newest == key.boot) return;  // may come up yet; the next try of this boot finds out
  cpus_.Release(key.id);
  if (std::optional<uint32_t> host = LeaseOf(key.id)) (void)network_.Detach(*host);
  std::error_code failed;
  fs::remove(StageDirectory(key.id), failed);
  // An earlier boot's machine stays as it was; one that never ran leaves nothing.
  if (newest) return;
  (void)RemoveTree(machines_.MachineDirectory(key.id));
  leases_.With([&](Leases& leases) { leases.erase(key.id); });
}

void CrunDriver::Bury(const MachineKey& key) {
  (void)RunRuntime({"delete", "--force", ContainerId(key.id)});
}

Result<MachineStatus> CrunDriver::Observe(const MachineHandle& handle) {
  Result<MachineKey> key = DecodeHandle(kDriver, handle);
  if (!key.ok()) return key.error();
  Result<MachineStatus> status = machines_.Observe(*key);
  if (!status.ok()) return status;
  std::optional<std::string> network =
      ReadStateFile(machines_.MachineDirectory(key->id) + "/network");
  size_t at = network ? network->find("address ") : std::string::npos;
  if (at != std::string::npos) {
    status->addresses = {network->substr(at + 8, network->find('\n', at) - at - 8)};
  }
  status->frozen = status->phase != MachinePhase::kStopped && FrozenNote(*key).has_value();
  return status;
}

Result<> CrunDriver::Stop(const MachineHandle& handle, Duration grace) {
  Result<MachineStatus> status = Observe(handle);
  if (!status.ok()) return status.error();
  Result<> asked = machines_.Stop(*DecodeHandle(kDriver, handle), grace);
  // What does not run cannot go down; not even a kill reaches a frozen process.
  if (asked.ok() && status->frozen) return Freeze(handle, false);
  return asked;
}

std::optional<std::string> CrunDriver::FrozenNote(const MachineKey& key) const {
  return ReadStateFile(machines_.BootDirectory(key) + "/frozen");
}

Result<> CrunDriver::Freeze(const MachineHandle& handle, bool frozen) {
  Result<MachineStatus> status = Observe(handle);
  if (!status.ok()) return status.error();
  if (status->phase == MachinePhase::kStopped) {
    return Failed(Code::kPrecondition, "the machine is stopped");
  }
  MachineKey key = *DecodeHandle(kDriver, handle);
  std::optional<std::string> note = FrozenNote(key);
  if (frozen ? note == kFrozen : !note) return Done{};
  std::string path = machines_.BootDirectory(key) + "/frozen";
  // Noted before it is done and again when it is: after a death in between the machine counts as frozen, so that it is
  // thawed before it has to run or go down, and whoever wants it frozen does it again.
  if (frozen) {
    if (Result<> noted = WriteStateFile(path, ""); !noted.ok()) return noted;
  }
  Result<> done = RunRuntime({frozen ? "pause" : "resume", ContainerId(key.id)});
  if (frozen && done.ok()) return WriteStateFile(path, std::string(kFrozen));
  // Some runtimes refuse to resume what runs: then it was never frozen.
  bool runs = !frozen && !done.ok() && done.error().message.find("not paused") != std::string::npos;
  if (done.ok() || frozen || runs) (void)RemoveTree(path);
  return runs ? Result<>(Done{}) : done;
}

Result<> CrunDriver::PlaceVolume(const MachineHandle& handle, const MachineVolume& volume,
                                 bool there) {
  Result<MachineStatus> status = Observe(handle);
  if (!status.ok()) return status.error();
  MachineKey key = *DecodeHandle(kDriver, handle);
  std::optional<uint32_t> host = LeaseOf(key.id);
  Result<Subnet> subnet = network_.Ensure();
  if (!subnet.ok()) return subnet.error();
  if (status->phase != MachinePhase::kRunning || !host) {
    return Failed(Code::kNotFound, "the machine does not run");
  }
  std::string directory = machines_.BootDirectory(key);
  ShimOrder order{
      .container = true, .stage = StageDirectory(key.id), .id_base = IdBase(*subnet, *host)};
  Result<> done = AddVolume(volume, order);
  if (done.ok()) done = WriteStateFile(directory + "/change", FormatShimOrder(order));
  if (!done.ok()) return done;
  Result<ProgramOutcome> outcome = RunProgram(
      {.argv = {settings_.shim, there ? "attach" : "detach", directory}}, kRuntimePatience);
  if (!outcome.ok()) return outcome.error();
  switch (outcome->exit_code) {
    case 0: return Done{};
    case kShimNotRunning: return Failed(Code::kNotFound, "the machine does not run");
    case kShimVolumeBusy: return Failed(Code::kPrecondition, "in use inside");
    default: return Failed(Code::kInternal, outcome->output);
  }
}

Result<std::unique_ptr<ExecStream>> CrunDriver::Exec(const MachineHandle& handle,
                                                     const ExecSpec& spec) {
  Result<MachineStatus> status = Observe(handle);
  if (!status.ok()) return status.error();
  if (status->phase != MachinePhase::kRunning || spec.argv.empty()) {
    return Failed(Code::kPrecondition, "the machine does not run, or there is nothing to run");
  }
  MachineKey key = *DecodeHandle(kDriver, handle);
  std::optional<pid_t> keeper = machines_.Keeper(key);
  if (!keeper) return Failed(Code::kPrecondition, "the machine does not run");
  std::vector<std::string> command{"exec", "--cwd", spec.directory, "--user",
                                   fmt::format("{}:{}", spec.uid, spec.gid)};
  for (const auto& [name, value] : spec.environment) {
    command.insert(command.end(), {"--env", fmt::format("{}={}", name, value)});
  }
  command.push_back(ContainerId(key.id));
  command.insert(command.end(), spec.argv.begin(), spec.argv.end());
  Result<ChildProgram> child = ChildProgram::Spawn(
      {.argv = RuntimeCommand(*keeper, std::move(command)), .new_session = true});
  if (!child.ok()) return child.error();
  return std::unique_ptr<ExecStream>(std::make_unique<RuntimeExec>(std::move(*child)));
}

Result<UniqueFd> CrunDriver::ListenInside(const MachineHandle& handle, std::string_view address,
                                          uint16_t port, Transport transport) {
  Result<MachineKey> key = DecodeHandle(kDriver, handle);
  if (!key.ok()) return key.error();
  std::optional<pid_t> keeper = machines_.Keeper(*key);
  if (!keeper) return Failed(Code::kPrecondition, "the machine does not run");
  UniqueFd space(open(fmt::format("/proc/{}/ns/net", *keeper).c_str(), O_RDONLY | O_CLOEXEC));
  if (!space || machines_.Keeper(*key) != keeper) {
    return Failed(Code::kPrecondition, "the machine does not run");
  }
  return OpenListenerIn(space.get(), address, port, transport);
}

Result<> CrunDriver::Remove(const MachineHandle& handle) {
  Result<MachineKey> key = DecodeHandle(kDriver, handle);
  if (!key.ok()) return key.error();
  if (Result<MachineStatus> status = Observe(handle); status.ok() && status->frozen) {
    (void)Freeze(handle, false);
  }
  Result<bool> removed = machines_.Remove(*key);
  if (!removed.ok()) return removed.error();
  if (!*removed) return Done{};
  cpus_.Release(key->id);
  std::error_code failed;
  fs::remove(StageDirectory(key->id), failed);
  std::optional<uint32_t> host = LeaseOf(key->id);
  if (!host) return Done{};
  Result<> detached = network_.Detach(*host);
  leases_.With([&](Leases& leases) { leases.erase(key->id); });
  return detached;
}

Result<std::vector<std::pair<std::string, MachineHandle>>> CrunDriver::List() {
  std::vector<std::pair<std::string, MachineHandle>> all;
  for (const MachineKey& key : machines_.List())
    all.emplace_back(key.id, EncodeHandle(kDriver, key));
  return all;
}

void CrunDriver::OnStopped(std::function<void(const std::string& id)> sink) {
  machines_.OnStopped([this, sink = std::move(sink)](const std::string& id) {
    cpus_.Release(id);
    sink(id);
  });
}

Result<> CrunDriver::Purge() {
  for (const MachineKey& key : machines_.List()) {
    if (Result<> removed = Remove(EncodeHandle(kDriver, key)); !removed.ok()) return removed;
  }
  if (Result<> removed = network_.Remove(); !removed.ok()) return removed;
  // Empty directories are all that runtimes leave of a cgroup's parent; one with anything in it stays.
  std::error_code failed;
  std::string parent = "fireweed-" + settings_.daemon_id;
  rmdir(("/sys/fs/cgroup/" + parent).c_str());
  for (const auto& hierarchy : fs::directory_iterator("/sys/fs/cgroup", failed)) {
    rmdir((hierarchy.path() / parent).c_str());
  }
  if (Result<> removed = RemoveTree(settings_.state_directory + "/machines"); !removed.ok()) {
    return removed;
  }
  return RemoveTree(settings_.run_directory);
}

}  // namespace fireweed
