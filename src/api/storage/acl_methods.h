// ACL sub-resources of buckets, of their default for new objects, and of objects; and the IAM policies of objects.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/policy.h"
#include "api/storage/access_control.h"
#include "api/storage/bucket.h"
#include "api/storage/service.h"

namespace fireweed::api::storage {

struct AccessEntryList {
  std::string kind;  // "storage#bucketAccessControls", "storage#objectAccessControls"
  std::vector<AccessEntry> items;
};

struct ListBucketAcl {
  std::string bucket;
  std::optional<int64_t> ifMetagenerationMatch, ifMetagenerationNotMatch;
};
struct BucketAclEntry {  // get and delete
  std::string bucket, entity;
};
struct InsertBucketAcl {
  std::string bucket;
  AccessEntry body;
};
struct ChangeBucketAcl {  // patch and update
  std::string bucket, entity;
  Json body;
};

struct ListObjectAcl {
  std::string bucket, object;
  std::optional<int64_t> generation;
};
struct ObjectAclEntry {  // get and delete
  std::string bucket, object, entity;
  std::optional<int64_t> generation;
};
struct InsertObjectAcl {
  std::string bucket, object;
  std::optional<int64_t> generation;
  AccessEntry body;
};
struct ChangeObjectAcl {  // patch and update
  std::string bucket, object, entity;
  std::optional<int64_t> generation;
  Json body;
};

struct SetObjectPolicy {
  std::string bucket, object;
  std::optional<int64_t> generation;
  Policy body;
};
struct TestObjectPermissions {
  std::string bucket, object;
  std::optional<int64_t> generation;
  std::vector<std::string> permissions;
};

}  // namespace fireweed::api::storage

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::storage::AccessEntryList> = "AccessControls";
template <>
inline constexpr auto kFields<api::storage::AccessEntryList> = [](auto...) {
  return Fields{F("kind", &api::storage::AccessEntryList::kind),
                F("items", &api::storage::AccessEntryList::items)};
};
template <>
inline constexpr auto kFields<api::storage::ListBucketAcl> = [](auto...) {
  return Fields{
      F("bucket", &api::storage::ListBucketAcl::bucket, kPath),
      F("ifMetagenerationMatch", &api::storage::ListBucketAcl::ifMetagenerationMatch, kQuery),
      F("ifMetagenerationNotMatch", &api::storage::ListBucketAcl::ifMetagenerationNotMatch,
        kQuery)};
};
template <>
inline constexpr auto kFields<api::storage::BucketAclEntry> = [](auto...) {
  return Fields{F("bucket", &api::storage::BucketAclEntry::bucket, kPath),
                F("entity", &api::storage::BucketAclEntry::entity, kPath)};
};
template <>
inline constexpr auto kFields<api::storage::InsertBucketAcl> = [](auto...) {
  return Fields{F("bucket", &api::storage::InsertBucketAcl::bucket, kPath),
                F("body", &api::storage::InsertBucketAcl::body, kBody)};
};
template <>
inline constexpr auto kFields<api::storage::ChangeBucketAcl> = [](auto...) {
  return Fields{F("bucket", &api::storage::ChangeBucketAcl::bucket, kPath),
                F("entity", &api::storage::ChangeBucketAcl::entity, kPath),
                F("body", &api::storage::ChangeBucketAcl::body, kBody)};
};
template <>
inline constexpr auto kFields<api::storage::ListObjectAcl> = [](auto...) {
  return Fields{F("bucket", &api::storage::ListObjectAcl::bucket, kPath),
                F("object", &api::storage::ListObjectAcl::object, kPath),
                F("generation", &api::storage::ListObjectAcl::generation, kQuery)};
};
template <>
inline constexpr auto kFields<api::storage::ObjectAclEntry> = [](auto...) {
  return Fields{F("bucket", &api::storage::ObjectAclEntry::bucket, kPath),
                F("object", &api::storage::ObjectAclEntry::object, kPath),
                F("entity", &api::storage::ObjectAclEntry::entity, kPath),
                F("generation", &api::storage::ObjectAclEntry::generation, kQuery)};
};
template <>
inline constexpr auto kFields<api::storage::InsertObjectAcl> = [](auto...) {
  return Fields{F("bucket", &api::storage::InsertObjectAcl::bucket, kPath),
                F("object", &api::storage::InsertObjectAcl::object, kPath),
                F("generation", &api::storage::InsertObjectAcl::generation, kQuery),
                F("body", &api::storage::InsertObjectAcl::body, kBody)};
};
template <>
inline constexpr auto kFields<api::storage::ChangeObjectAcl> = [](auto...) {
  return Fields{F("bucket", &api::storage::ChangeObjectAcl::bucket, kPath),
                F("object", &api::storage::ChangeObjectAcl::object, kPath),
                F("entity", &api::storage::ChangeObjectAcl::entity, kPath),
                F("generation", &api::storage::ChangeObjectAcl::generation, kQuery),
                F("body", &api::storage::ChangeObjectAcl::body, kBody)};
};
template <>
inline constexpr auto kFields<api::storage::SetObjectPolicy> = [](auto...) {
  return Fields{F("bucket", &api::storage::SetObjectPolicy::bucket, kPath),
                F("object", &api::storage::SetObjectPolicy::object, kPath),
                F("generation", &api::storage::SetObjectPolicy::generation, kQuery),
                F("body", &api::storage::SetObjectPolicy::body, kBody)};
};
template <>
inline constexpr auto kFields<api::storage::TestObjectPermissions> = [](auto...) {
  return Fields{F("bucket", &api::storage::TestObjectPermissions::bucket, kPath),
                F("object", &api::storage::TestObjectPermissions::object, kPath),
                F("generation", &api::storage::TestObjectPermissions::generation, kQuery),
                F("permissions", &api::storage::TestObjectPermissions::permissions, kQuery)};
};
}  // namespace fireweed

