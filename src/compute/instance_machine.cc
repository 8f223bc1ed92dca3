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

// A replica may print faster than its lines are collected; this much of the console waits for the collector.
constexpr int64_t kKeptForCollector = 256 << 20;

void AddWorkload(MachineSpec& spec, const Workload& workload, bool own_root) {
  spec.workload = MachineWorkload{.argv = workload.argv,
                                  .environment = workload.environment,
                                  .directory = workload.directory,
                                  .tree = workload.tree,
                                  .marks = workload.log_marks};
  if (workload.log_marks) spec.console_keep_bytes = kKeptForCollector;
  for (const Mount& mount : workload.mounts) {
    if (!own_root) continue;
    if (mount.writable) {
      spec.volumes.push_back({.directory = mount.path, .inside = mount.path + "/upper"});
    } else {
      spec.binds.push_back({mount.path, mount.path});
    }
  }
}

// How the machine ended, in the words of a workload's owner.
LastExit LastExitOf(const MachineExit& exit, const InstanceRecord& record, Time ended) {
  LastExit last{.boot = record.boot,
                .code = exit.code,
                .signal = exit.code > 128 && exit.code <= 128 + 64 ? exit.code - 128 : 0,
                .out_of_memory = exit.out_of_memory,
                .message = exit.message,
                .time = ended};
  bool lost = !exit.message.empty() || (exit.kind == ExitKind::kKilled && !exit.out_of_memory);
  bool stopped = exit.stop_asked || (!record.workload && exit.asked_by == AskedBy::kOutside);
  last.asked_by = stopped ? "STOP" : lost ? "LOST" : record.workload ? "WORKLOAD" : "GUEST";
  return last;
}

}  // namespace

MachineSpec SpecOf(const InstanceRecord& record, const BootImage& image,
                   const std::string& console_directory, bool own_root) {
  MachineSpec spec{.id = record.machine_id(),
                   .boot = record.boot,
                   .hostname = FullHostname(record),
                   .image_layers = image.layers,
                   .writable_directory = image.disk,
                   .binds = image.binds,
                   .volumes = image.volumes,
                   .files = image.files,
                   .limits = {.cpus = record.cpus,
                              .visible_cpus = record.visible_cpus,
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
  if (record.workload) AddWorkload(spec, *record.workload, own_root);
  return spec;
}

MachineSighting SightingOf(const MachineStatus& status, const InstanceRecord& record) {
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
  sighting.exit = LastExitOf(exit, record, status.ended.value_or(Time{}));
  if (record.workload) {
    const std::string& who = sighting.exit->asked_by;
    sighting.end = who == "STOP"   ? MachineEnd::kStopped
                   : who == "LOST" ? MachineEnd::kDied
                                   : MachineEnd::kOffInside;
  } else if (exit.asked_by == AskedBy::kOutside) {
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
