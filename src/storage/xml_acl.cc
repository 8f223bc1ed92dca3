#include "storage/xml_acl.h"

#include <utility>

#include "base/error.h"
#include "storage/xml_reader.h"
#include "storage/xml_writer.h"

namespace fireweed::storage {
namespace {

using api::storage::AccessEntry;

constexpr std::pair<std::string_view, std::string_view> kRoles[] = {
    {"READER", "READ"}, {"WRITER", "WRITE"}, {"OWNER", "FULL_CONTROL"}};

[[noreturn]] void Refuse() {
  throw Failure(Code::kInvalid, "MalformedACLError",
                "The ACL XML that you provided is not well formed or did not validate.");
}

// "user-ann@x" is a scope by email, "user-00b4…" one by id; project teams are groups by id.
void WriteScope(XmlWriter& out, const AccessEntry& entry) {
  std::string_view entity = entry.entity;
  auto scope = [&](std::string_view type, std::string_view leaf, std::string_view text) {
    out.Open("Scope type='" + std::string(type) + "'").Leaf(leaf, text).Close("Scope");
  };
  size_t dash = entity.find('-');
  std::string_view kind = entity.substr(0, dash);
  std::string_view rest = dash == entity.npos ? std::string_view() : entity.substr(dash + 1);
  bool email = rest.find('@') != rest.npos;
  if (entity == "allUsers") {
    out.Open("Scope type='AllUsers'").Close("Scope");
  } else if (entity == "allAuthenticatedUsers") {
    out.Open("Scope type='AllAuthenticatedUsers'").Close("Scope");
  } else if (kind == "user") {
    scope(email ? "UserByEmail" : "UserById", email ? "EmailAddress" : "ID", rest);
  } else if (kind == "group") {
    scope(email ? "GroupByEmail" : "GroupById", email ? "EmailAddress" : "ID", rest);
  } else if (kind == "domain") {
    scope("GroupByDomain", "Domain", rest);
  } else {
    scope("GroupById", "ID", entity);
  }
}

std::string ReadScope(const XmlElement& scope) {
  std::string_view type = scope.Attribute("type");
  std::string email(scope.Text("EmailAddress")), id(scope.Text("ID"));
  if (type == "AllUsers") return "allUsers";
  if (type == "AllAuthenticatedUsers") return "allAuthenticatedUsers";
  if (type == "UserByEmail" && !email.empty()) return "user-" + email;
  if (type == "UserById" && !id.empty()) return "user-" + id;
  if (type == "GroupByEmail" && !email.empty()) return "group-" + email;
  if (type == "GroupById" && id.starts_with("project-")) return id;
  if (type == "GroupById" && !id.empty()) return "group-" + id;
  if (type == "GroupByDomain" && scope.Child("Domain")) {
    return "domain-" + std::string(scope.Text("Domain"));
  }
  Refuse();
}

AccessEntry ReadEntry(const XmlElement& element) {
  const XmlElement* scope = element.Child("Scope");
  if (!scope) Refuse();
  AccessEntry entry;
  entry.entity = ReadScope(*scope);
  for (const auto& [role, permission] : kRoles) {
    if (element.Text("Permission") == permission) entry.role = role;
  }
  if (entry.role.empty()) Refuse();
  return entry;
}

}  // namespace

std::string XmlOfAcl(const std::vector<AccessEntry>& acl,
                     const std::optional<api::storage::Owner>& owner) {
  XmlWriter out;
  out.Open("AccessControlList");
  if (owner) {
    out.Open("Owner").Leaf("ID", owner->entityId.empty() ? owner->entity : owner->entityId);
    out.Close("Owner");
  }
  out.Open("Entries");
  for (const AccessEntry& entry : acl) {
    out.Open("Entry");
    WriteScope(out, entry);
    for (const auto& [role, permission] : kRoles) {
      if (entry.role == role) out.Leaf("Permission", permission);
    }
    out.Close("Entry");
  }
  return out.Close("Entries").Close("AccessControlList").Take();
}

std::vector<AccessEntry> AclOfXml(std::string_view xml) {
  XmlElement root = ParseXml(xml);
  if (root.name != "AccessControlList") Refuse();
  std::vector<AccessEntry> acl;
  if (const XmlElement* entries = root.Child("Entries")) {
    for (const XmlElement& child : entries->children) acl.push_back(ReadEntry(child));
  }
  return acl;
}

}  // namespace fireweed::storage
