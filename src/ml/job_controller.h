// What for: makes training jobs what their records say. It decides nothing: PlanJob does. It calls no driver either: it
//   writes rows of instances, and the instance controller brings them to life.
// Who calls: the control loop. May block: for the catalog, and for the log store's files.
// Owns: nothing that matters: which instance belongs to which job is kept in memory to be woken, and is in the rows.
// A failure: a replica that cannot be made ends its job with the reason.
//
// Plans are made from cached rows. What is written is written against the versions that were planned with; if one has
// moved on, the turn is taken again. The service's lines are written before the plan is stored: a crash in between
// says one of them twice, and loses none.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "catalog/fresh_row.h"
#include "compute/records.h"
#include "control/controller.h"
#include "ml/environments.h"
#include "ml/job_plan.h"
#include "ml/job_record.h"
#include "ml/log_collector.h"
#include "ml/replica_instances.h"

namespace fireweed::ml {

// What jobs live in. The references outlive the controller.
struct JobWorld {
  ReplicaTerms replicas;
  Environments& environments;
  LogCollector& collector;
  std::function<void(const JobRecord&, const JobLine&)> say;
  // The last lines that a task has printed, oldest first.
  std::function<std::vector<std::string>(const JobRecord&, const std::string& trial,
                                         const std::string& task)>
      last_lines;
  // No more lines are expected of a job; called once or more. Must not block.
  std::function<void(const JobRecord&)> seal;
  JobRules rules = {};
  bool strict = false;  // pins that a runtime meets with another version are refused
};

class JobController final : public Controller {
 public:
  JobController(Catalog& catalog, JobWorld world, const Clock& clock, Logger& log);

  std::string_view kind() const override { return kRecordKind<JobRecord>; }
  std::vector<std::string_view> also_watches() const override;
  std::vector<Key> Concerns(std::string_view kind, const Key& key) override;
  std::optional<std::vector<Key>> start_keys() const override;
  std::optional<Time> Reconcile(const Key& key) override;

 private:
  using InstanceRow = std::shared_ptr<const Row<compute::InstanceRecord>>;
  // What a plan was made from, with the versions it holds for.
  struct Sight {
    std::shared_ptr<const Row<JobRecord>> job;
    std::vector<std::vector<InstanceRow>> instances;  // as gangs and replicas
  };
  Sight Look(const Key& key);
  JobView ViewOf(const Sight& sight);
  void Say(const JobRecord& job, const JobPlan& plan);
  void Seal(const JobRecord& job);
  void AddLastLines(JobPlan& plan);
  // False when what was planned with is no longer so.
  // What is stored; nullopt, and nothing is written, when the plan no longer holds.
  std::optional<JobRecord> Apply(Txn& txn, const Sight& sight, const JobPlan& plan);
  static bool Unmoved(Txn& txn, const Sight& sight, const JobStep& step);
  void Take(Txn& txn, JobRecord& next, const JobStep& step);
  void Remember(const JobRecord& job);
  void Forget(const Key& job);

  // Constant after construction.
  Catalog& catalog_;
  const JobWorld world_;
  const Clock& clock_;
  Logger& log_;

  // The control thread's alone.
  std::map<Key, Key> job_of_;  // by instance
  std::set<Key> waiting_;      // for their packages
};

}  // namespace fireweed::ml
