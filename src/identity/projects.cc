#include "identity/projects.h"

#include <algorithm>

#include <fmt/format.h>

#include "identity/policies.h"
#include "identity/records.h"
#include "identity/service_accounts.h"
#include "identity/tokens.h"

namespace fireweed::identity {
namespace {

using api::crm::LifecycleState;
using api::crm::Project;

constexpr int64_t kLeastNumber = 100'000'000'000, kNumbers = 900'000'000'000;  // twelve digits

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

}  // namespace

bool IsProjectId(std::string_view id) {
  return id.size() >= 6 && id.size() <= 30 && IsLower(id.front()) && id.back() != '-' &&
         std::all_of(id.begin(), id.end(),
                     [](char c) { return IsLower(c) || IsDigit(c) || c == '-'; });
}

bool Projects::WouldCreate(const net::Caller& caller) const {
  return options_.auto_create && caller.principal == kOwnerPrincipal;
}

std::optional<Project> Projects::Find(Txn& txn, std::string_view id_or_number) const {
  std::string id(id_or_number);
  if (!id.empty() && std::all_of(id.begin(), id.end(), IsDigit)) {
    auto number = txn.Find<ProjectNumberRecord>(id);
    if (!number) return std::nullopt;
    id = number->value.project;
  }
  std::optional<Row<Project>> row = txn.Find<Project>(id);
  if (!row) return std::nullopt;
  return std::move(row->value);
}

Project Projects::Ensure(Txn& txn, std::string_view project, const net::Caller& caller) const {
  if (std::optional<Project> found = Find(txn, project)) {
    if (found->lifecycleState != LifecycleState::kActive) {
      throw Failure(Code::kDenied, fmt::format("Project '{}' has been deleted.", project));
    }
    return *std::move(found);
  }
  if (!WouldCreate(caller) || !IsProjectId(project)) {
    throw Failure(Code::kNotFound, fmt::format("Project '{}' was not found.", project));
  }
  return Create(txn, project, project, {}, caller);
}

int64_t Projects::FreeNumber(Txn& txn) const {
  while (true) {
    int64_t number = kLeastNumber + static_cast<int64_t>(random_.Below(kNumbers));
    if (!txn.Find<ProjectNumberRecord>(std::to_string(number))) return number;
  }
}

Project Projects::Create(Txn& txn, std::string_view id, std::string_view name,
                         const std::map<std::string, std::string>& labels,
                         const net::Caller& creator) const {
  if (!IsProjectId(id)) {
    throw Failure(Code::kInvalid,
                  fmt::format("'{}' is no project id: 6 to 30 lower-case letters, digits and "
                              "dashes, a letter first, no dash last.",
                              id));
  }
  Project project{.projectId = std::string(id),
                  .projectNumber = FreeNumber(txn),
                  .name = std::string(name.empty() ? id : name),
                  .createTime = clock_.Now(),
                  .labels = labels};
  if (txn.Find<Project>(id)) throw Failure(Code::kExists, "Requested entity already exists");
  txn.Put(id, project, 0);
  std::string number = std::to_string(project.projectNumber);
  txn.Put(number, ProjectNumberRecord{project.projectId}, 0);
  std::string resource = "projects/" + project.projectId;
  std::string editor = DefaultComputeAccount(project);
  CreatePolicy(txn, resource, kRootResource,
               {{"roles/owner",
                 {creator.anonymous() ? std::string(kOwnerPrincipal) : creator.principal},
                 {}},
                {"roles/editor", {"serviceAccount:" + editor}, {}}});
  // Clients may say the number for the id; its policy is the project's.
  CreatePolicy(txn, "projects/" + number, resource);
  AddServiceAccount(txn,
                    {.projectId = project.projectId,
                     .email = editor,
                     .displayName = "Compute Engine default service account"},
                    clock_.Now(), random_);
  return project;
}

}  // namespace fireweed::identity
