#include "storage/object_acls.h"

#include <fmt/format.h>

#include "identity/policies.h"
#include "storage/acl_edit.h"
#include "storage/compact_form.h"
#include "storage/object_acl.h"
#include "storage/object_view.h"

namespace fireweed::storage {
namespace {

using api::storage::AccessEntry;
using api::storage::Bucket;
using api::storage::Object;

Object Complete(const ObjectRow& row, const ObjectAddress& address, const net::Call& call,
                const Bucket& bucket) {
  ReplyShape shape;
  shape.base_url = call.http.BaseUrl();
  shape.projection = Projection::kFull;
  return ShowObject(row, address.bucket, address.name, shape, &bucket);
}

// How often the object was changed, and nothing of whose policy it is: gsutil gives one that it read from an object to
// others, which takes their being as new.
std::string PolicyEtag(const Object& object) {
  CompactWriter out;
  out.Number(static_cast<uint64_t>(object.metageneration));
  return "\x08" + out.Take();
}

api::Policy PolicyOf(const Object& object, const Bucket& bucket) {
  api::Policy policy;
  policy.kind = "storage#policy";
  policy.resourceId = fmt::format("projects/_/buckets/{}/objects/{}", object.bucket, object.name);
  policy.etag = {PolicyEtag(object)};
  policy.bindings = LegacyBindings(object.acl, AclOf::kObject, HomeOf(bucket));
  return policy;
}

// The list that the policy says. What a list cannot say is refused, not dropped.
Acl ListOf(const api::Policy& policy, const Bucket& bucket) {
  for (const api::Binding& binding : policy.bindings) {
    if (!IsLegacyRole(binding.role, AclOf::kObject)) {
      throw Failure(Code::kInvalid, "invalid",
                    fmt::format("Role {} is not supported for this resource.", binding.role));
    }
    if (binding.condition && !binding.condition->expression.empty()) {
      throw Failure(Code::kInvalid, "invalid", "Conditional role bindings are not supported.");
    }
    for (const std::string& member : binding.members) {
      std::string sound = identity::NormalMember(member);
      if (EntityOf(sound, HomeOf(bucket)).empty()) {
        throw Failure(Code::kInvalid, "invalid",
                      fmt::format("Member {} cannot be bound to an object.", member));
      }
    }
  }
  return AclOfBindings(policy.bindings, AclOf::kObject, HomeOf(bucket));
}

}  // namespace

void ObjectAcls::Serve(net::Router& router) {
  router.On(api::storage::kListObjectAcl, this, &ObjectAcls::List);
  router.On(api::storage::kGetObjectAcl, this, &ObjectAcls::Get);
  router.On(api::storage::kInsertObjectAcl, this, &ObjectAcls::Insert);
  router.On(api::storage::kPatchObjectAcl, this, &ObjectAcls::Patch);
  router.On(api::storage::kUpdateObjectAcl, this, &ObjectAcls::Update);
  router.On(api::storage::kDeleteObjectAcl, this, &ObjectAcls::Delete);
  router.On(api::storage::kGetObjectPolicy, this, &ObjectAcls::GetPolicy);
  router.On(api::storage::kSetObjectPolicy, this, &ObjectAcls::SetPolicy);
  router.On(api::storage::kTestObjectPermissions, this, &ObjectAcls::TestPermissions);
}

Object ObjectAcls::Show(const ObjectAddress& address, const net::Call& call) const {
  ObjectRow row = access_.Find(call.caller, "storage.objects.getIamPolicy", address);
  std::shared_ptr<const Row<Bucket>> bucket = access_.Bucket(address.bucket);
  RefuseUniform(bucket->value, "Cannot get legacy ACL for an object");
  return Complete(row, address, call, bucket->value);
}

Object ObjectAcls::Change(const ObjectAddress& asked, const net::Call& call,
                          const std::function<void(Object&)>& change) {
  ObjectAddress address = access_.Require(call.caller, "storage.objects.setIamPolicy", asked);
  std::shared_ptr<const Row<Bucket>> bucket = access_.Bucket(address.bucket);
  RefuseUniform(bucket->value, "Cannot update access control for an object");
  ObjectRow row = store_.ChangeMetadata(address, {}, [&](Object& object) {
    Acl before = object.acl;
    object.acl = EffectiveAcl(object, bucket->value);
    change(object);
    CloseEmptyAcl(bucket->value, object);
    SettleChangedAcl(bucket->value, before, object);
  });
  return Complete(row, address, call, bucket->value);
}

api::storage::AccessEntryList ObjectAcls::List(const api::storage::ListObjectAcl& request,
                                               const net::Call& call) {
  Object object = Show({request.bucket, request.object, request.generation}, call);
  return {"storage#objectAccessControls", std::move(object.acl)};
}

AccessEntry ObjectAcls::Get(const api::storage::ObjectAclEntry& request, const net::Call& call) {
  Object object = Show({request.bucket, request.object, request.generation}, call);
  return EntryOf(object.acl, request.entity);
}

AccessEntry ObjectAcls::Insert(const api::storage::InsertObjectAcl& request,
                               const net::Call& call) {
  Object object = Change({request.bucket, request.object, request.generation}, call,
                         [&](Object& o) { SetEntry(o.acl, request.body); });
  return EntryOf(object.acl, request.body.entity);
}

AccessEntry ObjectAcls::Patch(const api::storage::ChangeObjectAcl& request, const net::Call& call) {
  Object object =
      Change({request.bucket, request.object, request.generation}, call,
             [&](Object& o) { EditEntry(o.acl, request.entity, request.body, EditForm::kPatch); });
  return EntryOf(object.acl, request.entity);
}

AccessEntry ObjectAcls::Update(const api::storage::ChangeObjectAcl& request,
                               const net::Call& call) {
  Object object =
      Change({request.bucket, request.object, request.generation}, call,
             [&](Object& o) { EditEntry(o.acl, request.entity, request.body, EditForm::kUpdate); });
  return EntryOf(object.acl, request.entity);
}

api::NoContent ObjectAcls::Delete(const api::storage::ObjectAclEntry& request,
                                  const net::Call& call) {
  Change({request.bucket, request.object, request.generation}, call,
         [&](Object& o) { RemoveEntry(o.acl, request.entity); });
  return {};
}

api::Policy ObjectAcls::GetPolicy(const api::storage::ListObjectAcl& request,
                                  const net::Call& call) {
  Object object = Show({request.bucket, request.object, request.generation}, call);
  return PolicyOf(object, access_.Bucket(request.bucket)->value);
}

api::Policy ObjectAcls::SetPolicy(const api::storage::SetObjectPolicy& request,
                                  const net::Call& call) {
  std::shared_ptr<const Row<Bucket>> bucket = access_.Bucket(request.bucket);
  Object object =
      Change({request.bucket, request.object, request.generation}, call, [&](Object& o) {
        const std::string& etag = request.body.etag.raw;
        if (!etag.empty() && etag != PolicyEtag(o)) {
          throw Failure(Code::kPrecondition, "conditionNotMet",
                        "At least one of the pre-conditions you specified did not hold.");
        }
        o.acl = ListOf(request.body, bucket->value);
      });
  return PolicyOf(object, bucket->value);
}

api::storage::TestBucketPermissionsReply ObjectAcls::TestPermissions(
    const api::storage::TestObjectPermissions& request, const net::Call& call) {
  ObjectAddress address{request.bucket, request.object, request.generation};
  ObjectRow row = store_.Find(address, {});  // whoever knows a name may ask what it may do with it
  api::storage::TestBucketPermissionsReply reply;
  for (const std::string& permission : request.permissions) {
    bool held =
        identity::IsPermission(permission) && access_.May(call.caller, permission, address, row);
    if (held) reply.permissions.push_back(permission);
  }
  return reply;
}

}  // namespace fireweed::storage
