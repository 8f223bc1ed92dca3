// What for: proves that rows, blobs and sums agree: every object's bytes are there and add up, every count of
//   references is right, every object is in a bucket. Changes nothing.
// Who calls: one thread, which may block for as long as reading everything takes; beside a serving daemon or on
//   a state directory that nobody uses.
// A failure: what is wrong with the store is the report; Failure only where it cannot be read at all.
#pragma once

#include <functional>

#include "api/admin/storage.h"
#include "blob/blob_store.h"
#include "catalog/catalog.h"
#include "storage/object_check.h"

namespace fireweed::storage {

// `progress` is shown the report from time to time. `pace` as in CheckObject; false ends it with Failure(kCancelled).
api::admin::FsckReport Fsck(const Catalog& catalog, const BlobStore& blobs,
                            const std::function<void(const api::admin::FsckReport&)>& progress,
                            const Pace& pace);

}  // namespace fireweed::storage
