#include "machine/process/process_driver.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "base/process.h"
#include "machine/kept/state_file.h"
#include "machine/process/loopback_place.h"
#include "machine/process/marked_processes.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDriver = "process";

Error Failed(Code code, std::string message) { return Error{code, "", std::move(message)}; }

constexpr const char* kHostPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
// What reaches the machine instead of the host, by the names that scripts use.
constexpr const char* kApplets[] = {"shutdown", "poweroff", "halt", "reboot", "sudo"};

std::vector<std::string> Environment(const MachineSpec& spec, const std::string& home,
                                     const std::string& place, const std::string& mark) {
  std::map<std::string, std::string> all{{"PATH", fmt::format("{}/bin:{}", home, kHostPath)},
                                         {"HOME", home},
                                         {"FIREWEED_METADATA", place},
                                         {"GCE_METADATA_HOST", place},
                                         {"GCE_METADATA_ROOT", place},
                                         {"GCE_METADATA_IP", place}};
  for (const auto& [name, value] : spec.environment) all[name] = value;
  if (auto workload = PlaceWorkload(spec, home)) all[workload->name] = workload->value;
  std::vector<std::string> lines{mark};
  for (const auto& [name, value] : all) lines.push_back(fmt::format("{}={}", name, value));
  return lines;
}

Result<> PutFile(const MachineFile& file, const std::string& home) {
  fs::path path = home + file.path;
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  fs::remove(path, failed);
  if (!file.link_target.empty()) {
    fs::create_symlink(file.link_target, path, failed);
    return failed ? Result<>(ErrnoError(failed.value(), path.string())) : Result<>(Done{});
  }
  if (Result<> written = WriteStateFile(path, file.contents); !written.ok()) return written;
  if (chmod(path.c_str(), file.mode) != 0) return ErrnoError(errno, path.string());
  return Done{};
}

Result<> PlaceApplets(const std::string& home, const std::string& init) {
  for (const char* applet : kApplets) {
    MachineFile link{.path = std::string("/bin/") + applet, .link_target = init};
    if (Result<> placed = PutFile(link, home); !placed.ok()) return placed;
  }
  return Done{};
}

class ProcessExec final : public ExecStream {
 public:
  explicit ProcessExec(ChildProgram child) : child_(std::move(child)) {
    input = std::move(child_.input);
    output = std::move(child_.output);
    error = std::move(child_.error);
  }
  Result<int> Wait() override { return child_.Wait(); }

 private:
  ChildProgram child_;
};

}  // namespace

ProcessDriver::ProcessDriver(ProcessSettings settings)
    : settings_(std::move(settings)),
      machines_({.root = settings_.state_directory + "/machines",
                 .shim = settings_.shim,
                 .bury = [this](const MachineKey& key) { KillMarked(Mark(key)); }}) {
  (void)MakeStateDirectory(settings_.state_directory + "/machines");
}

DriverCapabilities ProcessDriver::capabilities() const {
  return {
      .driver = std::string(kDriver),
      .listen_inside = true,
      .exec = true,
      .weaknesses = {"machines are plain processes of the daemon's user: they see its files, "
                     "its processes and its network, and have no limits",
                     "every process of the host can ask a machine's metadata server, and so "
                     "get the token of its service account",
                     "every accelerator of the host can be opened; machines are only told which "
                     "are theirs, by CUDA_VISIBLE_DEVICES",
                     "machines have no address, no ssh and no names of their own",
                     "sudo gives no rights; /sbin/shutdown by its full path is the host's"}};
}

std::string ProcessDriver::HomeOf(const MachineSpec& spec) const {
  return spec.writable_directory.empty() ? machines_.MachineDirectory(spec.id) + "/home"
                                         : spec.writable_directory;
}

std::string ProcessDriver::Mark(const MachineKey& key) const {
  return "FIREWEED_MACHINE=" + machines_.BootDirectory(key);
}

std::string ProcessDriver::PlaceFile(const std::string& id) const {
  return machines_.MachineDirectory(id) + "/metadata";
}

Result<ShimOrder> ProcessDriver::Prepare(const MachineSpec& spec) {
  std::string home = HomeOf(spec);
  for (const std::string& directory :
       {machines_.BootDirectory({spec.id, spec.boot}), home, home + "/run"}) {
    if (Result<> made = MakeStateDirectory(directory); !made.ok()) return made.error();
  }
  for (const MachineFile& file : spec.files) {
    if (Result<> placed = PutFile(file, home); !placed.ok()) return placed.error();
  }
  if (auto workload = PlaceWorkload(spec, home)) {
    if (Result<> placed = PutFile(workload->file, home); !placed.ok()) return placed.error();
  }
  if (Result<> placed = PlaceApplets(home, settings_.init); !placed.ok()) return placed.error();
  Result<std::string> place = ChooseLoopbackPlace(spec.id);
  if (!place.ok()) return place.error();
  // A restarted daemon listens there again.
  if (Result<> kept = WriteStateFile(PlaceFile(spec.id), *place); !kept.ok()) return kept.error();
  ShimOrder order{.command = spec.command,
                  .environment = Environment(spec, home, *place, Mark({spec.id, spec.boot})),
                  .directory = home,
                  .console = spec.console_path,
                  .console_keep = spec.console_keep_bytes};
  if (order.command.empty()) order.command = {settings_.init, "--process", home + "/run"};
  return order;
}

