#include "machine/fake/fake_driver.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>

#include "machine/handle.h"

namespace fireweed {
namespace {

constexpr std::string_view kDriver = "fake";

Error NoSuchMachine(std::string_view id) {
  return Error{Code::kNotFound, "", fmt::format("no machine '{}' with this boot", id)};
}

std::optional<std::string> Label(const MachineSpec& spec, const std::string& name) {
  auto found = spec.labels.find("fake." + name);
  if (found == spec.labels.end()) return std::nullopt;
  return found->second;
}

std::optional<Duration> Seconds(const MachineSpec& spec, const std::string& name) {
  std::optional<std::string> text = Label(spec, name);
  if (!text) return std::nullopt;
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(std::strtod(text->c_str(), nullptr)));
}

MachineExit ScriptedExit(const MachineSpec& spec) {
  std::string how = Label(spec, "exit").value_or("off");
  if (how == "off") return {.kind = ExitKind::kOff, .asked_by = AskedBy::kInside};
  if (how == "reboot") return {.kind = ExitKind::kReboot, .asked_by = AskedBy::kInside};
  if (how == "killed") return {.kind = ExitKind::kKilled, .code = 137};
  return {.kind = ExitKind::kCrashed, .code = std::atoi(how.c_str())};
}

class FakeExec final : public ExecStream {
 public:
  Result<int> Wait() override { return 0; }
};

}  // namespace

DriverCapabilities FakeDriver::capabilities() const {
  return {.driver = std::string(kDriver),
          .own_root = true,
          .own_network = true,
          .listen_inside = true,
          .limits = true,
          .freeze = true,
          .exec = true,
          .user_namespace = true,
          .weaknesses = {"nothing runs: machines are imagined"}};
}

MachineStatus FakeDriver::StatusOf(const Machine& machine) const {
  Time now = clock_.Now();
  Time running = machine.started + Seconds(machine.spec, "start-seconds").value_or(Duration(0));
  MachineStatus status{
      .frozen = machine.frozen, .addresses = {machine.address}, .started = machine.started};
  if (machine.end && now >= machine.end->first && !machine.frozen) {
    status.phase = MachinePhase::kStopped;
    status.exit = machine.end->second;
    status.ended = machine.end->first;
    return status;
  }
  status.phase = now < running ? MachinePhase::kStarting : MachinePhase::kRunning;
  if (now < running) status.look_again = running;
  if (machine.end && !machine.frozen) {
    status.look_again =
        std::min(status.look_again.value_or(machine.end->first), machine.end->first);
  }
  return status;
}

Result<MachineHandle> FakeDriver::Start(const MachineSpec& spec) {
  if (Result<> checked = CheckSpec(spec); !checked.ok()) return checked.error();
  bool booted = false;
  std::optional<Machine> earlier = state_.With([&](State& state) -> std::optional<Machine> {
    auto found = state.machines.find(spec.id);
    if (found == state.machines.end()) return std::nullopt;
    return found->second;
  });
  Result<MachineHandle> handle = Boot(spec, booted);
  if (!handle.ok() || !booted || !spec.before_boot) return handle;
  if (Result<> prepared = spec.before_boot(*handle); !prepared.ok()) {
    (void)Remove(*handle);
    if (earlier) state_.With([&](State& state) { state.machines[spec.id] = std::move(*earlier); });
    return prepared.error();
  }
  return handle;
}

Result<MachineHandle> FakeDriver::Boot(const MachineSpec& spec, bool& booted) {
  Time now = clock_.Now();
  return state_.With([&](State& state) -> Result<MachineHandle> {
    auto found = state.machines.find(spec.id);
    if (found != state.machines.end()) {
      Machine& old = found->second;
      if (old.spec.boot == spec.boot) return EncodeHandle(kDriver, {spec.id, spec.boot});
      if (spec.boot < old.spec.boot || StatusOf(old).phase != MachinePhase::kStopped) {
        return Error{Code::kPrecondition, "", "an earlier boot still runs, or a later one has"};
      }
    }
    int failures = std::atoi(Label(spec, "start-failures").value_or("0").c_str());
    if (int& failed = state.failed_starts[spec.id]; failed < failures) {
      ++failed;
      return Error{Code::kUnavailable, "", fmt::format("scripted start failure {}", failed)};
    }
    Machine machine{.spec = spec, .started = now};
    machine.address =
        !spec.wanted_address.empty() ? spec.wanted_address
        : found != state.machines.end()
            ? found->second.address
            : fmt::format("10.0.{}.{}", state.next_address / 250, state.next_address % 250 + 1);
    ++state.next_address;
    if (std::optional<Duration> run = Seconds(spec, "run-seconds")) {
      machine.end = {now + Seconds(spec, "start-seconds").value_or(Duration(0)) + *run,
                     ScriptedExit(spec)};
    }
    state.machines.insert_or_assign(spec.id, std::move(machine));
    booted = true;
    return EncodeHandle(kDriver, {spec.id, spec.boot});
  });
}

