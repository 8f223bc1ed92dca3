// What for: objects as catalog rows and blobs together, with preconditions, generations and
//   versions on every path. Both APIs and all uploads end here.
// Who calls: services on pool threads, any number at once.
// May block: yes; a write until it is durable.
// Owns: nothing of its own; borrows catalog, blobs and clock.
// A failure: Failure in the words of the JSON API; nothing is changed then.
//
// Order makes it crash-safe: bytes are durable before a row refers to them, and blobs are dropped
// after the row that did is gone. What a crash leaves between the two is swept
// (storage/blob_sweep.h).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "blob/blob_store.h"
#include "catalog/catalog.h"
#include "storage/generations.h"
#include "storage/object_bytes.h"
#include "storage/object_index.h"
#include "storage/preconditions.h"

namespace fireweed::storage {

struct ObjectAddress {
  std::string bucket, name;
  std::optional<int64_t> generation;  // none: the live version
};

struct NewObject {
  std::string bucket, name;
  ObjectRow row;  // metadata, sums and parts; the store gives generation and times
  api::storage::ObjectConditions conditions;
};

struct CopyOrder {
  ObjectAddress from;
  api::storage::ObjectConditions from_conditions;
  std::string bucket, name;
  api::storage::ObjectConditions conditions;
  std::optional<api::storage::Object> metadata;  // none: as the source has it
  std::string storage_class;                     // empty: the destination bucket's
  bool remove_source = false;                    // a move, in one step
};

struct ComposeOrder {
  std::string bucket, name;
  api::storage::ObjectConditions conditions;
  std::vector<api::storage::SourceObject> sources;
  api::storage::Object metadata;
};

struct OpenedObject {
  ObjectRow row;
  std::shared_ptr<const ObjectBytes> bytes;
};

class ObjectStore {
 public:
  ObjectStore(Catalog& catalog, BlobStore& blobs, const Clock& clock, Logger& log)
      : catalog_(catalog), blobs_(blobs), clock_(clock), log_(log), generations_(catalog, clock) {}

  ObjectRow Find(const ObjectAddress& address,
                 const api::storage::ObjectConditions& conditions) const;
  OpenedObject Open(const ObjectAddress& address,
                    const api::storage::ObjectConditions& conditions) const;
  ListingPage List(const std::string& bucket, const ListingQuery& query) const;

  // `also` runs in the same transaction, after the object is in: what an upload has to note with
  // it.
  using Also = std::function<void(Txn&, const ObjectRow&)>;
  ObjectRow Insert(const NewObject& object, const Also& also = nullptr);
  // Changes what clients may set; `change` may run several times and throw.
  ObjectRow ChangeMetadata(const ObjectAddress& address,
                           const api::storage::ObjectConditions& conditions,
                           const std::function<void(api::storage::Object&)>& change);
  void Delete(const ObjectAddress& address, const api::storage::ObjectConditions& conditions);
  ObjectRow Copy(const CopyOrder& order);
  ObjectRow Compose(const ComposeOrder& order);

  // Drops blobs that no row refers to; what cannot be dropped now is left to the sweep.
  void DropFreed(const std::vector<BlobId>& freed);

 private:
  using Body = std::function<ObjectRow(Txn&, ObjectIndex&)>;
  ObjectRow Change(std::string_view why, const Body& body);
  ObjectRow PutNew(Txn& txn, ObjectIndex& index, const NewObject& object);
  void ComposeByReference(const std::vector<ObjectRow>& sources, ObjectRow& row) const;
  std::unique_ptr<BlobWriter> ComposeByCopy(const std::vector<ObjectRow>& sources,
                                            ObjectRow& row) const;

  Catalog& catalog_;
  BlobStore& blobs_;
  const Clock& clock_;
  Logger& log_;
  Generations generations_;
};

// Throws Failure(kInvalid) unless it may be the name of an object.
void CheckObjectName(std::string_view name);

}  // namespace fireweed::storage
