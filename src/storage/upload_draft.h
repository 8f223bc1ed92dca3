// The bytes of an upload in one go. Unless they become an object, they are dropped with the draft.
#pragma once

#include <memory>
#include <span>

#include "blob/blob_store.h"
#include "storage/declared_sums.h"
#include "storage/object_row.h"

namespace fireweed::storage {

// One thread at a time; may block. The writer is held until the destructor, so that nothing sweeps
// the blob before its row is committed.
class UploadDraft {
 public:
  explicit UploadDraft(BlobStore& blobs) : blobs_(blobs), writer_(blobs.Create().value()) {}
  ~UploadDraft() {
    BlobId id = writer_->id();
    writer_.reset();
    // What cannot be dropped now is swept later.
    if (!kept_) static_cast<void>(blobs_.Drop(id).ok());
  }
  UploadDraft(const UploadDraft&) = delete;

  void Append(std::span<const std::byte> bytes) { writer_->Append(bytes).value(); }
  // Checks the sums, makes the bytes durable and enters them into the row.
  void CommitInto(ObjectRow& row, const DeclaredSums& declared) {
    declared.Check(writer_->Sums());
    BlobInfo info = writer_->Commit().value();
    row.size = info.size;
    row.crc32c = info.crc32c;
    row.md5 = info.md5;
    row.parts = {{info.id, info.size}};
  }
  // A committed row refers to the bytes.
  void Keep() { kept_ = true; }

 private:
  BlobStore& blobs_;
  std::unique_ptr<BlobWriter> writer_;
  bool kept_ = false;
};

}  // namespace fireweed::storage