Result<MachineHandle> ProcessDriver::Start(const MachineSpec& spec) {
  if (Result<> checked = CheckSpec(spec); !checked.ok()) return checked.error();
  if (!spec.volumes.empty()) {
    return Error{
        Code::kInvalid, "",
        "data disks need containers: a plain process has no root of its own to mount them in"};
  }
  MachineKey key{spec.id, spec.boot};
  MachineHandle handle = EncodeHandle(kDriver, key);
  Result<bool> booted = machines_.HasBooted(key);
  if (!booted.ok()) return booted.error();
  if (*booted) return handle;
  Result<ShimOrder> order = Prepare(spec);
  if (!order.ok()) (void)RemoveTree(machines_.BootDirectory(key));
  Result<> done = order.ok() ? machines_.Boot(key, *order,
                                              [&](pid_t) -> Result<> {
                                                return spec.before_boot ? spec.before_boot(handle)
                                                                        : Result<>(Done{});
                                              })
                             : Result<>(order.error());
  if (done.ok()) return handle;
  // An earlier boot's machine stays as it was, and so does one that may come up yet; one that never ran leaves nothing.
  if (!machines_.NewestBoot(spec.id)) (void)RemoveTree(machines_.MachineDirectory(spec.id));
  return done.error();
}

Result<MachineStatus> ProcessDriver::Observe(const MachineHandle& handle) {
  Result<MachineKey> key = DecodeHandle(kDriver, handle);
  if (!key.ok()) return key.error();
  return machines_.Observe(*key);
}

Result<> ProcessDriver::Stop(const MachineHandle& handle, Duration grace) {
  Result<MachineKey> key = DecodeHandle(kDriver, handle);
  if (!key.ok()) return key.error();
  return machines_.Stop(*key, grace);
}

Result<> ProcessDriver::Freeze(const MachineHandle&, bool) {
  return Failed(Code::kInvalid, "plain processes are not suspended");
}

Result<> ProcessDriver::PlaceVolume(const MachineHandle&, const MachineVolume&, bool) {
  return Error{Code::kInvalid, "", "plain processes have no data disks"};
}

Result<std::unique_ptr<ExecStream>> ProcessDriver::Exec(const MachineHandle& handle,
                                                        const ExecSpec& spec) {
  Result<MachineStatus> status = Observe(handle);
  if (!status.ok()) return status.error();
  if (status->phase != MachinePhase::kRunning) {
    return Failed(Code::kPrecondition, "the machine does not run");
  }
  ProgramSpec program{.argv = spec.argv, .directory = spec.directory, .new_session = true};
  program.environment.emplace();
  std::map<std::string, std::string> all{{"PATH", kHostPath}};
  for (const auto& [name, value] : spec.environment) all[name] = value;
  for (const auto& [name, value] : all) {
    program.environment->push_back(fmt::format("{}={}", name, value));
  }
  Result<ChildProgram> child = ChildProgram::Spawn(program);
  if (!child.ok()) return child.error();
  return std::unique_ptr<ExecStream>(std::make_unique<ProcessExec>(std::move(*child)));
}

Result<UniqueFd> ProcessDriver::ListenInside(const MachineHandle& handle, std::string_view address,
                                             uint16_t port, Transport transport) {
  constexpr uint16_t kMetadataPort = 80;
  Result<MachineKey> key = DecodeHandle(kDriver, handle);
  if (!key.ok()) return key.error();
  if (address != "169.254.169.254" || port != kMetadataPort || transport != Transport::kTcp) {
    return Failed(Code::kInvalid, "plain processes have a metadata server and nothing else");
  }
  std::optional<std::string> place = ReadStateFile(PlaceFile(key->id));
  if (!place) return Failed(Code::kNotFound, "no such machine");
  return ListenAtPlace(*place);
}

Result<> ProcessDriver::Remove(const MachineHandle& handle) {
  Result<MachineKey> key = DecodeHandle(kDriver, handle);
  if (!key.ok()) return key.error();
  Result<bool> removed = machines_.Remove(*key);
  return removed.ok() ? Result<>(Done{}) : Result<>(removed.error());
}

Result<std::vector<std::pair<std::string, MachineHandle>>> ProcessDriver::List() {
  std::vector<std::pair<std::string, MachineHandle>> all;
  for (const MachineKey& key : machines_.List()) {
    all.emplace_back(key.id, EncodeHandle(kDriver, key));
  }
  return all;
}

void ProcessDriver::OnStopped(std::function<void(const std::string& id)> sink) {
  machines_.OnStopped(std::move(sink));
}

Result<> ProcessDriver::Purge() {
  for (const MachineKey& key : machines_.List()) {
    if (Result<> removed = Remove(EncodeHandle(kDriver, key)); !removed.ok()) return removed;
  }
  return RemoveTree(settings_.state_directory + "/machines");
}

}  // namespace fireweed
