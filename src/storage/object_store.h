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
#include "base/guarded.h"
#include "base/log.h"
#include "blob/blob_store.h"
#include "catalog/catalog.h"
#include "storage/damaged_blobs.h"
#include "storage/generations.h"
#include "storage/hot_objects.h"
#include "storage/known_buckets.h"
#include "storage/object_bytes.h"
#include "storage/object_index.h"
#include "storage/pending_writes.h"
#include "storage/preconditions.h"
#include "storage/stored_bytes.h"

namespace fireweed::storage {

struct ObjectAddress {
  std::string bucket, name;
  std::optional<int64_t> generation;  // none: the live version
};

struct NewObject {
  std::string bucket, name;
  ObjectRow row;  // metadata, sums and parts; the store gives generation and times
  api::storage::ObjectConditions conditions;
  // Few enough to be kept in the catalog: the store makes a small blob of them with the row, which has
  // no parts then. None: the row's parts are in the blob store.
  std::optional<std::string> small_bytes;
  bool moved = false;  // its list comes along as it is
  bool may_replace =
      true;  // else an object of that name is in the way: its maker may not delete it
};

struct CopyOrder {
  ObjectAddress from;
  api::storage::ObjectConditions from_conditions;
  std::string bucket, name;
  api::storage::ObjectConditions conditions;
  std::optional<api::storage::Object> metadata;  // none: as the source has it
  std::string storage_class;                     // empty: the destination bucket's
  bool remove_source = false;                    // a move, in one step
  std::vector<api::storage::AccessEntry> acl;    // empty: the destination bucket's default
  std::string owner;                             // email of who copies
  bool may_replace = true;                       // as in NewObject
};

struct ComposeOrder {
  std::string bucket, name;
  api::storage::ObjectConditions conditions;
  std::vector<api::storage::SourceObject> sources;
  api::storage::Object metadata;
  std::string owner;            // email of who composes
  bool may_replace = true;      // as in NewObject
  bool remove_sources = false;  // in the same step; the destination's name stays
};

struct StoreOptions {
  int64_t hot_bytes = 64 << 20;  // memory for objects that are read again and again
  identity::QuotaLimits quotas = {};
};

class ObjectStore {
 public:
  ObjectStore(Catalog& catalog, BlobStore& blobs, const Clock& clock, Logger& log,
              const StoreOptions& options = {})
      : catalog_(catalog),
        blobs_(blobs),
        clock_(clock),
        log_(log),
        generations_(catalog, clock),
        damaged_(catalog, clock),
        hot_(catalog, options.hot_bytes),
        stored_(catalog, options.quotas) {}

  ObjectRow Find(const ObjectAddress& address,
                 const api::storage::ObjectConditions& conditions) const;
  OpenedObject Open(const ObjectAddress& address,
                    const api::storage::ObjectConditions& conditions) const;
  // The live version, if it was opened lately: for I/O threads, never blocks, never older than the last
  // acknowledged write. Null: Open it on the pool.
  HotObjects::Entry PeekHot(std::string_view bucket, std::string_view name) const {
    return hot_.Peek(bucket, name);
  }
  ListingPage List(const std::string& bucket, const ListingQuery& query) const;

  // `also` runs in the same transaction, after the object is in: what an upload has to note with
  // it.
  using Also = std::function<void(Txn&, const ObjectRow&)>;
  ObjectRow Insert(const NewObject& object, const Also& also = nullptr);
  // Insert without waiting, for an object with small_bytes: does not block but for a look at the disk's
  // free space, so it is fit for I/O threads. `then` is called once, when the object is durable or will
  // never be, on the committing thread: it must be quick and not call back. Throws Failure when
  // nothing was begun.
  using Inserted = std::function<void(Result<ObjectRow>)>;
  void InsertLater(NewObject object, Inserted then);
  // Changes what clients may set; `change` may run several times and throw.
  ObjectRow ChangeMetadata(const ObjectAddress& address,
                           const api::storage::ObjectConditions& conditions,
                           const std::function<void(api::storage::Object&)>& change);
  ObjectRow SetStorageClass(const ObjectAddress& address,
                            const api::storage::ObjectConditions& conditions,
                            const std::string& storage_class);
  void Delete(const ObjectAddress& address, const api::storage::ObjectConditions& conditions);
  ObjectRow Copy(const CopyOrder& order);
  ObjectRow Compose(const ComposeOrder& order);

  // Copies an object of very many parts into one blob, so that reads stay quick; null where it has
  // few. The writer holds the blob: keep it until the row is in.
  std::unique_ptr<BlobWriter> JoinParts(ObjectRow& row) const;
  // What is known to be bad, for the scrub; after a mark, ForgetHot makes sure that nobody is answered
  // from memory with what was read before.
  DamagedBlobs& damaged() { return damaged_; }
  void ForgetHot() { hot_.Clear(); }

  // Quotas of stored bytes, for uploads that announce their size.
  const StoredBytes& stored() const { return stored_; }

  // Drops blobs that no row refers to; what cannot be dropped now is left to the sweep.
  void DropFreed(std::vector<BlobId> freed);

 private:
  using Body = std::function<ObjectRow(Txn&, ObjectIndex&)>;
  ObjectRow Change(std::string_view why, const Body& body);
  ObjectRow PutNew(Txn& txn, ObjectIndex& index, const NewObject& object);
  void CheckSmall(const NewObject& object) const;
  OpenedObject OpenOnce(Txn& txn, const ObjectAddress& address,
                        const api::storage::ObjectConditions& conditions) const;
  void ComposeByReference(const std::vector<ObjectRow>& sources, ObjectRow& row) const;
  void Remove(Txn& txn, ObjectIndex& index, const ObjectAddress& address, const ObjectRow& row);
  void RemoveSources(Txn& txn, ObjectIndex& index, const ComposeOrder& order,
                     const std::vector<ObjectRow>& sources);

  Catalog& catalog_;
  BlobStore& blobs_;
  const Clock& clock_;
  Logger& log_;
  Generations generations_;
  DamagedBlobs damaged_;
  KnownBuckets buckets_;
  mutable HotObjects hot_;
  const StoredBytes stored_;
  // Blobs freed where nothing may block: dropped with the next ones.
  Guarded<std::vector<BlobId>> freed_later_;
  PendingWrites pending_;  // last: its destructor waits for bodies that use the rest
};

// Throws Failure(kInvalid) unless it may be the name of an object.
void CheckObjectName(std::string_view name);

}  // namespace fireweed::storage
