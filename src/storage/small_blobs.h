// The bytes of small objects, kept as rows of the catalog and not as files: they become durable with
// the row that refers to them, in the same commit and by the same sync, and many writers share both.
// Why: docs/adr/0018; the bytes: docs/formats/object-store.md.
//
// A small blob counts its own references, since its row is at hand whenever they change. It is made
// by the transaction that first refers to it and is gone with the last one: nothing to sweep.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "blob/blob_store.h"
#include "catalog/catalog.h"

namespace fireweed::storage {

// Larger ones get a file: the catalog writes every byte twice, and a file is sent by the kernel.
constexpr int64_t kMaxSmallBlob = 16 << 10;

struct SmallBlob {
  int64_t refs = 0;
  std::string bytes;
};

// Ids of small blobs and of blob files are told apart by their first letter.
BlobId SmallBlobId(int64_t generation);
bool IsSmallBlob(const BlobId& id);

// A new one, with one reference. Copies the bytes once.
void PutSmallBlob(Txn& txn, const BlobId& id, std::string_view bytes);

}  // namespace fireweed::storage

namespace fireweed {
template <>
struct RecordCodec<storage::SmallBlob> {
  static constexpr std::string_view kKind = "small_blob";
  static std::string Encode(const storage::SmallBlob& blob);
  static storage::SmallBlob Decode(std::string_view bytes);
};
}  // namespace fireweed
