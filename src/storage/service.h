// The object store as one piece: what the daemon's wiring makes, serves and sweeps.
#pragma once

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "blob/blob_store.h"
#include "blob/sweep.h"
#include "catalog/catalog.h"
#include "identity/projects.h"
#include "net/router.h"
#include "storage/bucket_acls.h"
#include "storage/buckets.h"
#include "storage/kms_keys.h"
#include "storage/object_access.h"
#include "storage/object_acls.h"
#include "storage/object_store.h"
#include "storage/objects.h"
#include "storage/part_uploads.h"
#include "storage/resumable.h"
#include "storage/scrub.h"
#include "storage/signatures.h"
#include "storage/uploads.h"
#include "storage/xml_api.h"

namespace fireweed::storage {

// What the object store stands on; all of it outlives it.
struct StorageParts {
  Catalog& catalog;
  BlobStore& blobs;
  const identity::Projects& projects;
  net::AccessControl& access;
  const Clock& clock;
  Random& random;
  Logger& log;
  StoreOptions options = {};
};

class StorageService {
 public:
  // Made before the catalog's first write: it listens to the feed.
  explicit StorageService(const StorageParts& parts);

  void Serve(net::Router& router);

  // Drops blobs and drafts that no row refers to, and ends uploads nobody came back for. The daemon
  // calls it at the start and from time to time, on a thread of its own: it may take long. Throws
  // Failure.
  SweepReport Sweep();

  ObjectStore& store() { return store_; }
  const ObjectAccess& access() const { return object_access_; }
  PartUploads& part_uploads() { return part_uploads_; }
  Scrub& scrub() { return scrub_; }

 private:
  Catalog& catalog_;
  BlobStore& blobs_;
  const Clock& clock_;
  Logger& log_;
  ObjectStore store_;
  KmsKeys kms_keys_;
  Scrub scrub_;
  ResumableUploads resumable_;
  ObjectAccess object_access_;
  PartUploads part_uploads_;
  Buckets buckets_;
  BucketAcls bucket_acls_;
  ObjectAcls object_acls_;
  Objects objects_;
  Uploads uploads_;
  Signatures signatures_;
  XmlApi xml_;
};

}  // namespace fireweed::storage
