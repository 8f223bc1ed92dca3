// What for: makes instances what their records say. It decides nothing: PlanInstance does, the driver acts.
// Who calls: the control loop; actions run on the pool, one per instance at a time; the driver tells of ended
//   machines on a thread of its own.
// Owns: nothing that matters. When each machine should be looked at next is kept in memory, because after a
//   restart every one is looked at anyway.
// A failure: a driver's error is noted in the record, and the plan says when to try again.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/ids.h"
#include "base/log.h"
#include "compute/cards.h"
#include "compute/instance_machine.h"
#include "compute/instance_plan.h"
#include "compute/instance_sockets.h"
#include "control/action_pool.h"
#include "control/control_loop.h"
#include "control/controller.h"

namespace fireweed::compute {

// What instances are made of and live in. The references outlive the controller.
struct InstanceWorld {
  MachineDriver& driver;
  InstanceSockets& sockets;
  BootImages images;
  DataVolumes volumes;
  std::string console_directory;  // exists
  IdSource& ids;                  // of the operations the system begins by itself
  PreemptionRule preemption = {};
  // How often a machine is looked at although nothing was heard of it; zero: never.
  Duration look_every = std::chrono::seconds(60);
  std::vector<HostCard> cards = {};  // to lend
};

class InstanceController final : public Controller {
 public:
  InstanceController(Catalog& catalog, ControlLoop& loop, ActionPool& pool, InstanceWorld world,
                     const Clock& clock, Logger& log);

  std::string_view kind() const override { return kRecordKind<InstanceRecord>; }
  std::optional<Time> Reconcile(const Key& key) override;

  // Removes machines of the driver that no record knows: leftovers of a crash. Before the loop starts; may block.
  void RemoveForgotten();

 private:
  struct Looks {
    std::map<Key, std::optional<Time>> next;  // absent: at once
    std::map<std::string, Key> by_machine;
  };

  InstanceView ViewOf(const InstanceRecord& record) const;
  // Writes what a plan decided, and ends operations. The plan of what is stored now, which may be a newer one.
  std::optional<InstancePlan> Decide(const Key& key);
  void Store(Txn& txn, const InstanceRecord& before, const InstancePlan& plan);
  void ShowEvents(Txn& txn, const InstancePlan& plan);
  void EraseInstance(Txn& txn, const InstanceRecord& record);

  void Act(const Key& key, InstanceStep step);
  void Start(const InstanceRecord& record);
  // Before the machine can use them, so that after a crash the record still says whose they are. The names.
  Result<std::vector<std::string>> ClaimCards(const InstanceRecord& record);
  void Find(const InstanceRecord& record);
  void Look(const InstanceRecord& record, const std::string& handle);
  void Stop(const InstanceRecord& record, Duration grace);
  void Freeze(const InstanceRecord& record, bool frozen);
  void PlaceDisk(const InstanceRecord& record);
  void EndDiskChange(const InstanceRecord& acted_on, const std::optional<Error>& failure);
  void Remove(const InstanceRecord& record);
  // Changes the record if it still is at the same boot.
  void Record(const InstanceRecord& acted_on, std::string_view why,
              const std::function<void(InstanceRecord&)>& change);
  void RecordFailure(const InstanceRecord& acted_on, std::string_view what, const Error& error);
  void Heard(const std::string& machine_id);

  // Constant after construction.
  Catalog& catalog_;
  ControlLoop& loop_;
  ActionPool& pool_;
  const InstanceWorld world_;
  const Clock& clock_;
  Logger& log_;

  mutable Guarded<Looks> looks_;
};

}  // namespace fireweed::compute