Result<MachineStatus> FakeDriver::Look(const MachineHandle& handle) {
  Result<MachineKey> key = DecodeHandle(kDriver, handle);
  if (!key.ok()) return key.error();
  std::function<void(const std::string&)> tell;
  Result<MachineStatus> status = state_.With([&](State& state) -> Result<MachineStatus> {
    auto found = state.machines.find(key->id);
    if (found == state.machines.end() || found->second.spec.boot != key->boot) {
      return NoSuchMachine(key->id);
    }
    MachineStatus seen = StatusOf(found->second);
    if (seen.phase == MachinePhase::kStopped && !std::exchange(found->second.told, true)) {
      tell = state.sink;
    }
    return seen;
  });
  if (tell) tell(key->id);
  return status;
}

Result<MachineStatus> FakeDriver::Observe(const MachineHandle& handle) { return Look(handle); }

Result<> FakeDriver::Stop(const MachineHandle& handle, Duration grace) {
  Result<MachineStatus> status = Look(handle);
  if (!status.ok()) return status.error();
  if (status->phase == MachinePhase::kStopped) return Done{};
  Time now = clock_.Now();
  state_.With([&](State& state) {
    auto found = state.machines.find(DecodeHandle(kDriver, handle)->id);
    if (found == state.machines.end()) return;
    Machine& machine = found->second;
    Duration needed = Seconds(machine.spec, "stop-seconds").value_or(Duration(0));
    bool in_time = grace > Duration(0) && needed <= grace;
    MachineExit exit{.kind = in_time ? ExitKind::kOff : ExitKind::kKilled,
                     .asked_by = AskedBy::kOutside,
                     .code = in_time ? 0 : 137,
                     .stop_asked = true};
    Time at = now + std::min(needed, grace);
    machine.frozen = false;
    if (!machine.end || at < machine.end->first) machine.end = {at, exit};
  });
  return Look(handle).ok() ? Result<>(Done{}) : Result<>(NoSuchMachine("stopped"));
}

Result<> FakeDriver::Freeze(const MachineHandle& handle, bool frozen) {
  Result<MachineStatus> status = Look(handle);
  if (!status.ok()) return status.error();
  if (status->phase == MachinePhase::kStopped) {
    return Error{Code::kPrecondition, "", "the machine is stopped"};
  }
  state_.With([&](State& state) {
    auto found = state.machines.find(DecodeHandle(kDriver, handle)->id);
    if (found != state.machines.end()) found->second.frozen = frozen;
  });
  return Done{};
}

Result<> FakeDriver::PlaceVolume(const MachineHandle& handle, const MachineVolume& volume,
                                 bool there) {
  Result<MachineStatus> status = Look(handle);
  if (!status.ok()) return status.error();
  std::string id = DecodeHandle(kDriver, handle)->id;
  if (status->phase == MachinePhase::kStopped) return NoSuchMachine(id);
  return state_.With([&](State& state) -> Result<> {
    auto found = state.machines.find(id);
    if (found == state.machines.end()) return NoSuchMachine(id);
    MachineSpec& spec = found->second.spec;
    auto same = [&](const MachineVolume& other) { return other.directory == volume.directory; };
    bool mounted = std::ranges::any_of(spec.volumes, same);
    if (there && !mounted) spec.volumes.push_back(volume);
    if (there || !mounted) return Done{};
    if (std::optional<std::string> busy = Label(spec, "busy-disk");
        busy && volume.inside.ends_with("/" + *busy)) {
      return Error{Code::kPrecondition, "", "in use inside"};
    }
    std::erase_if(spec.volumes, same);
    return Done{};
  });
}

