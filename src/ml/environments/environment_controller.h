// What for: makes environments what their rows say, each in a hidden builder instance, and answers who asks for one.
// Who calls: the control loop; Ask and Sweep any thread.
// May block: Ask and Reconcile for the catalog only; copying and finishing are actions.
// Owns: nothing that matters; what is complete is on the disk and says so itself.
// A failure: of a builder that was lost, tried again; of a package, the row's message.
//
//   WAITING ── base is there; action: packages are copied, the builder's row is written ──► BUILDING
//   BUILDING ── the builder has ended; action: its result is read, the directory completed ──► READY or FAILED
//   BUILDING ── the builder was lost or stopped ──► WAITING again, kMostAttempts times
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/log.h"
#include "compute/catalogue.h"
#include "control/action_pool.h"
#include "control/control_loop.h"
#include "control/controller.h"
#include "ml/environments.h"
#include "ml/environments/environment_plan.h"

namespace fireweed::ml {

struct EnvironmentParts {
  Catalog& catalog;
  ControlLoop& loop;
  ActionPool& pool;
  const compute::Catalogue& catalogue;
  PackageStore& packages;
  IdSource& ids;
  const Clock& clock;
  Logger& log;
};

struct EnvironmentRules {
  ReplicaWorld world;
  RuntimeTable runtimes;
  Duration keep = std::chrono::hours(24 * 30);  // since it was last asked for
  int64_t most_bytes = int64_t{20} << 30;       // of all that are complete
};

class EnvironmentController final : public Controller, public Environments {
 public:
  static constexpr int kMostAttempts = 3;

  EnvironmentController(EnvironmentParts parts, EnvironmentPlace place, EnvironmentRules rules);

  const RuntimeTable& runtimes() const { return rules_.runtimes; }
  EnvironmentAnswer Ask(const EnvironmentWish& wish) override;
  void OnChanged(std::function<void(const Key&)> sink) override { sink_ = std::move(sink); }

  std::string_view kind() const override { return kEnvironmentKind; }
  std::vector<std::string_view> also_watches() const override;
  std::vector<Key> Concerns(std::string_view kind, const Key& key) override;
  std::optional<Time> Reconcile(const Key& key) override;

  // Removes what nobody has asked for in long, and the oldest while all take too much room. What an instance has mounted,
  // an active job was prepared with, or somebody has just asked for stays. On a thread that may block.
  void Sweep();

 private:
  // The row as it is now, made where it is missing, and begun again where its directory is gone or a failure is old.
  EnvironmentRecord Ensure(const EnvironmentRecord& wanted);
  std::optional<EnvironmentRecord> Find(const Key& key) const;
  std::string BasePathOf(const EnvironmentRecord& record) const;

  std::optional<Time> Wait(const EnvironmentRecord& record);
  std::optional<Time> Watch(const EnvironmentRecord& record);
  void TellDependents(const Key& base);

  // Actions.
  void Begin(const EnvironmentRecord& record);
  Result<> Prepare(const EnvironmentRecord& record, const std::string& base_path);
  void Finish(const EnvironmentRecord& record);

  // Changes the row if it still is at the same attempt.
  void Change(const EnvironmentRecord& acted_on, std::string_view why,
              const std::function<void(Txn&, EnvironmentRecord&)>& change);
  void Fail(const EnvironmentRecord& record, const std::string& message);
  void DropBuilder(Txn& txn, EnvironmentRecord& record);
  std::vector<EnvironmentRecord> All() const;
  std::set<std::string> UsedPaths() const;
  // Out of the way and out of the catalog; false when somebody has asked for it meanwhile.
  bool SetAside(const EnvironmentRecord& record);

  const EnvironmentParts parts_;
  const EnvironmentPlace place_;
  const EnvironmentRules rules_;
  // Held while a row and its directory are changed together: by who asks anew, and by who removes both.
  std::mutex removing_;
  std::function<void(const Key&)> sink_;  // the control thread's once the loop runs
};

}  // namespace fireweed::ml
