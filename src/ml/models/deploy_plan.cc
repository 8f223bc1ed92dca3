#include "ml/models/deploy_plan.h"

#include <algorithm>

namespace fireweed::ml {
namespace {

using api::ml::VersionState;
using Machine = Sighting::Machine;

// Whether what was seen is about the machine that the record speaks of.
bool IsCurrent(const VersionView& view) { return view.sighting.boot == view.record.boot; }

bool IsWanted(const VersionView& view) {
  const VersionRecord& record = view.record;
  VersionState state = record.resource.state;
  if (state == VersionState::kCreating || state == VersionState::kUpdating) return true;
  return !MayPark(record.resource) || view.load.waiting > 0 || view.load.in_flight > 0;
}

DeployPlan PlanDeletion(const VersionView& view, const DeployRules& rules) {
  DeployPlan plan{.next = view.record, .withdraw = true};
  Time since = view.record.delete_since.value_or(view.now);
  if (view.load.in_flight > 0 && view.now < since + rules.drain) {
    plan.look_again = view.now + rules.last_look;
    return plan;
  }
  if (MayTry(view.record.backoff, view.now)) {
    plan.step = DeployStep::kRemove;
  } else {
    plan.look_again = view.record.backoff.next_try;
  }
  return plan;
}

void Fail(DeployPlan& plan, std::string reason) {
  plan.next.resource.state = VersionState::kFailed;
  plan.next.resource.errorMessage = reason;
  plan.next.wanted = false;
  plan.failure = Error{Code::kInvalid, "", std::move(reason)};
  plan.withdraw = true;
}

// The process has ended and nobody asked it to.
void PlanEnd(const VersionView& view, const DeployRules& rules, DeployPlan& plan) {
  const Sighting& seen = view.sighting;
  bool first = view.record.resource.state == VersionState::kCreating;
  constexpr int kMostTries = 3;  // of a version that never answered
  std::string reason = seen.reason.empty() ? "The serving process ended." : seen.reason;
  if (first && (seen.final || view.record.backoff.attempts + 1 >= kMostTries)) {
    Fail(plan, std::move(reason));
    plan.step = DeployStep::kStop;
    return;
  }
  // One that had answered is started again at once; only one that ends again and again waits.
  plan.next.backoff = AfterFailure(view.record.backoff, rules.backoff, view.record.uid, view.now);
  if (seen.answers && view.record.backoff.attempts == 0) plan.next.backoff.next_try.reset();
  plan.next.handle.clear();
  plan.next.wanted = false;
}

void PlanStarting(const VersionView& view, const DeployRules& rules, DeployPlan& plan) {
  Duration age = view.now - view.sighting.started.value_or(view.now);
  if (age > rules.load_limit) {
    if (view.record.resource.state == VersionState::kCreating) {
      Fail(plan, "The model did not become ready in time.");
    } else {
      plan.next.backoff =
          AfterFailure(view.record.backoff, rules.backoff, view.record.uid, view.now);
      plan.next.wanted = false;
    }
    plan.step = DeployStep::kStop;
    return;
  }
  if (!view.sighting.next_look || *view.sighting.next_look <= view.now) {
    plan.step = DeployStep::kLook;
  } else {
    plan.look_again = view.sighting.next_look;
  }
}

void PlanReady(const VersionView& view, const DeployRules& rules, DeployPlan& plan) {
  plan.publish = true;
  plan.next.reached = view.record.generation;
  plan.next.resource.state = VersionState::kReady;
  plan.next.resource.errorMessage.clear();
  if (view.record.backoff.attempts > 0) plan.next.backoff = {};
  if (!MayPark(view.record.resource)) return;
  Time used = std::max(view.load.last_use.value_or(Time{}), view.sighting.started.value_or(Time{}));
  bool busy = view.load.in_flight > 0 || view.load.waiting > 0;
  if (busy || view.now < used + rules.idle) {
    plan.look_again = std::max(used + rules.idle, view.now + rules.last_look);
    return;
  }
  plan.publish = false;
  plan.park = true;
  plan.next.wanted = false;
  plan.step = DeployStep::kStop;
}

}  // namespace

Duration LookPause(Duration age, const DeployRules& rules) {
  return std::clamp<Duration>(age / 8, rules.first_look, rules.last_look);
}

bool MayPark(const api::ml::Version& version) {
  if (version.manualScaling) return false;
  return version.autoScaling && version.autoScaling->minNodes == 0;
}

DeployPlan PlanVersion(const VersionView& view, const DeployRules& rules) {
  const VersionRecord& record = view.record;
  if (record.deleting) return PlanDeletion(view, rules);
  DeployPlan plan{.next = record};
  if (record.resource.state == VersionState::kFailed) {
    plan.withdraw = true;
    if (!record.handle.empty()) plan.step = DeployStep::kStop;
  }
  if (!record.wanted && !MayTry(record.backoff, view.now)) {
    plan.step = DeployStep::kNone;
    plan.look_again = record.backoff.next_try;
    return plan;
  }
  if (record.resource.state == VersionState::kFailed) return plan;
  if (!record.wanted) {
    if (!record.handle.empty()) {
      plan.step = DeployStep::kStop;
    } else if (IsWanted(view)) {
      plan.next.wanted = true;
      ++plan.next.boot;
      plan.step = DeployStep::kStart;
    }
    return plan;
  }
  if (record.handle.empty()) {
    plan.step = DeployStep::kStart;
  } else if (!IsCurrent(view) || view.sighting.machine == Machine::kUnknown) {
    plan.step = DeployStep::kLook;
  } else if (view.sighting.machine == Machine::kEnded) {
    PlanEnd(view, rules, plan);
    plan.look_again = view.now;
  } else if (view.sighting.answers) {
    PlanReady(view, rules, plan);
  } else {
    PlanStarting(view, rules, plan);
  }
  return plan;
}

}  // namespace fireweed::ml
