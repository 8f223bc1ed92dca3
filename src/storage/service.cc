#include "storage/service.h"

#include "storage/blob_refs.h"

namespace fireweed::storage {
namespace {

constexpr std::chrono::hours kUploadLife(7 * 24);  // as long as Google keeps a resumable upload

}  // namespace

StorageService::StorageService(const StorageParts& parts)
    : catalog_(parts.catalog),
      blobs_(parts.blobs),
      clock_(parts.clock),
      log_(parts.log),
      store_(parts.catalog, parts.blobs, parts.clock, parts.log, parts.options),
      kms_keys_(parts.catalog, parts.projects, parts.access, parts.clock),
      scrub_(parts.catalog, parts.blobs, store_.damaged(), parts.log,
             [this] { store_.ForgetHot(); }),
      resumable_(store_, parts.catalog, parts.blobs, parts.clock, parts.random),
      object_access_(parts.catalog, parts.access, store_),
      buckets_(parts.catalog, parts.projects, parts.access, parts.clock),
      bucket_acls_(parts.catalog, parts.clock),
      object_acls_(store_, object_access_),
      objects_(store_, object_access_),
      uploads_(store_, parts.catalog, parts.blobs, resumable_, parts.access),
      signatures_(parts.catalog, parts.clock),
      xml_(store_, parts.catalog, parts.blobs, parts.access, object_access_, signatures_) {}

void StorageService::Serve(net::Router& router) {
  kms_keys_.Serve(router);
  buckets_.Serve(router);
  bucket_acls_.Serve(router);
  object_acls_.Serve(router);
  objects_.Serve(router);
  uploads_.Serve(router);
  xml_.Serve(router);
}

SweepReport StorageService::Sweep() {
  Time now = clock_.Now();
  resumable_.ExpireBefore(now - kUploadLife);
  auto is_referenced = [&](const BlobId& blob) {
    return Query(catalog_, [&](Txn& txn) { return HasBlobRef(txn, blob); });
  };
  // Drafts live as long as their uploads, which were ended above.
  SweepRules rules{.keep_drafts = Duration::max(), .keep_unreferenced = Duration{0}};
  SweepReport report = fireweed::Sweep(blobs_, is_referenced, rules, now).value();
  if (report.dropped_blobs > 0 || report.dropped_drafts > 0 || report.failed > 0) {
    log_.Info("blobs swept", {{"seen", report.seen},
                              {"blobs", report.dropped_blobs},
                              {"drafts", report.dropped_drafts},
                              {"failed", report.failed}});
  }
  return report;
}

}  // namespace fireweed::storage
