#include "storage/bucket_acls.h"

#include "storage/acl_edit.h"
#include "storage/bucket_change.h"
#include "storage/bucket_record.h"
#include "storage/bucket_rules.h"
#include "storage/object_acl.h"
#include "storage/preconditions.h"

namespace fireweed::storage {

using api::storage::AccessEntry;
using api::storage::Bucket;

void BucketAcls::Serve(net::Router& router) {
  router.On(api::storage::kListBucketAcl, this, &BucketAcls::ListAll<kOwn>);
  router.On(api::storage::kGetBucketAcl, this, &BucketAcls::Get<kOwn>);
  router.On(api::storage::kInsertBucketAcl, this, &BucketAcls::Insert<kOwn>);
  router.On(api::storage::kPatchBucketAcl, this, &BucketAcls::Patch<kOwn>);
  router.On(api::storage::kUpdateBucketAcl, this, &BucketAcls::Update<kOwn>);
  router.On(api::storage::kDeleteBucketAcl, this, &BucketAcls::Delete<kOwn>);
  router.On(api::storage::kListDefaultObjectAcl, this, &BucketAcls::ListAll<kDefault>);
  router.On(api::storage::kGetDefaultObjectAcl, this, &BucketAcls::Get<kDefault>);
  router.On(api::storage::kInsertDefaultObjectAcl, this, &BucketAcls::Insert<kDefault>);
  router.On(api::storage::kPatchDefaultObjectAcl, this, &BucketAcls::Patch<kDefault>);
  router.On(api::storage::kUpdateDefaultObjectAcl, this, &BucketAcls::Update<kDefault>);
  router.On(api::storage::kDeleteDefaultObjectAcl, this, &BucketAcls::Delete<kDefault>);
}

Bucket BucketAcls::Show(const std::string& name) const {
  Bucket bucket = Query(catalog_, [&](Txn& txn) { return FindBucket(txn, name).value; });
  RefuseUniform(bucket, "Cannot get legacy ACL for a bucket");
  return ShowBucket(std::move(bucket), Projection::kFull);
}

Bucket BucketAcls::Change(const std::string& name, List list,
                          const std::function<void(Acl&)>& change) {
  Bucket bucket = fireweed::Update(catalog_, "bucket acl", [&](Txn& txn) {
    Bucket before = FindBucket(txn, name).value;
    RefuseUniform(before, "Cannot use ACL API to update bucket policy");
    Bucket after = before;
    change(after.*list);
    return StoreChange(txn, before, std::move(after), clock_.Now());
  });
  return ShowBucket(std::move(bucket), Projection::kFull);
}

template <BucketAcls::List kList>
api::storage::AccessEntryList BucketAcls::ListAll(const api::storage::ListBucketAcl& request,
                                                  const net::Call&) {
  Bucket bucket = Show(request.bucket);
  RequireMetageneration(request.ifMetagenerationMatch, request.ifMetagenerationNotMatch,
                        bucket.metageneration, Purpose::kRead);
  std::string kind =
      kList == kOwn ? "storage#bucketAccessControls" : "storage#objectAccessControls";
  return {std::move(kind), std::move(bucket.*kList)};
}

template <BucketAcls::List kList>
AccessEntry BucketAcls::Get(const api::storage::BucketAclEntry& request, const net::Call&) {
  Bucket bucket = Show(request.bucket);
  return EntryOf(bucket.*kList, request.entity);
}

template <BucketAcls::List kList>
AccessEntry BucketAcls::Insert(const api::storage::InsertBucketAcl& request, const net::Call&) {
  Bucket bucket = Change(request.bucket, kList, [&](Acl& acl) { SetEntry(acl, request.body); });
  return EntryOf(bucket.*kList, request.body.entity);
}

template <BucketAcls::List kList>
AccessEntry BucketAcls::Patch(const api::storage::ChangeBucketAcl& request, const net::Call&) {
  Bucket bucket = Change(request.bucket, kList, [&](Acl& acl) {
    EditEntry(acl, request.entity, request.body, EditForm::kPatch);
  });
  return EntryOf(bucket.*kList, request.entity);
}

template <BucketAcls::List kList>
AccessEntry BucketAcls::Update(const api::storage::ChangeBucketAcl& request, const net::Call&) {
  Bucket bucket = Change(request.bucket, kList, [&](Acl& acl) {
    EditEntry(acl, request.entity, request.body, EditForm::kUpdate);
  });
  return EntryOf(bucket.*kList, request.entity);
}

template <BucketAcls::List kList>
api::NoContent BucketAcls::Delete(const api::storage::BucketAclEntry& request, const net::Call&) {
  Change(request.bucket, kList, [&](Acl& acl) { RemoveEntry(acl, request.entity); });
  return {};
}

}  // namespace fireweed::storage
