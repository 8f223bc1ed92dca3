// What for: uploads of the XML API in numbered parts, in any order and at once, joined at the end.
//   What was acknowledged survives a restart: an upload and each of its parts are catalog rows, the
//   bytes of a part a blob that its row refers to.
// Who calls: the XML API, on pool threads, any number at once.
// May block: yes; until what is acknowledged is durable.
// Owns: nothing of its own; borrows store, catalog and blobs.
// A failure: Failure with a code of the XML API ("NoSuchUpload", "InvalidPart"); nothing is changed.
//
// Joining copies no bytes (an object may lie in many blobs) unless there are very many parts. It is
// one transaction: the object is there and the upload is gone, or neither.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "catalog/record.h"
#include "storage/declared_sums.h"
#include "storage/object_store.h"
#include "storage/upload_target.h"

namespace fireweed::storage {

// Key: LiveKey(bucket, name), NUL, the upload's id: a bucket's uploads are listed in order of names.
struct PartUpload : api::storage::ObjectConditions {
  std::string bucket;
  api::storage::Object metadata;
  std::string predefined_acl, owner;
  Time created;
  bool may_replace = true;  // as in NewObject
};
// Key: the upload's id, "/", the number with five digits.
struct UploadedPart {
  std::string blob;
  int64_t size = 0;
  int64_t crc32c = 0;
  std::string md5;  // hex: the part's tag
  Time uploaded;
};

struct PartUploadAddress {
  std::string bucket, name, id;
};
// A part as the client names it when it ends the upload.
struct NamedPart {
  int number = 0;
  std::string tag;  // without quotes
};
struct NumberedPart {
  int number = 0;
  UploadedPart part;
};
struct ListedUpload {
  std::string id;
  PartUpload upload;
};
template <class T>
struct PartPage {
  std::vector<T> items;
  bool truncated = false;
};

// The bytes of one part. Unless they become one, they are dropped. One thread at a time; may block.
class PartDraft {
 public:
  explicit PartDraft(BlobStore& blobs) : blobs_(blobs), writer_(blobs.Create().value()) {}
  ~PartDraft();
  PartDraft(const PartDraft&) = delete;

  void Append(std::span<const std::byte> bytes) { writer_->Append(bytes).value(); }
  // Checks the sums and makes the bytes durable.
  BlobInfo Commit(const DeclaredSums& declared);
  // A committed row refers to the bytes.
  void Keep() { kept_ = true; }

 private:
  BlobStore& blobs_;
  std::unique_ptr<BlobWriter> writer_;  // holds the blob until the row is in
  bool kept_ = false;
};

class PartUploads {
 public:
  PartUploads(ObjectStore& store, Catalog& catalog, const Clock& clock, Random& random)
      : store_(store), catalog_(catalog), clock_(clock), random_(random) {}

  std::string Start(const UploadTarget& target);
  PartUpload Find(const PartUploadAddress& address) const;
  // Makes the draft the part of this number, in place of one that was there.
  UploadedPart Put(const PartUploadAddress& address, int number, PartDraft& draft,
                   const DeclaredSums& declared);
  // In order of numbers, those behind `after`.
  PartPage<NumberedPart> Parts(const PartUploadAddress& address, int after, int limit) const;
  // `conditions` hold for the object that is replaced, beside those that the upload was begun with.
  ObjectRow Complete(const PartUploadAddress& address, const std::vector<NamedPart>& parts,
                     const api::storage::ObjectConditions& conditions = {});
  void Abort(const PartUploadAddress& address);
  // A bucket's unfinished uploads in order of names, those behind name and id.
  PartPage<ListedUpload> List(const std::string& bucket, const std::string& prefix,
                              const std::string& after_name, const std::string& after_id,
                              int limit) const;
  // Ends uploads whose bucket is gone.
  void ForgetOrphans();

 private:
  NewObject Join(const PartUploadAddress& address, const std::vector<NamedPart>& parts,
                 const api::storage::ObjectConditions& conditions) const;

  ObjectStore& store_;
  Catalog& catalog_;
  const Clock& clock_;
  Random& random_;
};

constexpr int kMostParts = 10000;

}  // namespace fireweed::storage

namespace fireweed {
template <>
inline constexpr auto kFields<storage::PartUpload> = [](auto...) {
  return Join(
      Fields{F("bucket", &storage::PartUpload::bucket),
             F("metadata", &storage::PartUpload::metadata),
             F("predefinedAcl", &storage::PartUpload::predefined_acl),
             F("owner", &storage::PartUpload::owner), F("created", &storage::PartUpload::created),
             F("mayReplace", &storage::PartUpload::may_replace)},
      api::storage::ConditionFields<storage::PartUpload>());
};
template <>
inline constexpr std::string_view kRecordKind<storage::PartUpload> = "part_upload";
template <>
inline constexpr auto kFields<storage::UploadedPart> = [](auto...) {
  return Fields{F("blob", &storage::UploadedPart::blob), F("size", &storage::UploadedPart::size),
                F("crc32c", &storage::UploadedPart::crc32c), F("md5", &storage::UploadedPart::md5),
                F("uploaded", &storage::UploadedPart::uploaded)};
};
template <>
inline constexpr std::string_view kRecordKind<storage::UploadedPart> = "uploaded_part";
}  // namespace fireweed
