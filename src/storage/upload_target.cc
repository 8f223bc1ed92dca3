#include "storage/upload_target.h"

#include <charconv>

#include "base/bytes.h"
#include "storage/acl.h"
#include "storage/bucket_checks.h"
#include "storage/bucket_record.h"

namespace fireweed::storage {

UploadTarget UploadTarget::Of(const api::storage::UploadObject& request, const net::Call& call) {
  RefuseKey(call.http);
  UploadTarget target;
  target.bucket = request.bucket;
  target.metadata.name = request.name;
  target.metadata.contentEncoding = request.contentEncoding;
  target.conditions = request;
  target.predefined_acl = request.predefinedAcl;
  target.owner = call.caller.email;
  return target;
}

void UploadTarget::TakeMetadata(std::string_view json) {
  api::storage::Object given = DecodeJson<api::storage::Object>(json, {.from_client = true});
  if (!metadata.name.empty()) given.name = metadata.name;
  if (given.contentEncoding.empty()) given.contentEncoding = metadata.contentEncoding;
  given.storageClass = CheckedStorageClass(given.storageClass);
  metadata = std::move(given);
}

void UploadTarget::SuggestType(std::string_view type) {
  if (metadata.contentType.empty() && type != "application/x-www-form-urlencoded") {
    metadata.contentType = type;
  }
}

bool BringsKey(const net::Request& request) {
  return request.Header("X-Goog-Encryption-Algorithm") || request.Header("X-Goog-Encryption-Key");
}

void RefuseKey(const net::Request& request) {
  if (!BringsKey(request)) return;
  throw Failure(Code::kInvalid, "customerEncryptionNotSupported",
                "Customer-supplied encryption keys are not supported here: the object would be "
                "stored without that encryption. Send it without the x-goog-encryption headers.");
}

NewObject UploadTarget::Object(const Catalog& catalog) const {
  CheckObjectName(metadata.name);
  api::storage::Object complete = metadata;
  if (!predefined_acl.empty()) {
    int64_t number =
        Query(catalog, [&](Txn& txn) { return FindBucket(txn, bucket).value.projectNumber; });
    complete.acl = PredefinedObjectAcl(predefined_acl, number, owner);
  }
  NormalizeAcl(complete.acl, AclOf::kObject);
  NewObject object{bucket, complete.name, {}, conditions};
  storage::TakeMetadata(complete, object.row);
  object.row.owner = owner;
  object.may_replace = may_replace;
  return object;
}

std::shared_ptr<const api::storage::Bucket> BucketToShow(const Catalog& catalog,
                                                         const std::string& bucket,
                                                         const ReplyShape& shape) {
  if (shape.projection == Projection::kNoAcl) return nullptr;
  return std::make_shared<const api::storage::Bucket>(
      Query(catalog, [&](Txn& txn) { return FindBucket(txn, bucket).value; }));
}

int64_t DeclaredSize(const net::Request& request) {
  std::string_view text = request.Header("Content-Length").value_or("");
  int64_t size = 0;
  std::from_chars(text.data(), text.data() + text.size(), size);
  return size;
}

void RequireBucket(const Catalog& catalog, const std::string& bucket) {
  catalog.Read([&](Txn& txn) { FindBucket(txn, bucket); });
}

}  // namespace fireweed::storage