std::vector<std::string> FakeDriver::MountPoints(const std::string& id) const {
  return state_.With([&](const State& state) {
    std::vector<std::string> points;
    auto found = state.machines.find(id);
    if (found == state.machines.end()) return points;
    for (const MachineVolume& volume : found->second.spec.volumes) points.push_back(volume.inside);
    return points;
  });
}

std::vector<std::string> FakeDriver::LentDevices() const {
  return state_.With([&](const State& state) {
    std::vector<std::string> lent;
    for (const auto& [id, machine] : state.machines) {
      if (StatusOf(machine).phase == MachinePhase::kStopped) continue;
      const std::vector<std::string>& devices = machine.spec.cards.devices;
      lent.insert(lent.end(), devices.begin(), devices.end());
    }
    std::ranges::sort(lent);
    return lent;
  });
}

Result<std::unique_ptr<ExecStream>> FakeDriver::Exec(const MachineHandle& handle,
                                                     const ExecSpec& spec) {
  Result<MachineStatus> status = Look(handle);
  if (!status.ok()) return status.error();
  if (status->phase == MachinePhase::kStopped || spec.argv.empty()) {
    return Error{Code::kPrecondition, "", "the machine is stopped, or there is nothing to run"};
  }
  std::string text = state_.With([&](State& state) {
    auto found = state.machines.find(DecodeHandle(kDriver, handle)->id);
    return found == state.machines.end() ? std::string()
                                         : Label(found->second.spec, "exec-output").value_or("");
  });
  int in[2], out[2], err[2];
  if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) {
    return ErrnoError(errno, "pipe");
  }
  auto stream = std::make_unique<FakeExec>();
  UniqueFd unread(in[0]), writer(out[1]), unwritten(err[1]);
  stream->input = UniqueFd(in[1]);
  stream->output = UniqueFd(out[0]);
  stream->error = UniqueFd(err[0]);
  // A label is far smaller than a pipe's buffer.
  if (write(writer.get(), text.data(), text.size()) < 0) return ErrnoError(errno, "write");
  return std::unique_ptr<ExecStream>(std::move(stream));
}

Result<UniqueFd> FakeDriver::ListenInside(const MachineHandle& handle, std::string_view, uint16_t,
                                          Transport transport) {
  Result<MachineStatus> status = Look(handle);
  if (!status.ok()) return status.error();
  if (status->phase == MachinePhase::kStopped) {
    return Error{Code::kPrecondition, "", "the machine is stopped"};
  }
  int type = transport == Transport::kTcp ? SOCK_STREAM : SOCK_DGRAM;
  UniqueFd fd(socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in loopback{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (!fd || bind(fd.get(), reinterpret_cast<sockaddr*>(&loopback), sizeof loopback) != 0 ||
      (transport == Transport::kTcp && listen(fd.get(), SOMAXCONN) != 0)) {
    return ErrnoError(errno, "listen");
  }
  return fd;
}

Result<> FakeDriver::Remove(const MachineHandle& handle) {
  Result<MachineKey> key = DecodeHandle(kDriver, handle);
  if (!key.ok()) return key.error();
  state_.With([&](State& state) {
    auto found = state.machines.find(key->id);
    if (found == state.machines.end() || found->second.spec.boot != key->boot) return;
    state.machines.erase(found);
    state.failed_starts.erase(key->id);
  });
  return Done{};
}

Result<std::vector<std::pair<std::string, MachineHandle>>> FakeDriver::List() {
  return state_.With([](State& state) {
    std::vector<std::pair<std::string, MachineHandle>> all;
    for (const auto& [id, machine] : state.machines) {
      all.emplace_back(id, EncodeHandle(kDriver, {id, machine.spec.boot}));
    }
    return all;
  });
}

void FakeDriver::OnStopped(std::function<void(const std::string& id)> sink) {
  state_.With([&](State& state) { state.sink = std::move(sink); });
}

Result<> FakeDriver::Purge() {
  state_.With([](State& state) {
    state.machines.clear();
    state.failed_starts.clear();
  });
  return Done{};
}

}  // namespace fireweed
