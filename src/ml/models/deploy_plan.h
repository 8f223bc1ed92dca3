// What for: the next step of a version towards being served. Pure: no clock, store or log.
//
//               files copied, process answers
//   CREATING ───────────────────────────────────► READY ◄──────────────┐
//      │                                            │ │                │ answers again
//      │ the files or the process say               │ │ ends, or is    │
//      │ that it will never work                    │ │ parked when    │
//      ▼                                            │ │ idle           │
//   FAILED ───────────────┐                         │ └──► (READY, no process) ── somebody asks, or min nodes
//                         ▼                         ▼
//                      DELETING: withdrawn, requests under way finish, process and files go, row goes
//
// UPDATING is READY whose new number of nodes is not reached yet: requests are taken, and it ends with the next answer.
// A version that was ready once never becomes FAILED by itself: it is started again with growing pauses, and requests wait.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "ml/models/records.h"

namespace fireweed::ml {

// What the driver and the process's own answers say, kept in memory and looked for again after a restart.
struct Sighting {
  enum class Machine { kUnknown, kRuns, kEnded };
  Machine machine = Machine::kUnknown;
  int64_t boot = 0;      // which one was seen
  bool answers = false;  // it has said that it is ready
  // Of an end: the line in which the process said why, and whether trying again is no use.
  std::string reason;
  bool final = false;
  std::optional<Time> started;
  std::optional<Time> next_look;  // not before; none: at once
};

// What requests say.
struct Load {
  int64_t in_flight = 0;
  int64_t waiting = 0;
  std::optional<Time> last_use;  // none: since the process came up
};

struct DeployRules {
  Duration idle =
      std::chrono::minutes(10);  // how long before a version that may scale to zero is parked
  Duration drain = std::chrono::seconds(30);  // how long requests may finish when it is deleted
  Duration first_look =
      std::chrono::milliseconds(4);  // between questions whether it is ready; grows
  Duration last_look = std::chrono::milliseconds(100);
  Duration load_limit = std::chrono::minutes(5);  // from the start to the first answer
  BackoffRule backoff{.first = std::chrono::milliseconds(200), .longest = std::chrono::minutes(1)};
};

struct VersionView {
  const VersionRecord& record;
  Sighting sighting;
  Load load;
  Time now;
};

enum class DeployStep {
  kNone,
  kStart,   // copy the files, start the machine of record.boot
  kLook,    // ask the driver and the process
  kStop,    // stop and remove the machine
  kRemove,  // the same, then the files and the row
};

struct DeployPlan {
  VersionRecord next;  // to be stored when it differs
  DeployStep step = DeployStep::kNone;
  bool publish = false;   // requests may go to the process
  bool park = false;      // it is idle: goes unless somebody came meanwhile
  bool withdraw = false;  // no request is taken any more: deleted or failed
  std::optional<Error> failure;
  std::optional<Time> look_again;
};

// When to ask a process again that is not ready yet, after it ran for `age`.
Duration LookPause(Duration age, const DeployRules& rules);

DeployPlan PlanVersion(const VersionView& view, const DeployRules& rules);

// Whether the version may have no process while nobody asks.
bool MayPark(const api::ml::Version& version);

}  // namespace fireweed::ml
