// The bytes of an upload in one go. Small ones stay in memory and become durable with the object's
// row; larger ones go to a draft in the blob store. Unless they become an object, they are dropped.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/bytes.h"
#include "blob/blob_store.h"
#include "blob/running_sums.h"
#include "storage/declared_sums.h"
#include "storage/object_store.h"
#include "storage/small_blobs.h"

namespace fireweed::storage {

// One thread at a time; may block once the bytes are too many to be small. The writer is held until
// the destructor, so that nothing sweeps the blob before its row is committed.
class UploadDraft {
 public:
  explicit UploadDraft(BlobStore& blobs) : blobs_(blobs) {}
  ~UploadDraft() {
    if (!writer_) return;
    BlobId id = writer_->id();
    writer_.reset();
    // What cannot be dropped now is swept later.
    if (!kept_) static_cast<void>(blobs_.Drop(id).ok());
  }
  UploadDraft(const UploadDraft&) = delete;

  void Append(std::span<const std::byte> bytes) {
    bool small = static_cast<int64_t>(small_.size() + bytes.size()) <= kMaxSmallBlob;
    if (!writer_ && small) {
      small_.append(AsText(bytes));
      return;
    }
    if (!writer_) MoveToBlob();
    writer_->Append(bytes).value();
  }
  // True as long as nothing here blocks.
  bool in_memory() const { return !writer_; }
  // Checks the sums, enters them into the object, and makes the bytes durable or gives them to the
  // object that takes them along.
  void CommitInto(NewObject& object, const DeclaredSums& declared) {
    if (!writer_) {
      RunningSums sums;
      sums.Add(AsBytes(small_));
      declared.Check(Enter(sums.For(""), object.row));
      object.small_bytes = std::move(small_);
      return;
    }
    declared.Check(writer_->Sums());
    BlobInfo info = Enter(writer_->Commit().value(), object.row);
    object.row.parts = {{info.id, info.size}};
  }
  // A committed row refers to the bytes.
  void Keep() { kept_ = true; }

 private:
  static BlobInfo Enter(BlobInfo info, ObjectRow& row) {
    row.size = info.size;
    row.crc32c = info.crc32c;
    row.md5 = info.md5;
    return info;
  }
  void MoveToBlob() {
    writer_ = blobs_.Create().value();
    if (!small_.empty()) writer_->Append(AsBytes(small_)).value();
    small_ = std::string();
  }

  BlobStore& blobs_;
  std::string small_;                   // all bytes, as long as there is no writer
  std::unique_ptr<BlobWriter> writer_;  // else null
  bool kept_ = false;
};

}  // namespace fireweed::storage
