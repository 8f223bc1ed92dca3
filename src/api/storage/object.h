// Objects of the JSON API: the resource and its methods. Uploads are in upload.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/storage/access_control.h"
#include "api/storage/service.h"

namespace fireweed::api::storage {

struct Object {
  std::string kind = "storage#object";
  std::string id, selfLink, mediaLink, name, bucket;
  int64_t generation = 0;      // microseconds, unique and growing
  int64_t metageneration = 1;  // of this generation's metadata
  std::string contentType, storageClass;
  int64_t size = 0;
  std::string md5Hash;  // base64; composed objects have none
  std::string crc32c;   // base64 of four big-endian bytes
  std::string etag;
  std::string contentEncoding, contentDisposition, contentLanguage, cacheControl;
  std::map<std::string, std::string> metadata;
  Time timeCreated, updated, timeDeleted, timeStorageClassUpdated, timeFinalized, customTime;
  std::optional<int32_t> componentCount;
  std::optional<bool> temporaryHold, eventBasedHold;
  std::string kmsKeyName;
  Json retention, contexts;
  Time retentionExpirationTime;  // when the bucket's retention policy lets go of it
  Time holdReleased;             // when its event-based hold ended: the policy counts from then
  std::vector<AccessEntry> acl;  // shown with projection=full
  std::optional<Owner> owner;    // the same
};

struct ObjectList {
  std::string kind = "storage#objects";
  std::string nextPageToken;
  std::vector<std::string> prefixes;
  std::vector<Object> items;
};

// The four preconditions; a request with them inherits this.
struct ObjectConditions {
  std::optional<int64_t> ifGenerationMatch, ifGenerationNotMatch;
  std::optional<int64_t> ifMetagenerationMatch, ifMetagenerationNotMatch;
};
// The same for the object that is read from.
struct SourceConditions {
  std::optional<int64_t> ifSourceGenerationMatch, ifSourceGenerationNotMatch;
  std::optional<int64_t> ifSourceMetagenerationMatch, ifSourceMetagenerationNotMatch;
};

struct ListObjects {
  std::string bucket, prefix, delimiter, startOffset, endOffset, matchGlob, pageToken, projection;
  int32_t maxResults = 1000;
  bool versions = false, includeTrailingDelimiter = false;
  bool includeFoldersAsPrefixes = false;  // folders are not made here: nothing changes
  bool softDeleted = false;
};
struct GetObject : ObjectConditions {
  std::string bucket, object, alt, projection;
  std::optional<int64_t> generation;
};
struct ChangeObject : ObjectConditions {  // patch and update
  std::string bucket, object, projection, predefinedAcl;
  std::optional<int64_t> generation;
  Json body;
};
struct DeleteObject : ObjectConditions {
  std::string bucket, object;
  std::optional<int64_t> generation;
};

struct RestoreObject {
  std::string bucket, object;
  int64_t generation = 0;
};

struct ObjectPrecondition {
  std::optional<int64_t> ifGenerationMatch;
};
struct SourceObject {
  std::string name;
  std::optional<int64_t> generation;
  std::optional<ObjectPrecondition> objectPreconditions;
};
struct ComposeBody {
  std::optional<Object> destination;
  std::vector<SourceObject> sourceObjects;
  bool deleteSourceObjects = false;
};
struct ComposeObject {
  std::string destinationBucket, destinationObject, destinationPredefinedAcl;
  std::optional<int64_t> ifGenerationMatch, ifMetagenerationMatch;
  ComposeBody body;
};

struct CopyObject : ObjectConditions, SourceConditions {  // copyTo and rewriteTo
  std::string sourceBucket, sourceObject, destinationBucket, destinationObject;
  std::string destinationPredefinedAcl, projection, rewriteToken;
  std::optional<int64_t> sourceGeneration, maxBytesRewrittenPerCall;
  Json body;  // the destination's metadata; none means the source's
};
struct MoveObject : ObjectConditions, SourceConditions {
  std::string bucket, sourceObject, destinationObject, projection;
};
struct RewriteReply {
  std::string kind = "storage#rewriteResponse";
  int64_t totalBytesRewritten = 0, objectSize = 0;
  bool done = true;
  std::string rewriteToken;  // while it is not done
  std::optional<Object> resource;
};

}  // namespace fireweed::api::storage

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::storage::Object> = "Object";
template <>
inline constexpr auto kFields<api::storage::Object> = [](auto...) {
  return Fields{
      F("kind", &api::storage::Object::kind, kOutput),
      F("id", &api::storage::Object::id, kOutput),
      F("selfLink", &api::storage::Object::selfLink, kOutput),
      F("mediaLink", &api::storage::Object::mediaLink, kOutput),
      F("name", &api::storage::Object::name),
      F("bucket", &api::storage::Object::bucket),
      F("generation", &api::storage::Object::generation, kOutput),
      F("metageneration", &api::storage::Object::metageneration, kOutput),
      F("contentType", &api::storage::Object::contentType),
      F("storageClass", &api::storage::Object::storageClass),
      F("size", &api::storage::Object::size, kOutput),
      F("md5Hash", &api::storage::Object::md5Hash),
      F("crc32c", &api::storage::Object::crc32c),
      F("etag", &api::storage::Object::etag, kOutput),
      F("contentEncoding", &api::storage::Object::contentEncoding),
      F("contentDisposition", &api::storage::Object::contentDisposition),
      F("contentLanguage", &api::storage::Object::contentLanguage),
      F("cacheControl", &api::storage::Object::cacheControl),
      F("metadata", &api::storage::Object::metadata),
      F("timeCreated", &api::storage::Object::timeCreated, kOutput),
      F("updated", &api::storage::Object::updated, kOutput),
      F("timeDeleted", &api::storage::Object::timeDeleted, kOutput),
      F("timeStorageClassUpdated", &api::storage::Object::timeStorageClassUpdated, kOutput),
      F("timeFinalized", &api::storage::Object::timeFinalized, kOutput),
      F("customTime", &api::storage::Object::customTime),
      F("componentCount", &api::storage::Object::componentCount, kOutput),
      F("temporaryHold", &api::storage::Object::temporaryHold),
      F("eventBasedHold", &api::storage::Object::eventBasedHold),
      F("kmsKeyName", &api::storage::Object::kmsKeyName, kOutput),
      F("retention", &api::storage::Object::retention),
      F("contexts", &api::storage::Object::contexts),
      F("retentionExpirationTime", &api::storage::Object::retentionExpirationTime, kOutput),
      F("holdReleased", &api::storage::Object::holdReleased, kStored),
      F("acl", &api::storage::Object::acl),
      F("owner", &api::storage::Object::owner, kOutput)};
};
extern template const Type& TypeOf<api::storage::Object>();
template <>
inline constexpr std::string_view kTypeName<api::storage::ObjectList> = "Objects";
template <>
inline constexpr auto kFields<api::storage::ObjectList> = [](auto...) {
  return Fields{F("kind", &api::storage::ObjectList::kind),
                F("nextPageToken", &api::storage::ObjectList::nextPageToken),
                F("prefixes", &api::storage::ObjectList::prefixes),
                F("items", &api::storage::ObjectList::items)};
};

