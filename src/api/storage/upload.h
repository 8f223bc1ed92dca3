// Uploads of the JSON API. The body is streamed, so the request describes path and query only.
#pragma once

#include <optional>
#include <string>

#include "api/storage/object.h"

namespace fireweed::api::storage {

struct UploadObject : ObjectConditions {
  std::string bucket;
  std::string uploadType;  // "media", "multipart", "resumable"
  std::string upload_id;   // of a resumable upload that goes on
  std::string name, contentEncoding, predefinedAcl, projection;
};

}  // namespace fireweed::api::storage

namespace fireweed {
template <>
inline constexpr auto kFields<api::storage::UploadObject> = [](auto...) {
  return Join(Fields{F("bucket", &api::storage::UploadObject::bucket, kPath),
                     F("uploadType", &api::storage::UploadObject::uploadType, kQuery),
                     F("upload_id", &api::storage::UploadObject::upload_id, kQuery),
                     F("name", &api::storage::UploadObject::name, kQuery),
                     F("contentEncoding", &api::storage::UploadObject::contentEncoding, kQuery),
                     F("predefinedAcl", &api::storage::UploadObject::predefinedAcl, kQuery),
                     F("projection", &api::storage::UploadObject::projection, kQuery)},
              api::storage::ConditionFields<api::storage::UploadObject>());
};
}  // namespace fireweed

namespace fireweed::api::storage {

// The address of a resumable upload is a secret of its own: whoever has it may go on with the
// upload. So the handlers ask for permission, not the table.
inline constexpr Method<UploadObject, Object> kInsertObject{
    kStorage, Verb::kPost, "/upload/storage/v1/b/{bucket}/o", "storage.objects.insert"};
inline constexpr Method<UploadObject, Object> kContinueUpload{
    kStorage, Verb::kPut, "/upload/storage/v1/b/{bucket}/o", "storage.objects.continueUpload"};
inline constexpr Method<UploadObject, Object> kCancelUpload{
    kStorage, Verb::kDelete, "/upload/storage/v1/b/{bucket}/o", "storage.objects.cancelUpload"};

}  // namespace fireweed::api::storage