namespace fireweed::api::storage {

inline constexpr Method<ListBucketAcl, AccessEntryList> kListBucketAcl{
    kStorage,
    Verb::kGet,
    "/storage/v1/b/{bucket}/acl",
    "storage.bucketAccessControls.list",
    "storage.buckets.getIamPolicy",
    "buckets/{bucket}"};
inline constexpr Method<BucketAclEntry, AccessEntry> kGetBucketAcl{
    kStorage,
    Verb::kGet,
    "/storage/v1/b/{bucket}/acl/{entity}",
    "storage.bucketAccessControls.get",
    "storage.buckets.getIamPolicy",
    "buckets/{bucket}"};
inline constexpr Method<InsertBucketAcl, AccessEntry> kInsertBucketAcl{
    kStorage,
    Verb::kPost,
    "/storage/v1/b/{bucket}/acl",
    "storage.bucketAccessControls.insert",
    "storage.buckets.setIamPolicy",
    "buckets/{bucket}"};
inline constexpr Method<ChangeBucketAcl, AccessEntry> kPatchBucketAcl{
    kStorage,
    Verb::kPatch,
    "/storage/v1/b/{bucket}/acl/{entity}",
    "storage.bucketAccessControls.patch",
    "storage.buckets.setIamPolicy",
    "buckets/{bucket}"};
inline constexpr Method<ChangeBucketAcl, AccessEntry> kUpdateBucketAcl{
    kStorage,
    Verb::kPut,
    "/storage/v1/b/{bucket}/acl/{entity}",
    "storage.bucketAccessControls.update",
    "storage.buckets.setIamPolicy",
    "buckets/{bucket}"};
inline constexpr Method<BucketAclEntry, NoContent> kDeleteBucketAcl{
    kStorage,
    Verb::kDelete,
    "/storage/v1/b/{bucket}/acl/{entity}",
    "storage.bucketAccessControls.delete",
    "storage.buckets.setIamPolicy",
    "buckets/{bucket}"};
inline constexpr Method<ListBucketAcl, AccessEntryList> kListDefaultObjectAcl{
    kStorage,
    Verb::kGet,
    "/storage/v1/b/{bucket}/defaultObjectAcl",
    "storage.defaultObjectAccessControls.list",
    "storage.buckets.getIamPolicy",
    "buckets/{bucket}"};
inline constexpr Method<BucketAclEntry, AccessEntry> kGetDefaultObjectAcl{
    kStorage,
    Verb::kGet,
    "/storage/v1/b/{bucket}/defaultObjectAcl/{entity}",
    "storage.defaultObjectAccessControls.get",
    "storage.buckets.getIamPolicy",
    "buckets/{bucket}"};
inline constexpr Method<InsertBucketAcl, AccessEntry> kInsertDefaultObjectAcl{
    kStorage,
    Verb::kPost,
    "/storage/v1/b/{bucket}/defaultObjectAcl",
    "storage.defaultObjectAccessControls.insert",
    "storage.buckets.setIamPolicy",
    "buckets/{bucket}"};
inline constexpr Method<ChangeBucketAcl, AccessEntry> kPatchDefaultObjectAcl{
    kStorage,
    Verb::kPatch,
    "/storage/v1/b/{bucket}/defaultObjectAcl/{entity}",
    "storage.defaultObjectAccessControls.patch",
    "storage.buckets.setIamPolicy",
    "buckets/{bucket}"};
inline constexpr Method<ChangeBucketAcl, AccessEntry> kUpdateDefaultObjectAcl{
    kStorage,
    Verb::kPut,
    "/storage/v1/b/{bucket}/defaultObjectAcl/{entity}",
    "storage.defaultObjectAccessControls.update",
    "storage.buckets.setIamPolicy",
    "buckets/{bucket}"};
inline constexpr Method<BucketAclEntry, NoContent> kDeleteDefaultObjectAcl{
    kStorage,
    Verb::kDelete,
    "/storage/v1/b/{bucket}/defaultObjectAcl/{entity}",
    "storage.defaultObjectAccessControls.delete",
    "storage.buckets.setIamPolicy",
    "buckets/{bucket}"};
inline constexpr Method<ListObjectAcl, AccessEntryList> kListObjectAcl{
    kStorage,
    Verb::kGet,
    "/storage/v1/b/{bucket}/o/{object}/acl",
    "storage.objectAccessControls.list",
    "storage.objects.getIamPolicy",
    "buckets/{bucket}",
    Judge::kHandler};
inline constexpr Method<ObjectAclEntry, AccessEntry> kGetObjectAcl{
    kStorage,
    Verb::kGet,
    "/storage/v1/b/{bucket}/o/{object}/acl/{entity}",
    "storage.objectAccessControls.get",
    "storage.objects.getIamPolicy",
    "buckets/{bucket}",
    Judge::kHandler};
inline constexpr Method<InsertObjectAcl, AccessEntry> kInsertObjectAcl{
    kStorage,
    Verb::kPost,
    "/storage/v1/b/{bucket}/o/{object}/acl",
    "storage.objectAccessControls.insert",
    "storage.objects.setIamPolicy",
    "buckets/{bucket}",
    Judge::kHandler};
inline constexpr Method<ChangeObjectAcl, AccessEntry> kPatchObjectAcl{
    kStorage,
    Verb::kPatch,
    "/storage/v1/b/{bucket}/o/{object}/acl/{entity}",
    "storage.objectAccessControls.patch",
    "storage.objects.setIamPolicy",
    "buckets/{bucket}",
    Judge::kHandler};
inline constexpr Method<ChangeObjectAcl, AccessEntry> kUpdateObjectAcl{
    kStorage,
    Verb::kPut,
    "/storage/v1/b/{bucket}/o/{object}/acl/{entity}",
    "storage.objectAccessControls.update",
    "storage.objects.setIamPolicy",
    "buckets/{bucket}",
    Judge::kHandler};
inline constexpr Method<ObjectAclEntry, NoContent> kDeleteObjectAcl{
    kStorage,
    Verb::kDelete,
    "/storage/v1/b/{bucket}/o/{object}/acl/{entity}",
    "storage.objectAccessControls.delete",
    "storage.objects.setIamPolicy",
    "buckets/{bucket}",
    Judge::kHandler};
inline constexpr Method<ListObjectAcl, Policy> kGetObjectPolicy{
    kStorage,
    Verb::kGet,
    "/storage/v1/b/{bucket}/o/{object}/iam",
    "storage.objects.getIamPolicy",
    "storage.objects.getIamPolicy",
    "buckets/{bucket}",
    Judge::kHandler};
inline constexpr Method<SetObjectPolicy, Policy> kSetObjectPolicy{
    kStorage,
    Verb::kPut,
    "/storage/v1/b/{bucket}/o/{object}/iam",
    "storage.objects.setIamPolicy",
    "storage.objects.setIamPolicy",
    "buckets/{bucket}",
    Judge::kHandler};
inline constexpr Method<TestObjectPermissions, TestBucketPermissionsReply> kTestObjectPermissions{
    kStorage, Verb::kGet, "/storage/v1/b/{bucket}/o/{object}/iam/testPermissions",
    "storage.objects.testIamPermissions"};

}  // namespace fireweed::api::storage
