#include "storage/bucket_change.h"

#include <algorithm>

#include "identity/policies.h"
#include "storage/acl.h"
#include "storage/bucket_record.h"
#include "storage/bucket_rules.h"

namespace fireweed::storage {
namespace {

using api::storage::Bucket;

// What the bucket's list says goes into its policy; other bindings stay.
void BindAcl(Txn& txn, const Bucket& bucket) {
  std::string resource = BucketResource(bucket.name);
  api::Policy policy = identity::GetPolicy(txn, resource);
  std::erase_if(policy.bindings,
                [](const api::Binding& b) { return IsLegacyRole(b.role, AclOf::kBucket); });
  for (api::Binding& binding : LegacyBindings(bucket.acl, AclOf::kBucket, HomeOf(bucket))) {
    policy.bindings.push_back(std::move(binding));
  }
  policy.etag = {};
  identity::SetPolicy(txn, resource, policy);
}

}  // namespace

std::string BucketResource(std::string_view bucket) { return "buckets/" + std::string(bucket); }

Bucket StoreChange(Txn& txn, const Bucket& before, Bucket after, Time now) {
  SettleChange(before, after, now);
  txn.Put(after.name, after);
  if (!SameValue(before.acl, after.acl)) BindAcl(txn, after);
  if (PreventsPublic(before) != PreventsPublic(after)) {
    identity::PreventPublic(txn, BucketResource(after.name), PreventsPublic(after));
  }
  return after;
}

}  // namespace fireweed::storage
