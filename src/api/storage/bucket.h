// Buckets of the JSON API: the resource and its methods.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/policy.h"
#include "api/storage/access_control.h"
#include "api/storage/service.h"

namespace fireweed::api::storage {

struct UniformAccess {
  bool enabled = false;
  std::optional<Time> lockedTime;
};
struct IamConfiguration {
  UniformAccess uniformBucketLevelAccess;
  UniformAccess bucketPolicyOnly;  // the older name of the same switch; both are always shown
  std::string publicAccessPrevention = "inherited";
};
struct Lifecycle {
  std::vector<Json> rule;
};
struct Cors {
  std::vector<std::string> origin, method, responseHeader;
  std::optional<int32_t> maxAgeSeconds;
};
struct Website {
  std::string mainPageSuffix, notFoundPage;
};
struct Versioning {
  bool enabled = false;
};
struct Logging {
  std::string logBucket, logObjectPrefix;
};
struct RetentionPolicy {
  int64_t retentionPeriod = 0;  // seconds
  std::optional<Time> effectiveTime;
  std::optional<bool> isLocked;
};
struct BucketBilling {
  bool requesterPays = false;
};
struct BucketEncryption {
  std::string defaultKmsKeyName;
};
struct Autoclass {
  bool enabled = false;
  std::optional<Time> toggleTime;
  std::string terminalStorageClass;
  std::optional<Time> terminalStorageClassUpdateTime;
};
struct SoftDeletePolicy {
  int64_t retentionDurationSeconds = 0;
  std::optional<Time> effectiveTime;
};
struct CustomPlacement {
  std::vector<std::string> dataLocations;  // two regions of one continent
};

struct Bucket {
  std::string kind = "storage#bucket";
  std::string id, selfLink, name;
  int64_t projectNumber = 0;
  std::string location = "US";  // always upper case
  std::string locationType;     // "region", "dual-region", "multi-region"
  std::string storageClass = "STANDARD";
  Time timeCreated, updated;
  int64_t metageneration = 1;
  std::string etag;
  IamConfiguration iamConfiguration;
  std::map<std::string, std::string> labels;
  Lifecycle lifecycle;
  std::vector<Cors> cors;
  Website website;
  std::optional<Versioning> versioning;
  Logging logging;
  std::optional<RetentionPolicy> retentionPolicy;
  std::optional<BucketBilling> billing;
  BucketEncryption encryption;
  std::optional<bool> defaultEventBasedHold;
  std::string rpo;
  std::optional<Autoclass> autoclass;
  std::optional<SoftDeletePolicy> softDeletePolicy;
  CustomPlacement customPlacementConfig;
  Json hierarchicalNamespace, objectRetention;
  std::vector<AccessEntry> acl;               // shown with projection=full
  std::vector<AccessEntry> defaultObjectAcl;  // the same
  std::optional<Owner> owner;                 // the same
  std::string project;                        // whose bucket it is
};

struct BucketList {
  std::string kind = "storage#buckets";
  std::string nextPageToken;
  std::vector<Bucket> items;
};

struct ListBuckets {
  std::string project, prefix, pageToken;
  int32_t maxResults = 1000;
  std::string projection;
};
struct InsertBucket {
  std::string project, predefinedAcl, predefinedDefaultObjectAcl, projection;
  Bucket body;
};
struct GetBucket {
  std::string bucket, projection;
  std::optional<int64_t> ifMetagenerationMatch, ifMetagenerationNotMatch;
};
struct ChangeBucket {  // patch and update
  std::string bucket, projection, predefinedAcl, predefinedDefaultObjectAcl;
  std::optional<int64_t> ifMetagenerationMatch, ifMetagenerationNotMatch;
  Json body;
};
struct BucketName {
  std::string bucket;
};

struct LockRetentionPolicy {
  std::string bucket;
  std::optional<int64_t> ifMetagenerationMatch;
};

struct SetBucketPolicy {
  std::string bucket;
  Policy body;
};
struct TestBucketPermissions {
  std::string bucket;
  std::vector<std::string> permissions;
};
struct TestBucketPermissionsReply {
  std::string kind = "storage#testIamPermissionsResponse";
  std::vector<std::string> permissions;
};

struct HierarchicalNamespace {
  bool enabled = false;
};
struct StorageLayout {
  std::string kind = "storage#storageLayout";
  std::string bucket, location, locationType;
  HierarchicalNamespace hierarchicalNamespace;
};
struct ManagedFolderList {
  std::string kind = "storage#managedFolders";
  std::vector<Json> items;
};

struct GetProjectServiceAccount {
  std::string project;
};
struct ProjectServiceAccount {
  std::string kind = "storage#serviceAccount";
  std::string email_address;
};

}  // namespace fireweed::api::storage

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::storage::UniformAccess> =
    "UniformBucketLevelAccess";
