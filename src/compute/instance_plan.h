// What is the next step for an instance? All the thinking of its life cycle is here, and nothing else: no clock,
// store, log or randomness.
//
//            insert                Start                  process 1 runs
//   (none) ─────────► PROVISIONING ─────► STAGING ──────────────────────► RUNNING
//                          ▲                 │ cannot start                │ │ │
//                          │ start           ▼                             │ │ │ guest: poweroff, or died and
//                          │            (first boot: removed;              │ │ │ no automatic restart
//                          │             later ones: TERMINATED)           │ │ └───────────────► TERMINATED
//                          │                                               │ │ guest: reboot, reset, or died and
//                          │                                               │ │ restarts ──────► STAGING
//                          │                    machine has ended          ▼ stop, delete
//                          └──────── TERMINATED ◄──────────────────── STOPPING
//                                        │ delete                          │ deleted: machine has ended
//                                        └──────────► (Remove, row erased) ◄┘
//
//              suspend                Freeze                 resume: Thaw
//   RUNNING ──────────► SUSPENDING ─────────► SUSPENDED ────────────────► STAGING, RUNNING
//
//   A machine that died and will restart is REPAIRING while it waits for its turn.
//
// insert, start   want RUNNING and a higher wanted_boot; the step kStart carries the boot number, so that a crash
//                 after the call boots nothing twice.
// stop, delete    want STOPPED or GONE; kStop delivers the wish with its grace, then the machine's end is awaited.
// suspend         want SUSPENDED: frozen where it is; stop and delete thaw it first.
// a notice        of the host (compute/notice.h): when it is due it becomes a wish: STOPPED or, with the termination
//                 action DELETE, GONE; after maintenance a higher wanted_boot where the rules allow a restart.
// a data disk     that comes or goes while the machine runs is a change that waits for kDisk. A machine that has ended
//                 needs no step: its next boot mounts what the record says.
// reset           a higher wanted_boot while it runs: stopped without grace, then started with the new number.
// a search        a row whose Start has not reported has no handle: before it can be stopped, removed or booted with a
//                 higher number, kFind asks the driver whether there is a machine.
// a card          of the host is claimed by kStart and given back once nothing runs and nothing is to run.
// failures        of Start: tried again with growing pauses, given up after kMostStarts or at once when the
//                 request itself is wrong or its cards are taken. Of everything else: tried again for ever.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "compute/records.h"

namespace fireweed::compute {

inline constexpr int kMostStarts = 5;
// A machine that ran this long before it died starts its pauses from the beginning.
inline constexpr Duration kHealthyRun = std::chrono::minutes(10);
inline constexpr BackoffRule kInstanceBackoff{.first = std::chrono::milliseconds(200),
                                              .longest = std::chrono::minutes(1)};

enum class InstanceStep {
  kNone,
  kStart,
  kFind,
  kLook,
  kStop,
  kFreeze,
  kThaw,
  kDisk,
  kRemove,
  kErase
};

struct InstanceView {
  const InstanceRecord& record;
  Time now;
  // When the machine should be looked at again; nullopt when only news from the driver can change anything.
  std::optional<Time> look_at;
  PreemptionRule preemption = {};
};

// What the system did by itself, to be shown as an operation of its own.
struct SystemEvent {
  std::string verb;
  bool open = false;  // ends when the plan's generation is reached; else it is over
};

struct InstancePlan {
  InstanceStep step = InstanceStep::kNone;
  Duration grace{};  // of kStop
  // The record with what was decided: status, want, boot. Written before the step is taken.
  InstanceRecord next;
  bool reached = false;          // what the current generation wants has just become so
  std::optional<Error> failure;  // it will never be so
  std::optional<Time> look_again;
  std::vector<SystemEvent> events;
};

InstancePlan PlanInstance(const InstanceView& view);

// The host announces something to a machine: a new generation, which operations can wait for.
void AnnounceNotice(InstanceRecord& record, NoticeCause cause, Time now);

// Folds what a driver call told into the record. `status`: nullopt when there is no such machine.
struct MachineSighting {
  MachineSeen seen = MachineSeen::kNothing;
  MachineEnd end = MachineEnd::kNone;
  bool frozen = false;
  std::string address;
  std::optional<LastExit> exit;  // of a machine that has stopped and of which the driver knows how
};
void NoteSighting(InstanceRecord& record, const MachineSighting& sighting, Time now);
void NoteFailure(InstanceRecord& record, const Error& error, Time now);

}  // namespace fireweed::compute
