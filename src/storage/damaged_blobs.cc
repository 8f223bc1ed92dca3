#include "storage/damaged_blobs.h"

#include <algorithm>

#include "storage/blob_refs.h"

namespace fireweed::storage {

DamagedBlobs::DamagedBlobs(Catalog& catalog, const Clock& clock)
    : catalog_(catalog), clock_(clock) {
  std::set<BlobId> known;  // read without the lock: elsewhere it is taken inside of a transaction
  ForEach<DamagedBlob>(catalog_, {}, [&](const auto& row) { known.insert(row.key); });
  count_ = std::ssize(known);
  blobs_.With([&](auto& blobs) { blobs = std::move(known); });
}

bool DamagedBlobs::Has(const BlobId& blob) const {
  return count_.load() > 0 && blobs_.With([&](const auto& blobs) { return blobs.contains(blob); });
}

bool DamagedBlobs::Any(const ObjectRow& row) const {
  return count_.load() > 0 && std::any_of(row.parts.begin(), row.parts.end(),
                                          [&](const ObjectPart& part) { return Has(part.blob); });
}

void DamagedBlobs::Mark(const std::vector<ObjectPart>& parts, const std::string& why) {
  blobs_.With([&](auto& blobs) {
    for (const ObjectPart& part : parts) blobs.insert(part.blob);
    count_ = std::ssize(blobs);
  });
  DamagedBlob record{why, clock_.Now()};
  catalog_.Write("blob damaged", [&](Txn& txn) {
    for (const ObjectPart& part : parts) txn.Put(part.blob, record);
  });
}

void DamagedBlobs::Clear(const std::vector<ObjectPart>& parts) {
  std::vector<BlobId> sound;
  for (const ObjectPart& part : parts) {
    if (Has(part.blob)) sound.push_back(part.blob);
  }
  Remove(sound);
}

void DamagedBlobs::Remove(const std::vector<BlobId>& blobs) {
  if (blobs.empty()) return;
  catalog_.Write("blob sound again", [&](Txn& txn) {
    for (const BlobId& blob : blobs) txn.Erase<DamagedBlob>(blob);
  });
  blobs_.With([&](auto& known) {
    for (const BlobId& blob : blobs) known.erase(blob);
    count_ = std::ssize(known);
  });
}

void DamagedBlobs::Tidy() {
  std::set<BlobId> known = blobs_.With([](const auto& blobs) { return blobs; });
  std::vector<BlobId> gone;
  catalog_.Read([&](Txn& txn) {
    gone.clear();
    for (const BlobId& blob : known) {
      if (!HasBlobRef(txn, blob)) gone.push_back(blob);
    }
  });
  Remove(gone);
}

}  // namespace fireweed::storage