template <>
inline constexpr auto kFields<api::storage::UniformAccess> = [](auto...) {
  return Fields{F("enabled", &api::storage::UniformAccess::enabled),
                F("lockedTime", &api::storage::UniformAccess::lockedTime, kOutput)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::IamConfiguration> = "IamConfiguration";
template <>
inline constexpr auto kFields<api::storage::IamConfiguration> = [](auto...) {
  return Fields{
      F("uniformBucketLevelAccess", &api::storage::IamConfiguration::uniformBucketLevelAccess),
      F("bucketPolicyOnly", &api::storage::IamConfiguration::bucketPolicyOnly),
      F("publicAccessPrevention", &api::storage::IamConfiguration::publicAccessPrevention)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::Lifecycle> = "Lifecycle";
template <>
inline constexpr auto kFields<api::storage::Lifecycle> =
    [](auto...) { return Fields{F("rule", &api::storage::Lifecycle::rule)}; };
template <>
inline constexpr std::string_view kTypeName<api::storage::Cors> = "Cors";
template <>
inline constexpr auto kFields<api::storage::Cors> = [](auto...) {
  return Fields{F("origin", &api::storage::Cors::origin), F("method", &api::storage::Cors::method),
                F("responseHeader", &api::storage::Cors::responseHeader),
                F("maxAgeSeconds", &api::storage::Cors::maxAgeSeconds)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::Website> = "Website";
template <>
inline constexpr auto kFields<api::storage::Website> = [](auto...) {
  return Fields{F("mainPageSuffix", &api::storage::Website::mainPageSuffix),
                F("notFoundPage", &api::storage::Website::notFoundPage)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::Versioning> = "Versioning";
template <>
inline constexpr auto kFields<api::storage::Versioning> =
    [](auto...) { return Fields{F("enabled", &api::storage::Versioning::enabled)}; };
template <>
inline constexpr std::string_view kTypeName<api::storage::Logging> = "Logging";
template <>
inline constexpr auto kFields<api::storage::Logging> = [](auto...) {
  return Fields{F("logBucket", &api::storage::Logging::logBucket),
                F("logObjectPrefix", &api::storage::Logging::logObjectPrefix)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::RetentionPolicy> = "RetentionPolicy";
template <>
inline constexpr auto kFields<api::storage::RetentionPolicy> = [](auto...) {
  return Fields{F("retentionPeriod", &api::storage::RetentionPolicy::retentionPeriod),
                F("effectiveTime", &api::storage::RetentionPolicy::effectiveTime, kOutput),
                F("isLocked", &api::storage::RetentionPolicy::isLocked, kOutput)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::BucketBilling> = "Billing";
template <>
inline constexpr auto kFields<api::storage::BucketBilling> =
    [](auto...) { return Fields{F("requesterPays", &api::storage::BucketBilling::requesterPays)}; };
template <>
inline constexpr std::string_view kTypeName<api::storage::BucketEncryption> = "Encryption";
template <>
inline constexpr auto kFields<api::storage::BucketEncryption> = [](auto...) {
  return Fields{F("defaultKmsKeyName", &api::storage::BucketEncryption::defaultKmsKeyName)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::Autoclass> = "Autoclass";
template <>
inline constexpr auto kFields<api::storage::Autoclass> = [](auto...) {
  return Fields{F("enabled", &api::storage::Autoclass::enabled),
                F("toggleTime", &api::storage::Autoclass::toggleTime, kOutput),
                F("terminalStorageClass", &api::storage::Autoclass::terminalStorageClass),
                F("terminalStorageClassUpdateTime",
                  &api::storage::Autoclass::terminalStorageClassUpdateTime, kOutput)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::SoftDeletePolicy> = "SoftDeletePolicy";
template <>
inline constexpr auto kFields<api::storage::SoftDeletePolicy> = [](auto...) {
  return Fields{
      F("retentionDurationSeconds", &api::storage::SoftDeletePolicy::retentionDurationSeconds),
      F("effectiveTime", &api::storage::SoftDeletePolicy::effectiveTime, kOutput)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::CustomPlacement> =
    "CustomPlacementConfig";
template <>
inline constexpr auto kFields<api::storage::CustomPlacement> = [](auto...) {
  return Fields{F("dataLocations", &api::storage::CustomPlacement::dataLocations)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::Bucket> = "Bucket";
template <>
inline constexpr auto kFields<api::storage::Bucket> = [](auto...) {
  return Fields{F("kind", &api::storage::Bucket::kind, kOutput),
                F("id", &api::storage::Bucket::id, kOutput),
                F("selfLink", &api::storage::Bucket::selfLink, kOutput),
                F("name", &api::storage::Bucket::name, kRequired | kImmutable),
                F("projectNumber", &api::storage::Bucket::projectNumber, kOutput),
                F("location", &api::storage::Bucket::location, kImmutable),
                F("locationType", &api::storage::Bucket::locationType, kOutput),
                F("storageClass", &api::storage::Bucket::storageClass),
                F("timeCreated", &api::storage::Bucket::timeCreated, kOutput),
                F("updated", &api::storage::Bucket::updated, kOutput),
                F("metageneration", &api::storage::Bucket::metageneration, kOutput),
                F("etag", &api::storage::Bucket::etag, kOutput),
                F("iamConfiguration", &api::storage::Bucket::iamConfiguration),
                F("labels", &api::storage::Bucket::labels),
                F("lifecycle", &api::storage::Bucket::lifecycle),
                F("cors", &api::storage::Bucket::cors),
                F("website", &api::storage::Bucket::website),
                F("versioning", &api::storage::Bucket::versioning),
                F("logging", &api::storage::Bucket::logging),
                F("retentionPolicy", &api::storage::Bucket::retentionPolicy),
                F("billing", &api::storage::Bucket::billing),
                F("encryption", &api::storage::Bucket::encryption),
                F("defaultEventBasedHold", &api::storage::Bucket::defaultEventBasedHold),
                F("rpo", &api::storage::Bucket::rpo),
                F("autoclass", &api::storage::Bucket::autoclass),
                F("softDeletePolicy", &api::storage::Bucket::softDeletePolicy),
                F("customPlacementConfig", &api::storage::Bucket::customPlacementConfig),
                F("hierarchicalNamespace", &api::storage::Bucket::hierarchicalNamespace),
                F("objectRetention", &api::storage::Bucket::objectRetention),
                F("acl", &api::storage::Bucket::acl),
                F("defaultObjectAcl", &api::storage::Bucket::defaultObjectAcl),
                F("owner", &api::storage::Bucket::owner, kOutput),
                F("project", &api::storage::Bucket::project, kStored)};
};
extern template const Type& TypeOf<api::storage::Bucket>();
template <>
inline constexpr std::string_view kTypeName<api::storage::BucketList> = "Buckets";
template <>
inline constexpr auto kFields<api::storage::BucketList> = [](auto...) {
  return Fields{F("kind", &api::storage::BucketList::kind),
                F("nextPageToken", &api::storage::BucketList::nextPageToken),
                F("items", &api::storage::BucketList::items)};
};
template <>
inline constexpr auto kFields<api::storage::ListBuckets> = [](auto...) {
  return Fields{F("project", &api::storage::ListBuckets::project, kQuery | kRequired),
                F("prefix", &api::storage::ListBuckets::prefix, kQuery),
                F("pageToken", &api::storage::ListBuckets::pageToken, kQuery),
                F("maxResults", &api::storage::ListBuckets::maxResults, kQuery),
                F("projection", &api::storage::ListBuckets::projection, kQuery)};
};
template <>
inline constexpr auto kFields<api::storage::InsertBucket> = [](auto...) {
  return Fields{F("project", &api::storage::InsertBucket::project, kQuery | kRequired),
                F("predefinedAcl", &api::storage::InsertBucket::predefinedAcl, kQuery),
                F("predefinedDefaultObjectAcl",
                  &api::storage::InsertBucket::predefinedDefaultObjectAcl, kQuery),
                F("projection", &api::storage::InsertBucket::projection, kQuery),
                F("body", &api::storage::InsertBucket::body, kBody)};
};
template <>
inline constexpr auto kFields<api::storage::GetBucket> = [](auto...) {
  return Fields{
      F("bucket", &api::storage::GetBucket::bucket, kPath),
      F("projection", &api::storage::GetBucket::projection, kQuery),
      F("ifMetagenerationMatch", &api::storage::GetBucket::ifMetagenerationMatch, kQuery),
      F("ifMetagenerationNotMatch", &api::storage::GetBucket::ifMetagenerationNotMatch, kQuery)};
};
template <>
inline constexpr auto kFields<api::storage::ChangeBucket> = [](auto...) {
  return Fields{
      F("bucket", &api::storage::ChangeBucket::bucket, kPath),
      F("projection", &api::storage::ChangeBucket::projection, kQuery),
      F("predefinedAcl", &api::storage::ChangeBucket::predefinedAcl, kQuery),
      F("predefinedDefaultObjectAcl", &api::storage::ChangeBucket::predefinedDefaultObjectAcl,
        kQuery),
      F("ifMetagenerationMatch", &api::storage::ChangeBucket::ifMetagenerationMatch, kQuery),
      F("ifMetagenerationNotMatch", &api::storage::ChangeBucket::ifMetagenerationNotMatch, kQuery),
      F("body", &api::storage::ChangeBucket::body, kBody)};
};
template <>
inline constexpr auto kFields<api::storage::BucketName> =
    [](auto...) { return Fields{F("bucket", &api::storage::BucketName::bucket, kPath)}; };
template <>
inline constexpr auto kFields<api::storage::LockRetentionPolicy> = [](auto...) {
  return Fields{F("bucket", &api::storage::LockRetentionPolicy::bucket, kPath),
                F("ifMetagenerationMatch",
                  &api::storage::LockRetentionPolicy::ifMetagenerationMatch, kQuery)};
};
template <>
inline constexpr auto kFields<api::storage::SetBucketPolicy> = [](auto...) {
  return Fields{F("bucket", &api::storage::SetBucketPolicy::bucket, kPath),
                F("body", &api::storage::SetBucketPolicy::body, kBody)};
};
template <>
inline constexpr auto kFields<api::storage::TestBucketPermissions> = [](auto...) {
  return Fields{F("bucket", &api::storage::TestBucketPermissions::bucket, kPath),
                F("permissions", &api::storage::TestBucketPermissions::permissions, kQuery)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::TestBucketPermissionsReply> =
    "TestIamPermissionsResponse";
template <>
inline constexpr auto kFields<api::storage::TestBucketPermissionsReply> = [](auto...) {
  return Fields{F("kind", &api::storage::TestBucketPermissionsReply::kind),
                F("permissions", &api::storage::TestBucketPermissionsReply::permissions)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::HierarchicalNamespace> =
    "HierarchicalNamespace";
template <>
inline constexpr auto kFields<api::storage::HierarchicalNamespace> =
    [](auto...) { return Fields{F("enabled", &api::storage::HierarchicalNamespace::enabled)}; };
template <>
inline constexpr std::string_view kTypeName<api::storage::StorageLayout> = "BucketStorageLayout";
template <>
inline constexpr auto kFields<api::storage::StorageLayout> = [](auto...) {
  return Fields{F("kind", &api::storage::StorageLayout::kind),
                F("bucket", &api::storage::StorageLayout::bucket),
                F("location", &api::storage::StorageLayout::location),
                F("locationType", &api::storage::StorageLayout::locationType),
                F("hierarchicalNamespace", &api::storage::StorageLayout::hierarchicalNamespace)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::ManagedFolderList> = "ManagedFolders";
template <>
inline constexpr auto kFields<api::storage::ManagedFolderList> = [](auto...) {
  return Fields{F("kind", &api::storage::ManagedFolderList::kind),
                F("items", &api::storage::ManagedFolderList::items, kKeepEmpty)};
};
template <>
inline constexpr auto kFields<api::storage::GetProjectServiceAccount> = [](auto...) {
  return Fields{F("project", &api::storage::GetProjectServiceAccount::project, kPath)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::ProjectServiceAccount> = "ServiceAccount";
template <>
inline constexpr auto kFields<api::storage::ProjectServiceAccount> = [](auto...) {
  return Fields{F("kind", &api::storage::ProjectServiceAccount::kind),
                F("email_address", &api::storage::ProjectServiceAccount::email_address)};
};
}  // namespace fireweed

namespace fireweed::api::storage {

inline constexpr Method<ListBuckets, BucketList> kListBuckets{kStorage,
                                                              Verb::kGet,
                                                              "/storage/v1/b",
                                                              "storage.buckets.list",
                                                              "storage.buckets.list",
                                                              "projects/{project}"};
inline constexpr Method<InsertBucket, Bucket> kInsertBucket{kStorage,
                                                            Verb::kPost,
                                                            "/storage/v1/b",
                                                            "storage.buckets.insert",
                                                            "storage.buckets.create",
                                                            "projects/{project}"};
inline constexpr Method<GetBucket, Bucket> kGetBucket{kStorage,
                                                      Verb::kGet,
                                                      "/storage/v1/b/{bucket}",
                                                      "storage.buckets.get",
                                                      "storage.buckets.get",
                                                      "buckets/{bucket}"};
inline constexpr Method<ChangeBucket, Bucket> kPatchBucket{kStorage,
                                                           Verb::kPatch,
                                                           "/storage/v1/b/{bucket}",
                                                           "storage.buckets.patch",
                                                           "storage.buckets.update",
                                                           "buckets/{bucket}"};
inline constexpr Method<ChangeBucket, Bucket> kUpdateBucket{kStorage,
                                                            Verb::kPut,
                                                            "/storage/v1/b/{bucket}",
                                                            "storage.buckets.update",
                                                            "storage.buckets.update",
                                                            "buckets/{bucket}"};
inline constexpr Method<GetBucket, NoContent> kDeleteBucket{kStorage,
                                                            Verb::kDelete,
                                                            "/storage/v1/b/{bucket}",
                                                            "storage.buckets.delete",
                                                            "storage.buckets.delete",
                                                            "buckets/{bucket}"};
inline constexpr Method<LockRetentionPolicy, Bucket> kLockRetentionPolicy{
    kStorage,
    Verb::kPost,
    "/storage/v1/b/{bucket}/lockRetentionPolicy",
    "storage.buckets.lockRetentionPolicy",
    "storage.buckets.update",
    "buckets/{bucket}"};
inline constexpr Method<BucketName, StorageLayout> kGetStorageLayout{
    kStorage,
    Verb::kGet,
    "/storage/v1/b/{bucket}/storageLayout",
    "storage.buckets.getStorageLayout",
    "storage.objects.list",
    "buckets/{bucket}"};
inline constexpr Method<BucketName, Policy> kGetBucketPolicy{kStorage,
                                                             Verb::kGet,
                                                             "/storage/v1/b/{bucket}/iam",
                                                             "storage.buckets.getIamPolicy",
                                                             "storage.buckets.getIamPolicy",
                                                             "buckets/{bucket}"};
inline constexpr Method<SetBucketPolicy, Policy> kSetBucketPolicy{kStorage,
                                                                  Verb::kPut,
                                                                  "/storage/v1/b/{bucket}/iam",
                                                                  "storage.buckets.setIamPolicy",
                                                                  "storage.buckets.setIamPolicy",
                                                                  "buckets/{bucket}"};
inline constexpr Method<TestBucketPermissions, TestBucketPermissionsReply> kTestBucketPermissions{
    kStorage, Verb::kGet, "/storage/v1/b/{bucket}/iam/testPermissions",
    "storage.buckets.testIamPermissions"};
inline constexpr Method<BucketName, ManagedFolderList> kListManagedFolders{
    kStorage,
    Verb::kGet,
    "/storage/v1/b/{bucket}/managedFolders",
    "storage.managedFolders.list",
    "storage.managedFolders.list",
    "buckets/{bucket}"};
inline constexpr Method<GetProjectServiceAccount, ProjectServiceAccount> kGetProjectServiceAccount{
    kStorage,
    Verb::kGet,
    "/storage/v1/projects/{project}/serviceAccount",
    "storage.projects.serviceAccount.get",
    "resourcemanager.projects.get",
    "projects/{project}"};

}  // namespace fireweed::api::storage
