// A group as its readers see it: its row together with its members' instances, at one moment. Used by the services inside
// a transaction; the controller has its own, from cached rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/compute/instance_groups.h"
#include "catalog/catalog.h"
#include "compute/group_plan.h"
#include "compute/group_records.h"

namespace fireweed::compute {

class GroupSight {
 public:
  GroupSight(Txn& txn, const GroupRecord& group);
  GroupSight(const GroupSight&) = delete;
  GroupSight& operator=(const GroupSight&) = delete;

  GroupView view() const { return {group_, views_, {}}; }
  // With size, actions and stability as they are.
  api::compute::ManagedGroup Manager() const;
  api::compute::InstanceGroup Group() const;
  api::compute::ManagedInstance Member(size_t index) const;
  size_t size() const { return group_.members.size(); }

 private:
  const GroupRecord& group_;  // outlives this
  std::vector<std::optional<InstanceRecord>> instances_;
  std::vector<MemberView> views_;
};

std::string GroupPath(std::string_view project, std::string_view zone, std::string_view name);
// kNotFound when there is none.
GroupRecord FindGroup(Txn& txn, const std::string& project, const std::string& zone,
                      const std::string& name);
// Managed groups and plain ones share their names: kExists when one of either kind has it.
void RefuseTakenGroup(Txn& txn, const std::string& project, const std::string& zone,
                      const std::string& name);

}  // namespace fireweed::compute
