// What for: the bucket methods of the JSON API.
// Threads: handlers run on pool threads; the inline one answers buckets.get on I/O threads from
//   memory.
// Owns: a cache of rendered replies. Made before the catalog's first write (it listens to the
//   feed).
// A failure: Failure in the words that clients look for.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/storage/bucket.h"
#include "base/clock.h"
#include "catalog/row_cache.h"
#include "identity/projects.h"
#include "net/router.h"
#include "storage/bucket_record.h"

namespace fireweed::storage {

// A bucket's row as the replies to buckets.get, made when the row is cached and not for each
// request.
struct RenderedBucket {
  std::shared_ptr<const std::string> no_acl, full;  // projection=noAcl and projection=full
};

class Buckets {
 public:
  Buckets(Catalog& catalog, const identity::Projects& projects, net::AccessControl& access,
          const Clock& clock);

  void Serve(net::Router& router);

 private:
  api::storage::BucketList List(const api::storage::ListBuckets& request, const net::Call& call);
  api::storage::Bucket Insert(const api::storage::InsertBucket& request, const net::Call& call);
  api::storage::Bucket Get(const api::storage::GetBucket& request, const net::Call& call);
  api::storage::Bucket Patch(const api::storage::ChangeBucket& request, const net::Call& call);
  api::storage::Bucket Update(const api::storage::ChangeBucket& request, const net::Call& call);
  api::NoContent Delete(const api::storage::GetBucket& request, const net::Call& call);
  api::storage::Bucket LockRetention(const api::storage::LockRetentionPolicy& request,
                                     const net::Call& call);
  api::storage::StorageLayout Layout(const api::storage::BucketName& request,
                                     const net::Call& call);
  api::storage::ManagedFolderList ManagedFolders(const api::storage::BucketName& request,
                                                 const net::Call& call);
  api::Policy GetPolicy(const api::storage::BucketName& request, const net::Call& call);
  api::Policy SetPolicy(const api::storage::SetBucketPolicy& request, const net::Call& call);
  api::storage::TestBucketPermissionsReply TestPermissions(
      const api::storage::TestBucketPermissions& request, const net::Call& call);
  api::storage::ProjectServiceAccount ServiceAccount(
      const api::storage::GetProjectServiceAccount& request, const net::Call& call);

  // Who may not see a bucket's lists gets it without them, whatever the projection.
  bool SeesLists(const net::Caller& caller, const std::string& bucket) const;
  api::storage::Bucket Shown(api::storage::Bucket bucket, const std::string& projection,
                             const net::Caller& caller) const;
  std::optional<net::Response> GetInline(const net::Call& call);
  using Apply = void (*)(api::storage::Bucket&, std::string_view json);
  api::storage::Bucket Change(const api::storage::ChangeBucket& request, const net::Call& call,
                              Apply apply);

  Catalog& catalog_;
  const identity::Projects& projects_;
  net::AccessControl& access_;
  const Clock& clock_;
  RowCache<RenderedBucket> rendered_;
};

}  // namespace fireweed::storage

namespace fireweed {
template <>
struct RecordCodec<storage::RenderedBucket> {
  static constexpr std::string_view kKind = RecordCodec<api::storage::Bucket>::kKind;
  static storage::RenderedBucket Decode(std::string_view body);
};
}  // namespace fireweed
