#include "compute/instance_controller.h"

#include <fcntl.h>
#include <unistd.h>

#include <set>

#include <fmt/format.h>

#include "base/unique_fd.h"
#include "compute/disk_changes.h"
#include "compute/group_records.h"
#include "compute/hidden.h"
#include "compute/links.h"
#include "compute/metadata_tree.h"
#include "compute/operations_service.h"

namespace fireweed::compute {
namespace {

// When sockets could not be opened, or a stop is under way and nothing was heard: soon, but not busily.
constexpr Duration kSoon = std::chrono::seconds(1);

// What the user should know stands at the top of the serial port, too. Best effort: the console is not worth a
// failed boot.
void WriteWarnings(const std::string& console, const InstanceRecord& record) {
  if (record.warnings.empty()) return;
  UniqueFd fd(open(console.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640));
  for (const std::string& warning : record.warnings) {
    std::string line = "fireweed: " + warning + "\n";
    if (!fd || write(fd.get(), line.data(), line.size()) < 0) return;
  }
}

}  // namespace

InstanceController::InstanceController(Catalog& catalog, ControlLoop& loop, ActionPool& pool,
                                       InstanceWorld world, const Clock& clock, Logger& log)
    : catalog_(catalog),
      loop_(loop),
      pool_(pool),
      world_(std::move(world)),
      clock_(clock),
      log_(log) {
  world_.driver.OnStopped([this](const std::string& id) { Heard(id); });
}

void InstanceController::Heard(const std::string& machine_id) {
  std::optional<Key> key = looks_.With([&](Looks& looks) -> std::optional<Key> {
    auto found = looks.by_machine.find(machine_id);
    if (found == looks.by_machine.end()) return std::nullopt;
    looks.next.erase(found->second);
    return found->second;
  });
  if (key) loop_.Wake(kind(), *key);
}

InstanceView InstanceController::ViewOf(const InstanceRecord& record) const {
  Time now = clock_.Now();
  std::optional<Time> look_at = looks_.With([&](Looks& looks) -> std::optional<Time> {
    auto found = looks.next.find(record.key());
    return found == looks.next.end() ? std::optional(now) : found->second;
  });
  return {record, now, look_at, world_.preemption};
}

std::optional<Time> InstanceController::Reconcile(const Key& key) {
  auto row = Query(catalog_, [&](Txn& txn) { return txn.Find<InstanceRecord>(key); });
  if (!row) {
    looks_.With([&](Looks& looks) {
      looks.next.erase(key);
      std::erase_if(looks.by_machine, [&](const auto& entry) { return entry.second == key; });
    });
    return std::nullopt;
  }
  InstancePlan plan = PlanInstance(ViewOf(row->value));
  // An instance at rest has nothing to write; most turns of the loop end here.
  if (plan.step == InstanceStep::kErase || !SameValue(plan.next, row->value)) {
    std::optional<InstancePlan> decided = Decide(key);
    if (!decided) return std::nullopt;
    plan = *std::move(decided);
  }
  if (plan.step != InstanceStep::kNone && plan.step != InstanceStep::kErase) {
    pool_.Submit(kind(), key, [this, key, step = plan.step] { Act(key, step); });
  }
  return plan.look_again;
}

std::optional<InstancePlan> InstanceController::Decide(const Key& key) {
  auto decide = [&](Txn& txn) -> std::optional<InstancePlan> {
    auto row = txn.Find<InstanceRecord>(key);
    if (!row) return std::nullopt;
    InstancePlan plan = PlanInstance(ViewOf(row->value));
    Store(txn, row->value, plan);
    return plan;
  };
  return Update(catalog_, "instance plan", decide);
}

void InstanceController::Store(Txn& txn, const InstanceRecord& before, const InstancePlan& plan) {
  Time now = clock_.Now();
  if (plan.failure) Settle(txn, kind(), before.key(), before.generation, plan.failure, now);
  if (plan.failure && !before.group.empty()) NoteMemberFailure(txn, before, *plan.failure, now);
  if (plan.reached) Settle(txn, kind(), before.key(), before.generation, std::nullopt, now);
  ShowEvents(txn, plan);
  ReleaseDisks(txn, before, plan.next, now);
  if (plan.step == InstanceStep::kErase) {
    EraseInstance(txn, plan.next);
  } else if (!SameValue(plan.next, before)) {
    txn.Put(before.key(), plan.next);
  }
}

void InstanceController::ShowEvents(Txn& txn, const InstancePlan& plan) {
  if (IsReplica(plan.next)) return;  // its job tells what happened to it
  for (const SystemEvent& event : plan.events) {
    Operation operation = SystemOperation(world_.ids, plan.next, event.verb);
    if (!event.open) operation.ended = clock_.Now();
    Begin(txn, operation, clock_.Now());
  }
}

void InstanceController::EraseInstance(Txn& txn, const InstanceRecord& record) {
  for (const api::compute::AttachedDisk& disk : record.resource.disks) {
    Key key = record.project + "/" + record.zone + "/" + LastWord(disk.source);
    auto row = txn.Find<DiskRecord>(key);
    if (!row) continue;
    std::erase(row->value.resource.users, record.resource.selfLink);
    // What others still read outlives whoever brought it.
    if (disk.autoDelete && row->value.resource.users.empty()) {
      txn.Erase<DiskRecord>(key);
    } else {
      row->value.resource.lastDetachTimestamp = FormatTime(clock_.Now());
      txn.Put(key, row->value);
    }
  }
  txn.Erase<GuestAttributes>(record.key());
  txn.Erase<InstanceRecord>(record.key());
  Settle(txn, kind(), record.key(), kGone, std::nullopt, clock_.Now());
}

// The record may have moved on while the action waited for its turn: a step that is no longer the plan's is left
// alone, and the loop looks again.
void InstanceController::Act(const Key& key, InstanceStep step) {
  auto row = Query(catalog_, [&](Txn& txn) { return txn.Find<InstanceRecord>(key); });
  if (!row) return;
  InstancePlan plan = PlanInstance(ViewOf(row->value));
  if (plan.step != step || !SameValue(plan.next, row->value)) return;
  const InstanceRecord& record = row->value;
  looks_.With([&](Looks& looks) { looks.by_machine[record.machine_id()] = key; });
  switch (step) {
    case InstanceStep::kStart: Start(record); break;
    case InstanceStep::kFind: Find(record); break;
    case InstanceStep::kLook: Look(record, record.handle); break;
    case InstanceStep::kStop: Stop(record, plan.grace); break;
    case InstanceStep::kFreeze: Freeze(record, true); break;
    case InstanceStep::kThaw: Freeze(record, false); break;
    case InstanceStep::kDisk: PlaceDisk(record); break;
    case InstanceStep::kRemove: Remove(record); break;
    case InstanceStep::kNone:
    case InstanceStep::kErase: break;
  }
}

void InstanceController::Start(const InstanceRecord& record) {
  Result<BootImage> image = world_.images(record);
  if (!image.ok()) return RecordFailure(record, "instance has no image", image.error());
  Result<std::vector<std::string>> cards = ClaimCards(record);
  if (!cards.ok()) return RecordFailure(record, "instance gets no cards", cards.error());
  bool own_root = world_.driver.capabilities().own_root;
  MachineSpec spec = SpecOf(record, *image, world_.console_directory, own_root);
  LendCards(spec, *cards, world_.cards, own_root);
  if (record.boot == 1 && record.backoff.attempts == 0) WriteWarnings(spec.console_path, record);
  // A machine never meets its metadata server closed.
  spec.before_boot = [this, key = record.key()](const MachineHandle& machine) {
    // An earlier try of this boot may have left sockets in a network that is gone.
    world_.sockets.Close(key);
    return world_.sockets.Open(key, machine);
  };
  Time begun = clock_.Now();
  Result<MachineHandle> handle = world_.driver.Start(spec);
  if (!handle.ok()) return RecordFailure(record, "instance did not start", handle.error());
  log_.Info("instance started",
            {{"instance", record.key()},
             {"id", record.resource.id},
             {"boot", record.boot},
             {"took", std::chrono::duration<double>(clock_.Now() - begun).count()}});
  Look(record, handle->text);
}

Result<std::vector<std::string>> InstanceController::ClaimCards(const InstanceRecord& record) {
  if (record.resource.guestAccelerators.empty()) return std::vector<std::string>();
  auto claim = [&](Txn& txn) -> Result<std::vector<std::string>> {
    auto row = txn.Find<InstanceRecord>(record.key());
    bool same =
        row && row->value.resource.id == record.resource.id && row->value.boot == record.boot;
    if (!same) return Error{Code::kPrecondition, "", "the instance has moved on"};
    Result<std::vector<std::string>> chosen = ChooseCards(txn, row->value, world_.cards);
    if (chosen.ok() && *chosen != row->value.cards) {
      row->value.cards = *chosen;
      txn.Put(record.key(), row->value);
    }
    return chosen;
  };
  return Update(catalog_, "cards claimed", claim);
}

void InstanceController::Look(const InstanceRecord& record, const std::string& handle) {
  Result<MachineStatus> status = world_.driver.Observe({handle});
  if (!status.ok() && status.error().code != Code::kNotFound) {
    return RecordFailure(record, "instance cannot be observed", status.error());
  }
  Key key = record.key();
  Time now = clock_.Now();
  MachineSighting sighting{.seen = MachineSeen::kStopped, .end = MachineEnd::kDied};
  std::optional<Time> next;
  if (status.ok()) {
    sighting = SightingOf(*status, record);
    if (world_.look_every > Duration(0)) next = now + world_.look_every;
    if (status->look_again && (!next || *status->look_again < *next)) next = status->look_again;
  }
  if (sighting.seen == MachineSeen::kStopped) {
    world_.sockets.Close(key);
  } else if (Result<> open = world_.sockets.Open(key, {handle}); !open.ok()) {
    log_.Warning("instance sockets not open", {{"instance", key}, {"error", open.error().message}});
    next = now + kSoon;
  }
  looks_.With([&](Looks& looks) { looks.next[key] = next; });
  Record(record, "instance seen", [&](InstanceRecord& stored) {
    stored.handle = status.ok() ? handle : "";
    stored.searched = !status.ok();
    NoteSighting(stored, sighting, now);
  });
  if (record.seen != sighting.seen && sighting.seen == MachineSeen::kStopped) {
    log_.Info("instance ended", {{"instance", key}, {"end", EnumName(sighting.end)}});
  }
}

void InstanceController::Find(const InstanceRecord& record) {
  auto all = world_.driver.List();
  if (!all.ok()) return RecordFailure(record, "machines cannot be listed", all.error());
  for (const auto& [id, handle] : *all) {
    if (id == record.machine_id()) return Look(record, handle.text);
  }
  Record(record, "instance not found", [](InstanceRecord& stored) { stored.searched = true; });
}

void InstanceController::Stop(const InstanceRecord& record, Duration grace) {
  Result<> stopped = world_.driver.Stop({record.handle}, grace);
  if (!stopped.ok() && stopped.error().code != Code::kNotFound) {
    return RecordFailure(record, "instance does not stop", stopped.error());
  }
  Record(record, "instance stop sent", [](InstanceRecord& stored) {
    stored.stop_sent = true;
    stored.last_error.reset();
  });
  looks_.With([&](Looks& looks) { looks.next.erase(record.key()); });
}

void InstanceController::Freeze(const InstanceRecord& record, bool frozen) {
  Result<> done = world_.driver.Freeze({record.handle}, frozen);
  // A machine that has ended or is gone is what the next look will find.
  bool ended = !done.ok() &&
               (done.error().code == Code::kNotFound || done.error().code == Code::kPrecondition);
  if (!done.ok() && !ended) return RecordFailure(record, "instance does not freeze", done.error());
  Look(record, record.handle);
}

void InstanceController::PlaceDisk(const InstanceRecord& record) {
  const DiskChange& change = record.disk_changes.front();
  Result<MachineVolume> volume = world_.volumes(record, change.disk);
  Result<> placed = volume.ok() ? world_.driver.PlaceVolume({record.handle}, *volume, change.attach)
                                : Result<>(volume.error());
  if (placed.ok()) return EndDiskChange(record, std::nullopt);
  Error error = placed.error();
  // What its end means is said by the next look.
  if (volume.ok() && error.code == Code::kNotFound) return Look(record, record.handle);
  bool busy = volume.ok() && error.code == Code::kPrecondition;
  if (!busy && error.code != Code::kInvalid && record.backoff.attempts + 1 < kMostStarts) {
    return RecordFailure(record, "disk not placed", error);
  }
  if (busy) {
    error = {
        Code::kInvalid, "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE",
        fmt::format("The disk resource '{}' is already being used by a program in '{}': it has "
                    "files open below {} or works there.",
                    change.disk.source, record.resource.selfLink, volume->inside)};
  }
  EndDiskChange(record, error);
}

void InstanceController::EndDiskChange(const InstanceRecord& acted_on,
                                       const std::optional<Error>& failure) {
  const DiskChange& change = acted_on.disk_changes.front();
  Time now = clock_.Now();
  catalog_.Write("disk change ended", [&](Txn& txn) {
    auto row = txn.Find<InstanceRecord>(acted_on.key());
    // A machine that was booted again meanwhile has the disks that the record says.
    bool same = row && row->value.resource.id == acted_on.resource.id &&
                row->value.boot == acted_on.boot && !row->value.disk_changes.empty() &&
                row->value.disk_changes.front().generation == change.generation;
    if (!same) return;
    InstanceRecord changed = row->value;
    changed.disk_changes.erase(changed.disk_changes.begin());
    if (!failure) ApplyDiskChange(changed, change);
    changed.backoff = {};
    changed.last_error.reset();
    ReleaseDisks(txn, row->value, changed, now);
    txn.Put(acted_on.key(), changed);
    Settle(txn, kind(), acted_on.key(), change.generation, failure, now);
  });
}

void InstanceController::Remove(const InstanceRecord& record) {
  world_.sockets.Close(record.key());
  Result<> removed = world_.driver.Remove({record.handle});
  if (!removed.ok()) return RecordFailure(record, "machine cannot be removed", removed.error());
  std::string console = ConsolePath(world_.console_directory, record);
  unlink(console.c_str());
  Record(record, "machine removed", [](InstanceRecord& stored) {
    stored.handle.clear();
    stored.seen = MachineSeen::kNothing;
    stored.searched = true;
  });
  log_.Info("instance removed", {{"instance", record.key()}, {"id", record.resource.id}});
}

void InstanceController::Record(const InstanceRecord& acted_on, std::string_view why,
                                const std::function<void(InstanceRecord&)>& change) {
  catalog_.Write(why, [&](Txn& txn) {
    auto row = txn.Find<InstanceRecord>(acted_on.key());
    bool same =
        row && row->value.resource.id == acted_on.resource.id && row->value.boot == acted_on.boot;
    if (!same) return;
    InstanceRecord changed = row->value;
    change(changed);
    if (!SameValue(changed, row->value)) txn.Put(acted_on.key(), changed);
  });
}

void InstanceController::RecordFailure(const InstanceRecord& acted_on, std::string_view what,
                                       const Error& error) {
  log_.Warning(what, {{"instance", acted_on.key()}, {"error", error.message}});
  Time now = clock_.Now();
  Record(acted_on, "instance action failed",
         [&](InstanceRecord& stored) { NoteFailure(stored, error, now); });
}

void InstanceController::RemoveForgotten() {
  auto all = world_.driver.List();
  if (!all.ok()) {
    log_.Warning("machines cannot be listed", {{"error", all.error().message}});
    return;
  }
  std::set<std::string> known;
  ForEach<InstanceRecord>(catalog_, {},
                          [&](const auto& row) { known.insert(row.value.machine_id()); });
  for (const auto& [id, handle] : *all) {
    if (known.contains(id)) continue;
    Result<> removed = world_.driver.Remove(handle);
    log_.Info("forgotten machine removed", {{"machine", id}, {"ok", removed.ok()}});
  }
}

}  // namespace fireweed::compute
