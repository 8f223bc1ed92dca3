#include "storage/object_access.h"

#include "identity/permission_check.h"
#include "identity/roles.h"
#include "storage/object_acl.h"

namespace fireweed::storage {
namespace {

std::string Resource(const std::string& bucket) { return "buckets/" + bucket; }

const ObjectRow& RowOf(const ObjectRow& row) { return row; }
const ObjectRow& RowOf(const OpenedObject& object) { return object.row; }

ObjectRow FindRow(const ObjectStore& store, const ObjectAddress& address,
                  const api::storage::ObjectConditions& conditions) {
  return store.Find(address, conditions);
}
OpenedObject OpenObject(const ObjectStore& store, const ObjectAddress& address,
                        const api::storage::ObjectConditions& conditions) {
  return store.Open(address, conditions);
}

// Members whose role in the list grants the permission.
std::vector<std::string> MembersWho(const Acl& acl, std::string_view permission,
                                    const ProjectNames& home) {
  std::vector<std::string> members;
  for (const api::storage::AccessEntry& entry : acl) {
    const identity::Role* role = identity::FindRole(LegacyRole(entry.role, AclOf::kObject));
    if (role && role->Grants(permission)) members.push_back(MemberOf(entry.entity, home));
  }
  return members;
}

}  // namespace

std::shared_ptr<const Row<api::storage::Bucket>> ObjectAccess::Bucket(
    const std::string& name) const {
  std::shared_ptr<const Row<api::storage::Bucket>> row = buckets_.Get(name);
  if (!row) throw Failure(Code::kNotFound, "The specified bucket does not exist.");
  return row;
}

bool ObjectAccess::MayByPolicy(const net::Caller& caller, std::string_view permission,
                               const std::string& bucket) const {
  return access_.May(caller, permission, Resource(bucket));
}

bool ObjectAccess::ListGrants(const net::Caller& caller, std::string_view permission,
                              const std::string& bucket, const ObjectRow& row) const {
  if (!caller.anonymous() && !identity::ScopesAllow(caller.scopes, permission)) return false;
  std::shared_ptr<const Row<api::storage::Bucket>> home = buckets_.Get(bucket);
  if (!home || HasUniformAccess(home->value)) return false;
  Acl acl = EffectiveAcl(ToObject(row, bucket, ""), home->value);
  std::vector<std::string> members = MembersWho(acl, permission, HomeOf(home->value));
  bool prevented = PreventsPublic(home->value);
  return Query(catalog_, [&](Txn& txn) {
    identity::TxnPolicyRows rows(txn);
    return identity::IsOneOf(rows, caller, members,
                             prevented ? identity::Public::kNobody : identity::Public::kCounts);
  });
}

bool ObjectAccess::May(const net::Caller& caller, std::string_view permission,
                       const ObjectAddress& address, const ObjectRow& row) const {
  return MayByPolicy(caller, permission, address.bucket) ||
         ListGrants(caller, permission, address.bucket, row);
}

template <class Found>
Found ObjectAccess::Judged(const net::Caller& caller, std::string_view permission,
                           const ObjectAddress& address,
                           Found (*find)(const ObjectStore&, const ObjectAddress&,
                                         const api::storage::ObjectConditions&),
                           const api::storage::ObjectConditions& conditions) const {
  if (MayByPolicy(caller, permission, address.bucket)) return find(store_, address, conditions);
  // Conditions are looked at after the right to see what they tell about.
  std::optional<Found> found;
  try {
    found = find(store_, address, {});
  } catch (const Failure& failure) {
    bool missing = failure.error().code == Code::kNotFound;
    bool told = MayByPolicy(caller, "storage.objects.list", address.bucket);
    if (!missing || told) throw;
  }
  if (!found || !ListGrants(caller, permission, address.bucket, RowOf(*found))) {
    net::Refuse(caller, permission, Resource(address.bucket));
  }
  const ObjectRow& row = RowOf(*found);
  RequireConditions(conditions, VersionPoint{row.generation, row.metageneration}, Purpose::kRead);
  return *std::move(found);
}

ObjectRow ObjectAccess::Find(const net::Caller& caller, std::string_view permission,
                             const ObjectAddress& address,
                             const api::storage::ObjectConditions& conditions) const {
  return Judged<ObjectRow>(caller, permission, address, FindRow, conditions);
}

OpenedObject ObjectAccess::Open(const net::Caller& caller, const ObjectAddress& address,
                                const api::storage::ObjectConditions& conditions) const {
  return Judged<OpenedObject>(caller, "storage.objects.get", address, OpenObject, conditions);
}

ObjectAddress ObjectAccess::Require(const net::Caller& caller, std::string_view permission,
                                    const ObjectAddress& address) const {
  if (MayByPolicy(caller, permission, address.bucket)) return address;
  ObjectRow row = Judged<ObjectRow>(caller, permission, address, FindRow, {});
  return {address.bucket, address.name, row.generation};
}

}  // namespace fireweed::storage
