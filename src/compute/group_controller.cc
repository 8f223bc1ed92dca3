#include "compute/group_controller.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/completion.h"
#include "compute/instance_templates.h"
#include "compute/links.h"
#include "compute/member_instances.h"

namespace fireweed::compute {
namespace {

// The words by which members know who made them, as the cloud puts them into metadata.
void SignMetadata(api::compute::Instance& instance, const GroupRecord& group, int64_t number) {
  auto add = [&](const char* key, std::string value) {
    std::erase_if(instance.metadata.items, [&](const auto& item) { return item.key == key; });
    instance.metadata.items.push_back({key, std::move(value)});
  };
  add("created-by", fmt::format("projects/{}/zones/{}/instanceGroupManagers/{}", number, group.zone,
                                group.resource.name));
  add("instance-template", fmt::format("projects/{}/global/instanceTemplates/{}", number,
                                       LastWord(group.resource.instanceTemplate)));
}

// REQUIRES: there is one.
GroupMember& MemberNamed(GroupRecord& group, const std::string& name) {
  return *std::ranges::find(group.members, name, &GroupMember::name);
}

}  // namespace

GroupController::GroupController(Catalog& catalog, const Catalogue& catalogue,
                                 InstanceIdentity& identity, IdSource& ids, const Clock& clock,
                                 Logger& log, MemberRules rules)
    : catalog_(catalog),
      catalogue_(catalogue),
      identity_(identity),
      ids_(ids),
      clock_(clock),
      log_(log),
      rules_(std::move(rules)) {}

std::vector<std::string_view> GroupController::also_watches() const {
  return {kRecordKind<InstanceRecord>, kRecordKind<GuestAttributes>};
}

std::vector<Key> GroupController::Concerns(std::string_view, const Key& key) {
  auto found = group_of_.find(key);
  if (found == group_of_.end()) return {};
  return {found->second};
}

void GroupController::Remember(const GroupRecord& group) {
  for (const GroupMember& member : group.members) {
    group_of_[group.MemberKey(member.name)] = group.key();
  }
}

GroupController::Sight GroupController::Look(const Key& key) {
  Sight sight{.group = FreshRow<GroupRecord>(catalog_, key), .instances = {}, .members = {}};
  if (!sight.group) return sight;
  const GroupRecord& group = sight.group->value;
  for (const GroupMember& member : group.members) {
    Key instance_key = group.MemberKey(member.name);
    auto row = FreshRow<InstanceRecord>(catalog_, instance_key);
    bool ours = row && row->value.group == key && row->value.resource.id == member.id;
    if (!ours) row = nullptr;
    MemberView view{.instance = row ? &row->value : nullptr};
    if (row) {
      Completion completion = CompletionOf(group.resource.completion, row->value);
      if (completion != Completion::kNever) {
        auto guest = FreshRow<GuestAttributes>(catalog_, instance_key);
        view.work_done = IsWorkDone(completion, row->value, guest ? &guest->value : nullptr);
      }
    }
    sight.instances.push_back(std::move(row));
    sight.members.push_back(view);
  }
  return sight;
}

std::optional<Time> GroupController::Reconcile(const Key& key) {
  Sight sight = Look(key);
  if (!sight.group) {
    std::erase_if(group_of_, [&](const auto& entry) { return entry.second == key; });
    return std::nullopt;
  }
  const GroupRecord& group = sight.group->value;
  Remember(group);
  GroupPlan plan = PlanGroup({group, sight.members, clock_.Now()});
  bool rests = plan.steps.empty() && !plan.erase && SameValue(plan.next, group);
  if (rests) return plan.look_again;
  ProjectIdentity home = identity_.FindProject(group.project);
  std::optional<GroupRecord> next =
      Update(catalog_, "group plan", [&](Txn& txn) { return Apply(txn, sight, plan, home); });
  if (!next) return clock_.Now();
  if (next->completed > group.completed) {
    log_.Info("group's work is done",
              {{"group", key}, {"done", next->completed}, {"left", next->target()}});
  }
  Remember(*next);
  return plan.look_again;
}

std::optional<GroupRecord> GroupController::Apply(Txn& txn, const Sight& sight,
                                                  const GroupPlan& plan,
                                                  const ProjectIdentity& home) {
  Key key = sight.group->key;
  auto row = txn.Find<GroupRecord>(key);
  if (!row || row->version != sight.group->version) return std::nullopt;
  // All of it still holds, or none of it is written.
  for (const GroupStep& step : plan.steps) {
    if (step.kind == GroupStep::Kind::kDelete && !Unmoved(txn, sight, step.name))
      return std::nullopt;
  }
  GroupRecord next = plan.next;
  QuotaLedger ledger(txn, catalogue_, rules_.quotas);
  for (const GroupStep& step : plan.steps) {
    GroupMember& member = MemberNamed(next, step.name);
    if (step.kind == GroupStep::Kind::kCreate) {
      Create(txn, next, member, home, ledger);
    } else {
      Delete(txn, next, member);
    }
  }
  if (plan.erase) {
    txn.Erase<GroupRecord>(key);
    Settle(txn, kind(), key, kGone, std::nullopt, clock_.Now());
  } else if (!SameValue(next, row->value)) {
    txn.Put(key, next);
  }
  return next;
}

bool GroupController::Unmoved(Txn& txn, const Sight& sight, const std::string& name) {
  Key key = sight.group->value.MemberKey(name);
  auto planned = std::ranges::find_if(
      sight.instances, [&](const auto& snapshot) { return snapshot && snapshot->key == key; });
  auto row = txn.Find<InstanceRecord>(key);
  return row && planned != sight.instances.end() && (*planned)->version == row->version;
}

void GroupController::Delete(Txn& txn, const GroupRecord& group, const GroupMember& member) {
  auto row = txn.Find<InstanceRecord>(group.MemberKey(member.name));
  bool repair = member.wish == MemberWish::kRecreate;
  MarkGone(txn, std::move(row->value),
           repair ? "compute.instances.repair.recreateInstance" : "delete", ids_, clock_.Now());
}

void GroupController::Create(Txn& txn, GroupRecord& group, GroupMember& member,
                             const ProjectIdentity& home, QuotaLedger& ledger) {
  Time now = clock_.Now();
  try {
    TemplateRecord source = FindTemplate(txn, group.project, group.resource.instanceTemplate);
    api::compute::InsertInstance request{.project = group.project, .zone = group.zone};
    request.body = InstanceFrom(source, member.name);
    SignMetadata(request.body, group, home.number);
    InsertContext context{.catalogue = catalogue_,
                          .default_account = home.default_account,
                          .id = ids_.NextNumber(),
                          .now = now,
                          .strict = rules_.strict};
    InstanceRecord made = MakeMember(txn,
                                     {.request = request,
                                      .context = context,
                                      .ledger = &ledger,
                                      .creator = group.creator,
                                      .group = group.key()},
                                     ids_);
    member.id = made.resource.id;
    member.template_link = group.resource.instanceTemplate;
  } catch (const Failure& failure) {
    bool taken = failure.error().code == Code::kExists && !member.chosen;
    if (taken) {
      member.name = MemberName(group, group.names_given++);
      return;
    }
    NoteFailedMember(group, member, failure.error(), now);
    log_.Warning("group member not made",
                 {{"instance", group.MemberKey(member.name)}, {"error", failure.error().message}});
  }
}

}  // namespace fireweed::compute