namespace api::storage {
template <class T>
Fields ConditionFields() {
  return {F<T>("ifGenerationMatch", &ObjectConditions::ifGenerationMatch, kQuery),
          F<T>("ifGenerationNotMatch", &ObjectConditions::ifGenerationNotMatch, kQuery),
          F<T>("ifMetagenerationMatch", &ObjectConditions::ifMetagenerationMatch, kQuery),
          F<T>("ifMetagenerationNotMatch", &ObjectConditions::ifMetagenerationNotMatch, kQuery)};
}

template <class T>
Fields SourceConditionFields() {
  return {
      F<T>("ifSourceGenerationMatch", &SourceConditions::ifSourceGenerationMatch, kQuery),
      F<T>("ifSourceGenerationNotMatch", &SourceConditions::ifSourceGenerationNotMatch, kQuery),
      F<T>("ifSourceMetagenerationMatch", &SourceConditions::ifSourceMetagenerationMatch, kQuery),
      F<T>("ifSourceMetagenerationNotMatch", &SourceConditions::ifSourceMetagenerationNotMatch,
           kQuery)};
}
}  // namespace api::storage

template <>
inline constexpr auto kFields<api::storage::ListObjects> = [](auto...) {
  return Fields{
      F("bucket", &api::storage::ListObjects::bucket, kPath),
      F("prefix", &api::storage::ListObjects::prefix, kQuery),
      F("delimiter", &api::storage::ListObjects::delimiter, kQuery),
      F("startOffset", &api::storage::ListObjects::startOffset, kQuery),
      F("endOffset", &api::storage::ListObjects::endOffset, kQuery),
      F("matchGlob", &api::storage::ListObjects::matchGlob, kQuery),
      F("pageToken", &api::storage::ListObjects::pageToken, kQuery),
      F("projection", &api::storage::ListObjects::projection, kQuery),
      F("maxResults", &api::storage::ListObjects::maxResults, kQuery),
      F("versions", &api::storage::ListObjects::versions, kQuery),
      F("includeTrailingDelimiter", &api::storage::ListObjects::includeTrailingDelimiter, kQuery),
      F("includeFoldersAsPrefixes", &api::storage::ListObjects::includeFoldersAsPrefixes, kQuery),
      F("softDeleted", &api::storage::ListObjects::softDeleted, kQuery)};
};
template <>
inline constexpr auto kFields<api::storage::GetObject> = [](auto...) {
  return Join(Fields{F("bucket", &api::storage::GetObject::bucket, kPath),
                     F("object", &api::storage::GetObject::object, kPath),
                     F("alt", &api::storage::GetObject::alt, kQuery),
                     F("projection", &api::storage::GetObject::projection, kQuery),
                     F("generation", &api::storage::GetObject::generation, kQuery)},
              api::storage::ConditionFields<api::storage::GetObject>());
};
template <>
inline constexpr auto kFields<api::storage::ChangeObject> = [](auto...) {
  return Join(Fields{F("bucket", &api::storage::ChangeObject::bucket, kPath),
                     F("object", &api::storage::ChangeObject::object, kPath),
                     F("projection", &api::storage::ChangeObject::projection, kQuery),
                     F("predefinedAcl", &api::storage::ChangeObject::predefinedAcl, kQuery),
                     F("generation", &api::storage::ChangeObject::generation, kQuery),
                     F("body", &api::storage::ChangeObject::body, kBody)},
              api::storage::ConditionFields<api::storage::ChangeObject>());
};
template <>
inline constexpr auto kFields<api::storage::DeleteObject> = [](auto...) {
  return Join(Fields{F("bucket", &api::storage::DeleteObject::bucket, kPath),
                     F("object", &api::storage::DeleteObject::object, kPath),
                     F("generation", &api::storage::DeleteObject::generation, kQuery)},
              api::storage::ConditionFields<api::storage::DeleteObject>());
};
template <>
inline constexpr auto kFields<api::storage::RestoreObject> = [](auto...) {
  return Fields{F("bucket", &api::storage::RestoreObject::bucket, kPath),
                F("object", &api::storage::RestoreObject::object, kPath),
                F("generation", &api::storage::RestoreObject::generation, kQuery | kRequired)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::ObjectPrecondition> =
    "ObjectPreconditions";
template <>
inline constexpr auto kFields<api::storage::ObjectPrecondition> = [](auto...) {
  return Fields{F("ifGenerationMatch", &api::storage::ObjectPrecondition::ifGenerationMatch)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::SourceObject> = "SourceObject";
template <>
inline constexpr auto kFields<api::storage::SourceObject> = [](auto...) {
  return Fields{F("name", &api::storage::SourceObject::name, kRequired),
                F("generation", &api::storage::SourceObject::generation),
                F("objectPreconditions", &api::storage::SourceObject::objectPreconditions)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::ComposeBody> = "ComposeRequest";
template <>
inline constexpr auto kFields<api::storage::ComposeBody> = [](auto...) {
  return Fields{F("destination", &api::storage::ComposeBody::destination),
                F("sourceObjects", &api::storage::ComposeBody::sourceObjects, kRequired),
                F("deleteSourceObjects", &api::storage::ComposeBody::deleteSourceObjects)};
};
template <>
inline constexpr auto kFields<api::storage::ComposeObject> = [](auto...) {
  return Fields{
      F("destinationBucket", &api::storage::ComposeObject::destinationBucket, kPath),
      F("destinationObject", &api::storage::ComposeObject::destinationObject, kPath),
      F("destinationPredefinedAcl", &api::storage::ComposeObject::destinationPredefinedAcl, kQuery),
      F("ifGenerationMatch", &api::storage::ComposeObject::ifGenerationMatch, kQuery),
      F("ifMetagenerationMatch", &api::storage::ComposeObject::ifMetagenerationMatch, kQuery),
      F("body", &api::storage::ComposeObject::body, kBody)};
};
template <>
inline constexpr auto kFields<api::storage::CopyObject> = [](auto...) {
  return Join(
      Join(Fields{F("sourceBucket", &api::storage::CopyObject::sourceBucket, kPath),
                  F("sourceObject", &api::storage::CopyObject::sourceObject, kPath),
                  F("destinationBucket", &api::storage::CopyObject::destinationBucket, kPath),
                  F("destinationObject", &api::storage::CopyObject::destinationObject, kPath),
                  F("destinationPredefinedAcl", &api::storage::CopyObject::destinationPredefinedAcl,
                    kQuery),
                  F("projection", &api::storage::CopyObject::projection, kQuery),
                  F("rewriteToken", &api::storage::CopyObject::rewriteToken, kQuery),
                  F("sourceGeneration", &api::storage::CopyObject::sourceGeneration, kQuery),
                  F("maxBytesRewrittenPerCall", &api::storage::CopyObject::maxBytesRewrittenPerCall,
                    kQuery),
                  F("body", &api::storage::CopyObject::body, kBody)},
           api::storage::ConditionFields<api::storage::CopyObject>()),
      api::storage::SourceConditionFields<api::storage::CopyObject>());
};
template <>
inline constexpr auto kFields<api::storage::MoveObject> = [](auto...) {
  return Join(
      Join(Fields{F("bucket", &api::storage::MoveObject::bucket, kPath),
                  F("sourceObject", &api::storage::MoveObject::sourceObject, kPath),
                  F("destinationObject", &api::storage::MoveObject::destinationObject, kPath),
                  F("projection", &api::storage::MoveObject::projection, kQuery)},
           api::storage::ConditionFields<api::storage::MoveObject>()),
      api::storage::SourceConditionFields<api::storage::MoveObject>());
};
template <>
inline constexpr std::string_view kTypeName<api::storage::RewriteReply> = "RewriteResponse";
template <>
inline constexpr auto kFields<api::storage::RewriteReply> = [](auto...) {
  return Fields{F("kind", &api::storage::RewriteReply::kind),
                F("totalBytesRewritten", &api::storage::RewriteReply::totalBytesRewritten),
                F("objectSize", &api::storage::RewriteReply::objectSize),
                F("done", &api::storage::RewriteReply::done),
                F("rewriteToken", &api::storage::RewriteReply::rewriteToken),
                F("resource", &api::storage::RewriteReply::resource)};
};
}  // namespace fireweed

namespace fireweed::api::storage {

inline constexpr Method<ListObjects, ObjectList> kListObjects{kStorage,
                                                              Verb::kGet,
                                                              "/storage/v1/b/{bucket}/o",
                                                              "storage.objects.list",
                                                              "storage.objects.list",
                                                              "buckets/{bucket}"};
inline constexpr Method<GetObject, Object> kGetObject{kStorage,
                                                      Verb::kGet,
                                                      "/storage/v1/b/{bucket}/o/{object}",
                                                      "storage.objects.get",
                                                      "storage.objects.get",
                                                      "buckets/{bucket}",
                                                      Judge::kHandler,
                                                      true};
inline constexpr Method<GetObject, Object> kDownloadObject{
    kStorage,
    Verb::kGet,
    "/download/storage/v1/b/{bucket}/o/{object}",
    "storage.objects.download",
    "storage.objects.get",
    "buckets/{bucket}",
    Judge::kHandler};
inline constexpr Method<ChangeObject, Object> kPatchObject{kStorage,
                                                           Verb::kPatch,
                                                           "/storage/v1/b/{bucket}/o/{object}",
                                                           "storage.objects.patch",
                                                           "storage.objects.update",
                                                           "buckets/{bucket}",
                                                           Judge::kHandler};
inline constexpr Method<ChangeObject, Object> kUpdateObject{kStorage,
                                                            Verb::kPut,
                                                            "/storage/v1/b/{bucket}/o/{object}",
                                                            "storage.objects.update",
                                                            "storage.objects.update",
                                                            "buckets/{bucket}",
                                                            Judge::kHandler};
inline constexpr Method<DeleteObject, NoContent> kDeleteObject{kStorage,
                                                               Verb::kDelete,
                                                               "/storage/v1/b/{bucket}/o/{object}",
                                                               "storage.objects.delete",
                                                               "storage.objects.delete",
                                                               "buckets/{bucket}"};
inline constexpr Method<RestoreObject, Object> kRestoreObject{
    kStorage,
    Verb::kPost,
    "/storage/v1/b/{bucket}/o/{object}/restore",
    "storage.objects.restore",
    "storage.objects.restore",
    "buckets/{bucket}"};
inline constexpr Method<ComposeObject, Object> kComposeObject{
    kStorage,
    Verb::kPost,
    "/storage/v1/b/{destinationBucket}/o/{destinationObject}/compose",
    "storage.objects.compose",
    "storage.objects.create",
    "buckets/{destinationBucket}"};
inline constexpr Method<CopyObject, Object> kCopyObject{
    kStorage,
    Verb::kPost,
    "/storage/v1/b/{sourceBucket}/o/{sourceObject}/copyTo/b/{destinationBucket}/o/"
    "{destinationObject}",
    "storage.objects.copy",
    "storage.objects.create",
    "buckets/{destinationBucket}"};
inline constexpr Method<CopyObject, RewriteReply> kRewriteObject{
    kStorage,
    Verb::kPost,
    "/storage/v1/b/{sourceBucket}/o/{sourceObject}/rewriteTo/b/{destinationBucket}/o/"
    "{destinationObject}",
    "storage.objects.rewrite",
    "storage.objects.create",
    "buckets/{destinationBucket}"};
inline constexpr Method<MoveObject, Object> kMoveObject{
    kStorage,
    Verb::kPost,
    "/storage/v1/b/{bucket}/o/{sourceObject}/moveTo/o/{destinationObject}",
    "storage.objects.move",
    "storage.objects.create",
    "buckets/{bucket}"};

}  // namespace fireweed::api::storage
