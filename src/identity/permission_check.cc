#include "identity/permission_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "identity/roles.h"

namespace fireweed::identity {
namespace {

constexpr int kMostParents = 8;  // a chain is two or three long; more is a loop
constexpr int kMostNested = 4;   // groups in groups

using PolicyRow = std::shared_ptr<const Row<PolicyRecord>>;

// Cuts "KIND:" off the front.
bool CutKind(std::string_view& member, std::string_view kind) {
  if (!member.starts_with(kind) || member.size() <= kind.size() || member[kind.size()] != ':') {
    return false;
  }
  member.remove_prefix(kind.size() + 1);
  return true;
}

class Check {
 public:
  Check(PolicyRows& rows, const net::Caller& caller, std::string_view permission)
      : rows_(rows), caller_(caller), permission_(permission) {}

  bool IsOneOf(const std::vector<std::string>& members, Public open) {
    open_ = open;
    return HasCaller(members, 0);
  }

  bool Along(PolicyRow row) {
    if (row && row->value.no_public.value_or(false)) open_ = Public::kNobody;
    for (int i = 0; row && i < kMostParents; ++i) {
      if (Grants(row->value)) return true;
      if (row->value.parent.empty()) return false;
      row = rows_.Policy(row->value.parent);
    }
    return false;
  }

 private:
  bool Grants(const PolicyRecord& policy) {
    return std::any_of(policy.bindings.begin(), policy.bindings.end(),
                       [&](const api::Binding& binding) {
                         const Role* role = FindRole(binding.role);
                         return role && role->Grants(permission_) && HasCaller(binding.members, 0);
                       });
  }

  bool HasCaller(const std::vector<std::string>& members, int depth) {
    return std::any_of(members.begin(), members.end(),
                       [&](const std::string& member) { return IsCaller(member, depth); });
  }

  bool IsCaller(std::string_view member, int depth) {
    bool open = open_ == Public::kCounts;
    if (member == "allUsers") return open;
    if (caller_.anonymous()) return false;
    if (member == "allAuthenticatedUsers") return open;
    if (member == caller_.principal) return true;
    if (CutKind(member, "group")) return InGroup(member, depth);
    if (CutKind(member, "domain")) return InDomain(member);
    if (CutKind(member, "projectOwner")) return HasProjectRole(member, "roles/owner");
    if (CutKind(member, "projectEditor")) return HasProjectRole(member, "roles/editor");
    if (CutKind(member, "projectViewer")) return HasProjectRole(member, "roles/viewer");
    return false;
  }

  bool InGroup(std::string_view email, int depth) {
    if (depth >= kMostNested) return false;
    std::shared_ptr<const Row<GroupRecord>> group = rows_.Group(email);
    return group && HasCaller(group->value.members, depth + 1);
  }

  bool InDomain(std::string_view domain) const {
    std::string_view email = caller_.email;
    size_t at = email.rfind('@');
    return caller_.principal.starts_with("user:") && at != std::string_view::npos &&
           email.substr(at + 1) == domain;
  }

  // A convenience member is whoever is bound to that role on the project itself.
  bool HasProjectRole(std::string_view project, std::string_view role) {
    PolicyRow row = rows_.Policy(fmt::format("projects/{}", project));
    // A project's number has a row of its own, below that of its id.
    if (row && row->value.parent.starts_with("projects/")) row = rows_.Policy(row->value.parent);
    if (!row) return false;
    for (const api::Binding& binding : row->value.bindings) {
      if (binding.role != role) continue;
      for (const std::string& member : binding.members) {
        // Convenience members inside a project's own policy would turn in circles.
        if (!member.starts_with("project") && IsCaller(member, 0)) return true;
      }
    }
    return false;
  }

  PolicyRows& rows_;
  const net::Caller& caller_;
  std::string_view permission_;
  Public open_ = Public::kCounts;
};

PolicyRow FindRow(PolicyRows& rows, std::string_view resource) {
  if (resource.empty()) resource = kRootResource;
  PolicyRow row = rows.Policy(resource);
  while (!row && std::count(resource.begin(), resource.end(), '/') > 1) {
    resource = resource.substr(0, resource.rfind('/'));
    row = rows.Policy(resource);
  }
  return row;
}

}  // namespace

bool IsAllowed(PolicyRows& rows, const net::Caller& caller, std::string_view permission,
               std::string_view resource) {
  PolicyRow row = FindRow(rows, resource);
  if (!row) return !caller.anonymous();
  if (!caller.anonymous() && !ScopesAllow(caller.scopes, permission)) return false;
  return Check(rows, caller, permission).Along(std::move(row));
}

bool IsOneOf(PolicyRows& rows, const net::Caller& caller, const std::vector<std::string>& members,
             Public open) {
  return Check(rows, caller, "").IsOneOf(members, open);
}

std::shared_ptr<const Row<PolicyRecord>> TxnPolicyRows::Policy(std::string_view resource) {
  std::optional<Row<PolicyRecord>> row = txn_.Find<PolicyRecord>(resource);
  return row ? std::make_shared<const Row<PolicyRecord>>(*std::move(row)) : nullptr;
}

std::shared_ptr<const Row<GroupRecord>> TxnPolicyRows::Group(std::string_view email) {
  std::optional<Row<GroupRecord>> row = txn_.Find<GroupRecord>(email);
  return row ? std::make_shared<const Row<GroupRecord>>(*std::move(row)) : nullptr;
}

}  // namespace fireweed::identity
