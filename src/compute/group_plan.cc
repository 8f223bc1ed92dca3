#include "compute/group_plan.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/checksum.h"
#include "compute/instance_plan.h"

namespace fireweed::compute {
namespace {

using api::compute::InstanceStatus;

bool Runs(const InstanceRecord& instance) {
  return instance.want == InstanceWant::kRunning &&
         instance.resource.status == InstanceStatus::kRunning;
}

bool AtRest(const InstanceRecord& instance) {
  InstanceStatus status = instance.resource.status;
  return (status == InstanceStatus::kTerminated && instance.want == InstanceWant::kStopped) ||
         (status == InstanceStatus::kSuspended && instance.want == InstanceWant::kSuspended);
}

// A member whose instances end soon is made anew later and later; the first time, and after a preemption, at once.
Backoff AfterEnd(const GroupMember& member, const InstanceRecord& ended, const Key& key, Time now) {
  bool preempted = ended.notice && ended.notice->cause == NoticeCause::kPreemption;
  bool healthy = ended.boot_started && now - *ended.boot_started >= kHealthyRun;
  if (preempted || healthy) return {};
  if (member.backoff.attempts == 0) return {.attempts = 1};
  return AfterFailure(member.backoff, kMemberBackoff, key, now);
}

void LookAgainBy(GroupPlan& plan, Time at) {
  if (!plan.look_again || at < *plan.look_again) plan.look_again = at;
}

// What a member wishes by itself, from what is seen of its instance.
void Judge(GroupPlan& plan, GroupMember& member, const MemberView& seen, Time now) {
  if (!seen.instance) {
    if (member.wish == MemberWish::kRecreate) member.wish = MemberWish::kKeep;
    member.id = 0;
    return;
  }
  if (member.wish != MemberWish::kKeep) return;
  if (Runs(*seen.instance)) member.last_error.reset();
  if (seen.work_done) {
    member.wish = MemberWish::kDelete;
    plan.next.resource.targetSize = std::max(0, plan.next.target() - 1);
    ++plan.next.completed;
  } else if (AtRest(*seen.instance)) {
    member.wish = MemberWish::kRecreate;
    member.backoff = AfterEnd(member, *seen.instance, plan.next.MemberKey(member.name), now);
  }
}

// Members that stay, and the order in which surplus ones go: first what has no instance, then what does not run, then
// the newest.
void FitSize(GroupPlan& plan, const std::vector<MemberView>& seen) {
  std::vector<GroupMember>& members = plan.next.members;
  std::vector<size_t> staying;
  for (size_t i = 0; i < members.size(); ++i) {
    if (members[i].wish != MemberWish::kDelete) staying.push_back(i);
  }
  auto worth = [&](size_t i) {
    const InstanceRecord* instance = i < seen.size() ? seen[i].instance : nullptr;
    return !instance ? 0 : Runs(*instance) ? 2 : 1;
  };
  size_t target = static_cast<size_t>(std::max(0, plan.next.target()));
  std::stable_sort(staying.begin(), staying.end(),
                   [&](size_t a, size_t b) { return worth(a) > worth(b); });
  for (; staying.size() > target; staying.pop_back()) {
    members[staying.back()].wish = MemberWish::kDelete;
  }
  for (size_t size = staying.size(); size < target; ++size) {
    std::string name = MemberName(plan.next, plan.next.names_given++);
    auto taken = [&](const GroupMember& member) { return member.name == name; };
    while (std::any_of(members.begin(), members.end(), taken)) {
      name = MemberName(plan.next, plan.next.names_given++);
    }
    members.push_back({.name = name});
  }
}

void TakeSteps(GroupPlan& plan, const std::vector<MemberView>& seen, Time now) {
  std::vector<GroupMember>& members = plan.next.members;
  for (size_t i = 0; i < members.size(); ++i) {
    GroupMember& member = members[i];
    const InstanceRecord* instance = i < seen.size() ? seen[i].instance : nullptr;
    bool create = member.wish == MemberWish::kKeep && !instance;
    bool remove =
        member.wish != MemberWish::kKeep && instance && instance->want != InstanceWant::kGone;
    if (create && !MayTry(member.backoff, now)) {
      LookAgainBy(plan, *member.backoff.next_try);
      continue;
    }
    if (!create && !remove) continue;
    if (plan.steps.size() >= kMostMemberSteps) return LookAgainBy(plan, now);
    plan.steps.push_back(
        {create ? GroupStep::Kind::kCreate : GroupStep::Kind::kDelete, member.name});
  }
}

}  // namespace

GroupPlan PlanGroup(const GroupView& view) {
  GroupPlan plan{.next = view.group};
  std::vector<GroupMember>& members = plan.next.members;
  std::vector<MemberView> seen = view.members;
  for (size_t i = 0; i < members.size(); ++i) Judge(plan, members[i], seen[i], view.now);
  if (plan.next.gone) plan.next.resource.targetSize = 0;
  FitSize(plan, seen);
  for (size_t i = seen.size(); i-- > 0;) {
    if (members[i].wish != MemberWish::kDelete || seen[i].instance) continue;
    members.erase(members.begin() + static_cast<ptrdiff_t>(i));
    seen.erase(seen.begin() + static_cast<ptrdiff_t>(i));
  }
  plan.erase = plan.next.gone && members.empty();
  TakeSteps(plan, seen, view.now);
  return plan;
}

std::string MemberName(const GroupRecord& group, int64_t number) {
  static constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz0123456789";
  std::string hash =
      Hash(Digest::kSha256, fmt::format("{}/{}/{}", group.key(), group.resource.id, number));
  std::string suffix;
  for (size_t i = 0; i < 4; ++i) {
    suffix += kLetters[static_cast<unsigned char>(hash[i]) % kLetters.size()];
  }
  return group.resource.baseInstanceName + "-" + suffix;
}

std::string_view MemberAction(const GroupMember& member, const InstanceRecord* instance) {
  if (member.wish == MemberWish::kDelete) return "DELETING";
  if (member.wish == MemberWish::kRecreate) return "RECREATING";
  if (!instance) return "CREATING";
  switch (instance->resource.status) {
    case InstanceStatus::kRunning: return Runs(*instance) ? "NONE" : "RECREATING";
    case InstanceStatus::kProvisioning:
    case InstanceStatus::kStaging: return instance->boot > 1 ? "RESTARTING" : "CREATING";
    case InstanceStatus::kRepairing: return "RESTARTING";
    default: return "RECREATING";
  }
}

bool IsStable(const GroupView& view) {
  const GroupRecord& group = view.group;
  if (group.gone || std::ssize(group.members) != group.target()) return false;
  for (size_t i = 0; i < group.members.size(); ++i) {
    if (MemberAction(group.members[i], view.members[i].instance) != "NONE") return false;
  }
  return true;
}

bool IsOfOneVersion(const GroupRecord& group) {
  return std::ranges::all_of(group.members, [&](const GroupMember& member) {
    return member.wish == MemberWish::kDelete || member.template_link.empty() ||
           member.template_link == group.resource.instanceTemplate;
  });
}

api::compute::GroupActions CountActions(const GroupView& view) {
  api::compute::GroupActions actions;
  for (size_t i = 0; i < view.group.members.size(); ++i) {
    std::string_view action = MemberAction(view.group.members[i], view.members[i].instance);
    if (action == "NONE") ++actions.none;
    if (action == "CREATING") ++actions.creating;
    if (action == "RECREATING") ++actions.recreating;
    if (action == "DELETING") ++actions.deleting;
    if (action == "RESTARTING") ++actions.restarting;
  }
  // Members that the next turn will add are being made, too.
  int32_t missing = view.group.target() - static_cast<int32_t>(view.group.members.size());
  if (missing > 0 && !view.group.gone) actions.creating += missing;
  return actions;
}

}  // namespace fireweed::compute
