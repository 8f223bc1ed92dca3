// What for: makes managed groups what their records say. It decides nothing: PlanGroup does. It calls no driver either: it
//   writes rows of instances, and the instance controller brings them to life.
// Who calls: the control loop. May block: for the catalog only.
// Owns: nothing that matters: which instance belongs to which group is kept in memory to be woken, and is in the rows.
// A failure: a member that cannot be made is noted in the group's row and tried again later.
//
// Plans are made from cached rows, since most turns find nothing to do. What is written is written against the
// versions that were planned with; if one has moved on, the turn is taken again.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/log.h"
#include "catalog/fresh_row.h"
#include "compute/catalogue.h"
#include "compute/group_plan.h"
#include "compute/group_records.h"
#include "compute/instance_identity.h"
#include "compute/metadata_tree.h"
#include "compute/quota.h"
#include "control/controller.h"

namespace fireweed::compute {

// What holds for every instance that a group makes, as for those that people insert.
struct MemberRules {
  bool strict = false;
  QuotaLimits quotas;
};

class GroupController final : public Controller {
 public:
  GroupController(Catalog& catalog, const Catalogue& catalogue, InstanceIdentity& identity,
                  IdSource& ids, const Clock& clock, Logger& log, MemberRules rules);

  std::string_view kind() const override { return kRecordKind<GroupRecord>; }
  std::vector<std::string_view> also_watches() const override;
  std::vector<Key> Concerns(std::string_view kind, const Key& key) override;
  std::optional<Time> Reconcile(const Key& key) override;

 private:
  // What a plan was made from, with the versions it holds for.
  struct Sight {
    std::shared_ptr<const Row<GroupRecord>> group;
    std::vector<std::shared_ptr<const Row<InstanceRecord>>>
        instances;  // of the members, in their order
    std::vector<MemberView> members;
  };
  Sight Look(const Key& key);
  // False when what was planned with is no longer so.
  // What is stored; nullopt, and nothing is written, when the plan no longer holds.
  std::optional<GroupRecord> Apply(Txn& txn, const Sight& sight, const GroupPlan& plan,
                                   const ProjectIdentity& home);
  static bool Unmoved(Txn& txn, const Sight& sight, const std::string& name);
  void Delete(Txn& txn, const GroupRecord& group, const GroupMember& member);
  void Create(Txn& txn, GroupRecord& group, GroupMember& member, const ProjectIdentity& home,
              QuotaLedger& ledger);
  void Remember(const GroupRecord& group);

  // Constant after construction.
  Catalog& catalog_;
  const Catalogue& catalogue_;
  InstanceIdentity& identity_;
  IdSource& ids_;
  const Clock& clock_;
  Logger& log_;
  const MemberRules rules_;

  std::map<Key, Key> group_of_;  // instance to group; the control thread's alone
};

}  // namespace fireweed::compute
