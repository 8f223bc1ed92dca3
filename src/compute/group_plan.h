// What is the next step for a managed group? All the thinking is here, and nothing else: no clock, store, log or
// randomness. A group only writes rows: it makes instances and marks them to go; the instance controller does the rest.
//
//   a member without an instance            one is made, after a pause where the last ones failed or ended early
//   its instance is at rest (preempted,     the instance goes, and another of the same name comes: at once after a
//     stopped, powered off, suspended)      preemption, with growing pauses when it ends soon every time
//   its instance was deleted                another of the same name comes
//   its work is done (completion.h)         the instance goes, the member goes, the target size shrinks by one
//   too many members                        those go first that do not run, then the newest
//   the group is to go                      every member goes, then the row
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "compute/group_records.h"
#include "control/backoff.h"

namespace fireweed::compute {

inline constexpr BackoffRule kMemberBackoff{.first = std::chrono::seconds(1),
                                            .longest = std::chrono::minutes(2)};
// Rows made or marked in one turn, so that a large group does not hold up the others.
inline constexpr size_t kMostMemberSteps = 32;

// The member at the same place of the record. `instance`: the one made for it, null when there is none (any more).
struct MemberView {
  const InstanceRecord* instance = nullptr;
  bool work_done = false;
};

struct GroupView {
  const GroupRecord& group;
  const std::vector<MemberView>& members;
  Time now;
};

struct GroupStep {
  enum class Kind { kCreate, kDelete } kind = Kind::kCreate;
  std::string name;
};

struct GroupPlan {
  GroupRecord next;
  std::vector<GroupStep> steps;
  bool erase = false;  // nothing is left: the row goes, and operations end
  std::optional<Time> look_again;
};

GroupPlan PlanGroup(const GroupView& view);

// The `number`th name of a group: its base name and four letters or digits that look like chance.
std::string MemberName(const GroupRecord& group, int64_t number);

// What the API says of a member and of the whole. Pure as well.
std::string_view MemberAction(const GroupMember& member, const InstanceRecord* instance);
bool IsStable(const GroupView& view);
// Whether every member that was made and stays is of the present template.
bool IsOfOneVersion(const GroupRecord& group);
api::compute::GroupActions CountActions(const GroupView& view);

}  // namespace fireweed::compute
