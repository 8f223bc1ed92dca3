#include "compute/instance_machine.h"

#include <algorithm>

#include <fmt/format.h>

namespace fireweed::compute {

std::string FullHostname(const InstanceRecord& record) {
  if (!record.resource.hostname.empty()) return record.resource.hostname;
  return fmt::format("{}.{}.c.{}.internal", record.resource.name, record.zone, record.project);
}

std::string ConsolePath(const std::string& directory, const InstanceRecord& record) {
  return directory + "/" + record.machine_id() + ".log";
}

namespace {

// Enough for any trainer's threads; a fork bomb stays its own machine's trouble.
int64_t MostPids(double cpus) {
  constexpr int64_t kLeast = 4096, kPerCpu = 1024;
  return std::max(kLeast, static_cast<int64_t>(cpus * kPerCpu));
}

}  // namespace

MachineSpec SpecOf(const InstanceRecord& record, const BootImage& image,
                   const std::string& console_directory) {
  MachineSpec spec{.id = record.machine_id(),
                   .boot = record.boot,
                   .hostname = record.resource.name,
                   .image_layers = image.layers,
                   .writable_directory = image.disk,
                   .binds = image.binds,
                   .volumes = image.volumes,
                   .files = image.files,
                   .limits = {.cpus = record.cpus,
                              .memory_bytes = record.memory_mb << 20,
                              .pids = MostPids(record.cpus)},
                   .console_path = ConsolePath(console_directory, record)};
  for (const auto& [name, value] : record.resource.labels) {
    spec.labels[name.starts_with("fake_") ? "fake." + name.substr(5) : name] = value;
  }
  // A rebooted machine keeps its address: peers and ssh configurations know it.
  if (!record.resource.networkInterfaces.empty()) {
    spec.wanted_address = record.resource.networkInterfaces.front().networkIP;
  }
  return spec;
}

MachineSighting SightingOf(const MachineStatus& status) {
  MachineSighting sighting;
  if (!status.addresses.empty()) sighting.address = status.addresses.front();
  switch (status.phase) {
    case MachinePhase::kStarting: sighting.seen = MachineSeen::kStarting; break;
    case MachinePhase::kRunning: sighting.seen = MachineSeen::kRunning; break;
    case MachinePhase::kStopped: sighting.seen = MachineSeen::kStopped; break;
  }
  sighting.frozen = status.frozen && sighting.seen != MachineSeen::kStopped;
  if (sighting.seen != MachineSeen::kStopped) return sighting;
  MachineExit exit = status.exit.value_or(MachineExit{});
  bool inside = exit.asked_by == AskedBy::kInside;
  if (exit.asked_by == AskedBy::kOutside) {
    sighting.end = MachineEnd::kStopped;
  } else if (exit.kind == ExitKind::kReboot) {
    sighting.end = MachineEnd::kReboot;
  } else if (exit.kind == ExitKind::kOff && inside) {
    sighting.end = MachineEnd::kOffInside;
  } else {
    sighting.end = MachineEnd::kDied;
  }
  return sighting;
}

}  // namespace fireweed::compute
