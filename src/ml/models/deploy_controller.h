// What for: keeps a serving process for every version that is to have one, and tells the table where it listens.
// Who calls: the control loop; its slow steps run on the action pool, one per version at a time.
// May block: Reconcile for the catalog; actions for the driver, copies of models and a process that is slow to answer.
// Owns: what was seen of the processes, in memory: after a restart it is looked for again, and processes that still run
//   are adopted.
// A failure: of a model is its version's errorMessage; of the host is tried again with growing pauses.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/guarded.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "control/action_pool.h"
#include "control/control_loop.h"
#include "control/controller.h"
#include "machine/machine_driver.h"
#include "ml/models/deploy_plan.h"
#include "ml/models/serving_target.h"

namespace fireweed::ml {

// Where a version's files lie on this host.
struct ServingPlace {
  std::string root;     // everything below belongs to the version
  std::string model;    // the model's files; there only when they are complete
  std::string run;      // a machine volume; the socket is in its upper layer
  std::string socket;   // as this process reaches it
  std::string console;  // what the process prints
};

// What the controller needs of the world around it; all of it may block and is called by actions.
struct ServingWorld {
  MachineDriver& driver;
  std::string directory;  // of all places
  // Copies the model into a directory that is there and empty.
  std::function<Result<>(const VersionRecord&, const std::string& directory)> fetch;
  // The machine of the record's boot, but for its id, boot and console.
  std::function<Result<MachineSpec>(const VersionRecord&, const ServingPlace&)> describe;
  // Whether the process at the socket says that it is ready.
  std::function<bool(const std::string& socket)> ready;
};

// The reason of a kUnavailable that is no failure: what the version needs is being made.
inline constexpr std::string_view kBuildingReason = "building";

ServingPlace PlaceOf(const std::string& directory, const VersionRecord& record);

class DeployController final : public Controller {
 public:
  DeployController(Catalog& catalog, ControlLoop& loop, ActionPool& pool, ServingWorld world,
                   ServingTable& table, DeployRules rules, const Clock& clock, Logger& log);

  ~DeployController() override;

  std::string_view kind() const override { return kRecordKind<VersionRecord>; }
  std::optional<Time> Reconcile(const Key& key) override;

  // Machines and directories that no version speaks of: what a crash left. Before the loop runs.
  void RemoveForgotten();

 private:
  struct Sight {
    Sighting sighting;
    bool published = false;
  };
  struct Sights {
    std::map<Key, Sight> by_version;
    std::map<std::string, Key> by_machine;
  };

  void Heard(const std::string& machine_id);
  VersionView ViewOf(const VersionRecord& record);
  void Show(const VersionRecord& record, DeployPlan& plan);
  std::optional<DeployPlan> Decide(const Key& key);
  void Act(const Key& key, DeployStep step);
  void Start(const VersionRecord& record);
  Result<> FetchModel(const VersionRecord& record, const ServingPlace& place);
  void Look(const VersionRecord& record);
  void Stop(const VersionRecord& record);
  void Remove(const VersionRecord& record);
  Result<> RemoveMachine(const VersionRecord& record);
  Sighting EndOf(const VersionRecord& record, const MachineStatus& status) const;
  void Note(const VersionRecord& record, Sighting sighting);
  void Record(const VersionRecord& acted_on, std::string_view why,
              const std::function<void(Txn&, VersionRecord&)>& change);
  void RecordFailure(const VersionRecord& acted_on, std::string_view what, const Error& error);

  // Constant after construction.
  Catalog& catalog_;
  ControlLoop& loop_;
  ActionPool& pool_;
  const ServingWorld world_;
  ServingTable& table_;
  const DeployRules rules_;
  const Clock& clock_;
  Logger& log_;

  Guarded<Sights> sights_;
};

}  // namespace fireweed::ml
