// Why the host is about to end a machine, or to move it: preemption, maintenance, time that is up. Pure.
//
//   given ───────────── due ─────────────── due + grace
//     │  the guest can   │ soft off: shutdown  │ killed
//     │  read about it   │ scripts run         │
//
// A preemption is due when it is given, and its grace is 30 s. Maintenance is announced a minute before. The notice
// is in the instance's row, with its times: whoever finds it after a crash goes on where it was.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/compute/instance.h"
#include "base/clock.h"
#include "compute/preemption.h"

namespace fireweed::compute {

enum class NoticeCause {
  kPreemption,
  kTermination,  // maintenance of the host ends the machine
  kMigration,    // maintenance that the machine does not feel
  kTimeUp,       // maxRunDuration or terminationTime
};

struct Notice {
  NoticeCause cause = NoticeCause::kPreemption;
  Time given{};
  Time due{};
  bool taken = false;  // what it demands is wanted already
};

// What shutdown scripts get: as the cloud gives them, and after a preemption.
inline constexpr Duration kStopGrace = std::chrono::seconds(90);
inline constexpr Duration kPreemptionGrace = std::chrono::seconds(30);
inline constexpr Duration kMaintenanceLead = std::chrono::seconds(60);
// A preemptible machine that is no Spot machine never runs longer.
inline constexpr Duration kLongestPreemptible = std::chrono::hours(24);

bool IsPreemptible(const api::compute::Scheduling& rules);

Notice MakeNotice(NoticeCause cause, Time now);
// What maintenance of the host means to a machine with these rules.
NoticeCause MaintenanceCause(const api::compute::Scheduling& rules);
// The operation in which the event appears, and the words of the metadata server.
std::string_view NoticeVerb(NoticeCause cause);
std::string_view MaintenanceEvent(const std::optional<Notice>& notice);

// How long a machine that has to go down now may take. A notice counts from its own time, however late the stop is.
Duration GraceOf(const std::optional<Notice>& notice, Time now);

// When the rules end a machine that has run since `started`, and why; nullopt: never.
struct Fate {
  Time at{};
  NoticeCause cause = NoticeCause::kTimeUp;
};
struct MachineRun {
  std::string_view machine_id;
  int64_t boot = 0;
  Time started{};
};
std::optional<Fate> FateOf(const api::compute::Scheduling& rules, const MachineRun& run,
                           const PreemptionRule& preemption);

}  // namespace fireweed::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<compute::NoticeCause> = "NoticeCause";
template <>
inline constexpr std::array<std::string_view, 4> kEnumNames<compute::NoticeCause>{
    "PREEMPTION", "TERMINATION", "MIGRATION", "TIME_UP"};
template <>
inline constexpr std::string_view kTypeName<compute::Notice> = "Notice";
template <>
inline constexpr auto kFields<compute::Notice> = [](auto...) {
  return Fields{F("cause", &compute::Notice::cause), F("given", &compute::Notice::given),
                F("due", &compute::Notice::due), F("taken", &compute::Notice::taken)};
};
}  // namespace fireweed
