// What for: who may do what to an object. A bucket's policy says yes first; where it does not, the
//   object's own list may, unless the bucket's access is uniform.
// Threads: pool threads, any number at once. May block for the catalog where a list has to be read.
// Owns: a cache of bucket rows. Made before the catalog's first write (it listens to the feed).
// A failure: Failure kUnauthenticated or kDenied with Google's message. Who may not see an object learns
//   nothing about it: a missing one is refused in the same words.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/storage/bucket.h"
#include "catalog/row_cache.h"
#include "net/access.h"
#include "storage/bucket_record.h"
#include "storage/object_store.h"

namespace fireweed::storage {

class ObjectAccess {
 public:
  ObjectAccess(Catalog& catalog, net::AccessControl& access, const ObjectStore& store)
      : catalog_(catalog), access_(access), store_(store), buckets_(catalog, kCachedBuckets) {}

  // Reading, judged by the version that is handed out.
  ObjectRow Find(const net::Caller& caller, std::string_view permission,
                 const ObjectAddress& address,
                 const api::storage::ObjectConditions& conditions = {}) const;
  OpenedObject Open(const net::Caller& caller, const ObjectAddress& address,
                    const api::storage::ObjectConditions& conditions = {}) const;

  // Before a change. The address names the version whose list decided, so that the change finds no other.
  ObjectAddress Require(const net::Caller& caller, std::string_view permission,
                        const ObjectAddress& address) const;

  // For whoever has the row already.
  bool May(const net::Caller& caller, std::string_view permission, const ObjectAddress& address,
           const ObjectRow& row) const;
  // By the bucket's policy alone.
  bool MayByPolicy(const net::Caller& caller, std::string_view permission,
                   const std::string& bucket) const;

  bool HasBucket(const std::string& name) const { return buckets_.Get(name) != nullptr; }
  // The bucket's row as it is now; Failure(kNotFound) when there is none.
  std::shared_ptr<const Row<api::storage::Bucket>> Bucket(const std::string& name) const;

 private:
  static constexpr size_t kCachedBuckets = 4096;

  bool ListGrants(const net::Caller& caller, std::string_view permission, const std::string& bucket,
                  const ObjectRow& row) const;
  template <class Found>
  Found Judged(const net::Caller& caller, std::string_view permission, const ObjectAddress& address,
               Found (*find)(const ObjectStore&, const ObjectAddress&,
                             const api::storage::ObjectConditions&),
               const api::storage::ObjectConditions& conditions) const;

  Catalog& catalog_;
  net::AccessControl& access_;
  const ObjectStore& store_;
  mutable RowCache<api::storage::Bucket> buckets_;
};

}  // namespace fireweed::storage
