#include "compute/cards.h"
#include "ml/job_plan.h"

namespace fireweed::ml {
namespace {

using compute::InstanceWant;
using compute::MachineSeen;
using Kind = ReplicaSight::Kind;

// How the machine ended, also where nothing was noted of it.
compute::LastExit ExitOf(const compute::InstanceRecord& instance) {
  if (instance.last_exit && instance.last_exit->boot == instance.boot) return *instance.last_exit;
  bool stopped = instance.end == compute::MachineEnd::kStopped || instance.stop_sent;
  return {.boot = instance.boot, .code = 137, .signal = 9, .asked_by = stopped ? "STOP" : "LOST"};
}

bool CardsTaken(const compute::InstanceRecord& instance) {
  return instance.last_error && instance.last_error->reason == compute::kCardsTaken;
}

// Cards are claimed last, and a machine that nothing was seen of yet starts when it has them.
bool HasBegun(const compute::InstanceRecord& instance) {
  if (instance.seen != MachineSeen::kNothing) return true;
  bool has_cards = instance.resource.guestAccelerators.empty() || !instance.cards.empty();
  return instance.want == InstanceWant::kRunning && !instance.last_error && has_cards;
}

}  // namespace

ReplicaSight SightOf(const compute::InstanceRecord* instance, const Replica& replica) {
  ReplicaSight sight;
  if (!instance || instance->resource.id != replica.instance_id) return sight;
  sight.boot = instance->boot;
  // One that somebody has suspended still has to be told to stop.
  sight.stopping =
      instance->want == InstanceWant::kStopped || instance->want == InstanceWant::kGone;
  if (instance->want == InstanceWant::kGone) return sight;
  if (instance->boot < replica.boot) {
    sight.kind = Kind::kBooting;
    return sight;
  }
  sight.begun = HasBegun(*instance);
  sight.wants_cards = CardsTaken(*instance);
  switch (instance->seen) {
    case MachineSeen::kRunning: sight.kind = Kind::kRunning; return sight;
    case MachineSeen::kStarting: sight.kind = Kind::kBooting; return sight;
    case MachineSeen::kStopped:
      sight.kind = Kind::kEnded;
      sight.exit = ExitOf(*instance);
      return sight;
    case MachineSeen::kNothing: break;
  }
  bool at_rest = instance->want == InstanceWant::kStopped &&
                 instance->resource.status == api::compute::InstanceStatus::kTerminated;
  sight.kind = Kind::kBooting;
  if (!at_rest) return sight;
  if (instance->last_error) {
    sight.kind = Kind::kBroken;
    sight.error = instance->last_error->message;
  } else {
    sight.kind = Kind::kEnded;
    sight.exit = {.boot = instance->boot, .code = 143, .signal = 15, .asked_by = "STOP"};
  }
  return sight;
}

}  // namespace fireweed::ml
