#include "compute/group_records.h"

#include "compute/group_plan.h"

namespace fireweed::compute {

void AddError(GroupRecord& group, GroupError error) {
  if (group.errors.size() >= kMostGroupErrors) group.errors.erase(group.errors.begin());
  group.errors.push_back(std::move(error));
}

void NoteFailedMember(GroupRecord& group, GroupMember& member, const Error& error, Time now) {
  member.last_error = OperationError::From(error);
  member.backoff = AfterFailure(member.backoff, kMemberBackoff, group.MemberKey(member.name), now);
  AddError(group, {.instance = member.name,
                   .action = "CREATING",
                   .template_link = member.template_link,
                   .error = OperationError::From(error),
                   .at = now});
}

void NoteMemberFailure(Txn& txn, const InstanceRecord& instance, const Error& error, Time now) {
  auto row = txn.Find<GroupRecord>(instance.group);
  if (!row) return;
  for (GroupMember& member : row->value.members) {
    if (member.id != instance.resource.id) continue;
    NoteFailedMember(row->value, member, error, now);
    txn.Put(instance.group, row->value);
    return;
  }
}

}  // namespace fireweed::compute
