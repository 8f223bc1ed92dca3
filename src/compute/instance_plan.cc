#include "compute/instance_plan.h"

#include <algorithm>
#include <utility>

#include "compute/cards.h"
#include "compute/disk_changes.h"
#include "compute/hidden.h"

namespace fireweed::compute {
namespace {

using api::compute::InstanceStatus;

bool Live(const InstanceRecord& record) {
  return record.seen == MachineSeen::kStarting || record.seen == MachineSeen::kRunning;
}

// Also when Start was called and has not reported.
bool MayRun(const InstanceRecord& record) {
  bool unknown = record.seen == MachineSeen::kNothing && record.boot > 0 && !record.searched;
  return Live(record) || unknown;
}

bool RestartsByItself(const InstanceRecord& record) {
  const api::compute::Scheduling& rules = record.resource.scheduling;
  bool preemptible = IsPreemptible(rules);
  return rules.automaticRestart.value_or(!preemptible) && !preemptible;
}

void LookAgainBy(InstancePlan& plan, Time at) {
  if (!plan.look_again || at < *plan.look_again) plan.look_again = at;
}

bool Announced(const InstanceRecord& record) { return record.notice && !record.notice->taken; }

// Takes the step now, or says when the pause after a failure is over.
void TakeStep(InstancePlan& plan, InstanceStep step, Time now) {
  if (MayTry(plan.next.backoff, now)) {
    plan.step = step;
  } else {
    plan.look_again = plan.next.backoff.next_try;
  }
}

void LookWhenDue(InstancePlan& plan, const InstanceView& view) {
  if (view.look_at && *view.look_at <= view.now) {
    plan.step = InstanceStep::kLook;
  } else {
    plan.look_again = view.look_at;
  }
}

void BeginBoot(InstanceRecord& record) {
  record.boot = record.wanted_boot;
  record.handle.clear();
  record.seen = MachineSeen::kNothing;
  record.end = MachineEnd::kNone;
  record.frozen = false;
  record.stop_sent = false;
  record.finished = false;
  record.searched = false;
  record.notice.reset();
  record.boot_started.reset();
}

void GiveUpStart(InstancePlan& plan) {
  plan.failure = plan.next.last_error->ToError();
  plan.next.backoff = {};
  // A job wants to know why its replica did not start, and removes it when it does.
  if (IsReplica(plan.next)) {
    plan.next.want = InstanceWant::kStopped;
    return;
  }
  plan.next.last_error.reset();
  plan.next.want = plan.next.ever_ran ? InstanceWant::kStopped : InstanceWant::kGone;
}

bool StartIsHopeless(const InstanceRecord& record) {
  if (!record.last_error) return false;
  // A job has waited for its turn already, and waits for its cards, too.
  if (record.last_error->reason == kCardsTaken) return !IsReplica(record);
  return record.last_error->code == CodeName(Code::kInvalid) ||
         record.backoff.attempts >= kMostStarts;
}

void PlanEnded(InstancePlan& plan, const InstanceView& view) {
  InstanceRecord& next = plan.next;
  bool again =
      next.end == MachineEnd::kReboot || (next.end == MachineEnd::kDied && RestartsByItself(next));
  if (!again) {
    bool off = next.end == MachineEnd::kOffInside;
    next.want = InstanceWant::kStopped;
    next.finished = off && !next.notice && !next.stop_sent;
    next.resource.status = InstanceStatus::kTerminated;
    plan.reached = true;  // it did run; what it was asked to do is over
    if (off) plan.events.push_back({"compute.instances.guestTerminate"});
    if (next.end == MachineEnd::kDied) plan.events.push_back({"compute.instances.hostError"});
    return;
  }
  if (!MayTry(next.backoff, view.now)) {
    next.resource.status = InstanceStatus::kRepairing;
    plan.look_again = next.backoff.next_try;
    return;
  }
  if (next.end == MachineEnd::kDied) plan.events.push_back({"compute.instances.automaticRestart"});
  next.resource.status = InstanceStatus::kStaging;
  next.wanted_boot = next.boot + 1;
  BeginBoot(next);
  plan.step = InstanceStep::kStart;
}

void PlanDisks(InstancePlan& plan, Time now) {
  if (MayTry(plan.next.backoff, now)) {
    plan.step = InstanceStep::kDisk;
  } else {
    LookAgainBy(plan, *plan.next.backoff.next_try);
  }
}

void PlanRunning(InstancePlan& plan, const InstanceView& view) {
  InstanceRecord& next = plan.next;
  bool new_boot = next.boot < next.wanted_boot;
  if (Live(next) && new_boot) {  // reset, or the host's maintenance
    if (next.notice && next.notice->taken) {
      next.resource.status = InstanceStatus::kStopping;
      plan.grace = GraceOf(next.notice, view.now);
    }
    if (next.stop_sent) {
      LookWhenDue(plan, view);
    } else {
      TakeStep(plan, InstanceStep::kStop, view.now);
    }
    return;
  }
  if (Live(next) && next.frozen) {  // resume
    next.resource.status = InstanceStatus::kStaging;
    TakeStep(plan, InstanceStep::kThaw, view.now);
    return;
  }
  if (Live(next)) {
    bool up = next.seen == MachineSeen::kRunning;
    next.resource.status = up ? InstanceStatus::kRunning : InstanceStatus::kStaging;
    plan.reached = up && !Announced(next) && next.disk_changes.empty();
    LookWhenDue(plan, view);
    if (up && !next.disk_changes.empty()) PlanDisks(plan, view.now);
    return;
  }
  if (next.seen == MachineSeen::kStopped && !new_boot) {
    PlanEnded(plan, view);
    return;
  }
  if (!new_boot && StartIsHopeless(next)) {
    GiveUpStart(plan);
    return;
  }
  next.resource.status = InstanceStatus::kStaging;
  if (new_boot && MayRun(next)) {  // what the last Start has made is stopped before the next
    TakeStep(plan, InstanceStep::kFind, view.now);
    return;
  }
  if (new_boot) BeginBoot(next);
  TakeStep(plan, InstanceStep::kStart, view.now);
}

// Brings the machine down. True once there is none that runs.
bool BringDown(InstancePlan& plan, const InstanceView& view) {
  InstanceRecord& next = plan.next;
  if (Live(next)) {
    next.resource.status = InstanceStatus::kStopping;
    plan.grace = GraceOf(next.notice, view.now);
    if (IsReplica(next)) plan.grace = std::min(plan.grace, kReplicaGrace);
    if (next.stop_sent) {
      LookWhenDue(plan, view);
    } else {
      TakeStep(plan, InstanceStep::kStop, view.now);
    }
    return false;
  }
  if (MayRun(next)) {
    next.resource.status = InstanceStatus::kStopping;
    TakeStep(plan, InstanceStep::kFind, view.now);
    return false;
  }
  return true;
}

void PlanStopped(InstancePlan& plan, const InstanceView& view) {
  if (!BringDown(plan, view)) return;
  plan.next.resource.status = InstanceStatus::kTerminated;
  plan.reached = true;
}

void PlanGone(InstancePlan& plan, const InstanceView& view) {
  if (!BringDown(plan, view)) return;
  plan.next.resource.status = InstanceStatus::kStopping;
  TakeStep(plan, plan.next.handle.empty() ? InstanceStep::kErase : InstanceStep::kRemove, view.now);
}

void PlanSuspended(InstancePlan& plan, const InstanceView& view) {
  InstanceRecord& next = plan.next;
  if (!Live(next)) {  // it was faster than the freezer; what its end means is the next turn's
    plan.failure = Error{Code::kPrecondition, "", "The instance ended before it was suspended."};
    next.want = InstanceWant::kRunning;
    return;
  }
  if (next.frozen) {
    next.resource.status = InstanceStatus::kSuspended;
    plan.reached = true;
    LookWhenDue(plan, view);
    return;
  }
  if (next.last_error && next.last_error->code == CodeName(Code::kInvalid)) {
    plan.failure = next.last_error->ToError();
    next.want = InstanceWant::kRunning;
    next.resource.status = InstanceStatus::kRunning;
    next.backoff = {};
    next.last_error.reset();
    return;
  }
  if (!next.disk_changes.empty()) return PlanDisks(plan, view.now);  // not behind a frozen machine
  next.resource.status = InstanceStatus::kSuspending;
  TakeStep(plan, InstanceStep::kFreeze, view.now);
}

// The rules of the machine's own scheduling, or the weather, have ended its time.
void GiveNotice(InstancePlan& plan, const InstanceView& view) {
  InstanceRecord& next = plan.next;
  bool settled = next.want == InstanceWant::kRunning && next.seen == MachineSeen::kRunning &&
                 next.boot == next.wanted_boot && next.boot_started && !next.frozen;
  if (!settled || next.notice) return;
  std::string id = next.machine_id();
  std::optional<Fate> fate =
      FateOf(next.resource.scheduling, {id, next.boot, *next.boot_started}, view.preemption);
  if (!fate) return;
  if (fate->at > view.now) return LookAgainBy(plan, fate->at);
  AnnounceNotice(next, fate->cause, view.now);
  plan.events.push_back({std::string(NoticeVerb(fate->cause)), true});
}

// A notice that is due becomes what is wanted.
void TakeNotice(InstancePlan& plan, const InstanceView& view) {
  InstanceRecord& next = plan.next;
  if (!Announced(next) || next.want != InstanceWant::kRunning) return;
  Notice& notice = *next.notice;
  if (notice.due > view.now) return LookAgainBy(plan, notice.due);
  if (notice.cause == NoticeCause::kMigration) {
    next.notice.reset();
    return;
  }
  notice.taken = true;
  next.stop_sent = false;
  bool restarts = notice.cause == NoticeCause::kTermination && RestartsByItself(next);
  bool deletes = notice.cause != NoticeCause::kTermination &&
                 next.resource.scheduling.instanceTerminationAction == "DELETE";
  if (restarts) {
    next.wanted_boot = next.boot + 1;
  } else {
    next.want = deletes ? InstanceWant::kGone : InstanceWant::kStopped;
  }
}

}  // namespace

void AnnounceNotice(InstanceRecord& record, NoticeCause cause, Time now) {
  record.notice = MakeNotice(cause, now);
  ++record.generation;
  record.backoff = {};
  record.last_error.reset();
}

InstancePlan PlanInstance(const InstanceView& view) {
  InstancePlan plan{.next = view.record};
  // The next boot mounts what is attached by then.
  if (!Live(plan.next)) {
    for (const DiskChange& change : plan.next.disk_changes) ApplyDiskChange(plan.next, change);
    plan.next.disk_changes.clear();
  }
  std::optional<Time> ends;
  GiveNotice(plan, view);
  TakeNotice(plan, view);
  std::swap(ends, plan.look_again);
  switch (plan.next.want) {
    case InstanceWant::kRunning: PlanRunning(plan, view); break;
    case InstanceWant::kStopped: PlanStopped(plan, view); break;
    case InstanceWant::kGone: PlanGone(plan, view); break;
    case InstanceWant::kSuspended: PlanSuspended(plan, view); break;
  }
  if (ends) LookAgainBy(plan, *ends);
  if (plan.next.want != InstanceWant::kRunning && !MayRun(plan.next)) plan.next.cards.clear();
  plan.reached = plan.reached && plan.next.reached < plan.next.generation;
  if (plan.reached || plan.failure) plan.next.reached = plan.next.generation;
  return plan;
}

void NoteSighting(InstanceRecord& record, const MachineSighting& sighting, Time now) {
  bool was_live = Live(record);
  record.seen = sighting.seen;
  record.frozen = sighting.frozen;
  record.end = sighting.seen == MachineSeen::kStopped ? sighting.end : MachineEnd::kNone;
  record.last_error.reset();
  if (Live(record)) {
    record.ever_ran = true;
    if (!was_live) {
      record.boot_started = now;
      record.resource.lastStartTimestamp = FormatTime(now);
    }
    if (!sighting.address.empty() && !record.resource.networkInterfaces.empty()) {
      api::compute::NetworkInterface& nic = record.resource.networkInterfaces.front();
      nic.networkIP = sighting.address;
      for (api::compute::AccessConfig& access : nic.accessConfigs) access.natIP = sighting.address;
    }
    return;
  }
  if (record.seen != MachineSeen::kStopped) return;
  record.ever_ran = true;
  record.last_exit = sighting.exit.value_or(
      LastExit{.boot = record.boot, .asked_by = "LOST", .message = "the machine is gone"});
  if (record.last_exit->time == Time{}) record.last_exit->time = now;
  if (was_live) record.resource.lastStopTimestamp = FormatTime(now);
  // A crash loop slows down; a machine that ran well for a while begins anew.
  bool healthy = record.boot_started && now - *record.boot_started >= kHealthyRun;
  if (record.end != MachineEnd::kDied || healthy) {
    record.backoff = {};
  } else {
    record.backoff = AfterFailure(record.backoff, kInstanceBackoff, record.key(), now);
  }
}

void NoteFailure(InstanceRecord& record, const Error& error, Time now) {
  record.last_error = OperationError::From(error);
  record.backoff = AfterFailure(record.backoff, kInstanceBackoff, record.key(), now);
}

}  // namespace fireweed::compute
