#include "identity/policies.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "identity/records.h"
#include "identity/roles.h"

namespace fireweed::identity {
namespace {

constexpr size_t kMostMembers = 1500;  // of a whole policy, as Google limits it

// Version and content: a row that was erased and made again does not match an old etag by chance.
Bytes EtagOf(const Row<PolicyRecord>& row) {
  std::string seed = fmt::format("{} {}", row.version, EncodeJson(row.value));
  return {Hash(Digest::kSha256, seed).substr(0, 8)};
}

Row<PolicyRecord> Load(Txn& txn, std::string_view resource) {
  std::optional<Row<PolicyRecord>> row = txn.Find<PolicyRecord>(resource);
  if (!row) throw Failure(Code::kNotFound, fmt::format("Resource '{}' was not found.", resource));
  return *std::move(row);
}

api::Policy AsPolicy(const Row<PolicyRecord>& row) {
  return {.etag = EtagOf(row), .bindings = row.value.bindings};
}

void MergeBinding(std::vector<api::Binding>& into, std::string_view role,
                  const std::string& member) {
  auto binding =
      std::find_if(into.begin(), into.end(), [&](const api::Binding& b) { return b.role == role; });
  if (binding == into.end()) binding = into.insert(into.end(), {std::string(role), {}, {}});
  auto& members = binding->members;
  if (std::find(members.begin(), members.end(), member) == members.end()) {
    members.push_back(member);
  }
}

std::vector<api::Binding> Normalised(const std::vector<api::Binding>& wanted) {
  std::vector<api::Binding> out;
  size_t members = 0;
  for (const api::Binding& binding : wanted) {
    if (!MayBeBound(binding.role)) {
      throw Failure(Code::kInvalid,
                    fmt::format("Role {} is not supported for this resource.", binding.role));
    }
    if (binding.condition && !binding.condition->expression.empty()) {
      throw Failure(Code::kInvalid, "Conditional role bindings are not supported.");
    }
    for (const std::string& member : binding.members) {
      MergeBinding(out, binding.role, NormalMember(member));
      if (++members > kMostMembers) {
        throw Failure(Code::kInvalid,
                      fmt::format("The policy has more than {} members.", kMostMembers));
      }
    }
  }
  return out;
}

}  // namespace

std::string NormalMember(std::string_view member) {
  if (member == "allUsers" || member == "allAuthenticatedUsers") return std::string(member);
  size_t colon = member.find(':');
  std::string_view kind = member.substr(0, colon);
  std::string_view who =
      colon == std::string_view::npos ? std::string_view() : member.substr(colon + 1);
  bool email = kind == "user" || kind == "serviceAccount" || kind == "group";
  bool name = kind == "domain" || kind == "projectOwner" || kind == "projectEditor" ||
              kind == "projectViewer" || kind == "deleted";
  bool sound = !who.empty() && who.find_first_of(" \t\r\n\"") == std::string_view::npos;
  if (email) {
    size_t at = who.find('@');
    sound = sound && at != std::string_view::npos && at > 0 && at + 1 < who.size();
  }
  if ((!email && !name) || !sound) {
    throw Failure(Code::kInvalid,
                  fmt::format("Invalid member '{}': members are user:EMAIL, serviceAccount:EMAIL, "
                              "group:EMAIL, domain:NAME, projectOwner|Editor|Viewer:PROJECT, "
                              "allUsers or allAuthenticatedUsers.",
                              member));
  }
  return fmt::format("{}:{}", kind, ToLower(who));
}

void CreatePolicy(Txn& txn, std::string_view resource, std::string_view parent,
                  std::vector<api::Binding> bindings) {
  txn.Put(resource, PolicyRecord{std::string(parent), Normalised(bindings), {}}, 0);
}

void ErasePolicy(Txn& txn, std::string_view resource) { txn.Erase<PolicyRecord>(resource); }

api::Policy GetPolicy(Txn& txn, std::string_view resource) { return AsPolicy(Load(txn, resource)); }

api::Policy SetPolicy(Txn& txn, std::string_view resource, const api::Policy& wanted) {
  Row<PolicyRecord> row = Load(txn, resource);
  if (!wanted.etag.raw.empty() && wanted.etag != EtagOf(row)) {
    throw Failure(Code::kExists, "aborted",
                  "There were concurrent policy changes. Please retry the whole "
                  "read-modify-write with exponential backoff.");
  }
  row.value.bindings = Normalised(wanted.bindings);
  row.version = txn.Put(resource, row.value, row.version);
  return AsPolicy(row);
}

void AddBinding(Txn& txn, std::string_view resource, std::string_view role,
                std::string_view member) {
  Row<PolicyRecord> row = Load(txn, resource);
  std::vector<api::Binding> bindings = row.value.bindings;
  MergeBinding(bindings, role, NormalMember(member));
  if (SameValue(bindings, row.value.bindings)) return;
  row.value.bindings = std::move(bindings);
  txn.Put(resource, row.value, row.version);
}

void PreventPublic(Txn& txn, std::string_view resource, bool prevent) {
  Row<PolicyRecord> row = Load(txn, resource);
  if (row.value.no_public.value_or(false) == prevent) return;
  row.value.no_public = prevent ? std::optional(true) : std::nullopt;
  txn.Put(resource, row.value, row.version);
}

bool IsPermission(std::string_view text) {
  bool closed =
      !text.starts_with('.') && !text.ends_with('.') && text.find("..") == std::string_view::npos;
  bool words = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
  });
  return closed && words && std::count(text.begin(), text.end(), '.') >= 2;
}

std::vector<std::string> GrantedOf(net::AccessControl& access, const net::Caller& caller,
                                   const std::vector<std::string>& permissions,
                                   std::string_view resource) {
  std::vector<std::string> granted;
  for (const std::string& permission : permissions) {
    if (IsPermission(permission) && access.May(caller, permission, resource)) {
      granted.push_back(permission);
    }
  }
  return granted;
}

}  // namespace fireweed::identity
