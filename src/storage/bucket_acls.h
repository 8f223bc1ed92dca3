// What for: bucketAccessControls and defaultObjectAccessControls of the JSON API: a bucket's two lists entry by
//   entry.
// Threads: handlers run on pool threads, any number at once.
// Owns: nothing; borrows the catalog and the clock.
// A failure: Failure; kInvalid while access is uniform, because lists do not count then.
#pragma once

#include "api/storage/acl_methods.h"
#include "base/clock.h"
#include "catalog/catalog.h"
#include "net/router.h"
#include "storage/acl.h"

namespace fireweed::storage {

class BucketAcls {
 public:
  BucketAcls(Catalog& catalog, const Clock& clock) : catalog_(catalog), clock_(clock) {}

  void Serve(net::Router& router);

 private:
  using List = Acl api::storage::Bucket::*;  // which of the two
  static constexpr List kOwn = &api::storage::Bucket::acl;
  static constexpr List kDefault = &api::storage::Bucket::defaultObjectAcl;

  template <List kList>
  api::storage::AccessEntryList ListAll(const api::storage::ListBucketAcl& request,
                                        const net::Call& call);
  template <List kList>
  api::storage::AccessEntry Get(const api::storage::BucketAclEntry& request, const net::Call& call);
  template <List kList>
  api::storage::AccessEntry Insert(const api::storage::InsertBucketAcl& request,
                                   const net::Call& call);
  template <List kList>
  api::storage::AccessEntry Patch(const api::storage::ChangeBucketAcl& request,
                                  const net::Call& call);
  template <List kList>
  api::storage::AccessEntry Update(const api::storage::ChangeBucketAcl& request,
                                   const net::Call& call);
  template <List kList>
  api::NoContent Delete(const api::storage::BucketAclEntry& request, const net::Call& call);

  // The bucket as shown, with its lists complete.
  api::storage::Bucket Show(const std::string& bucket) const;
  api::storage::Bucket Change(const std::string& bucket, List list,
                              const std::function<void(Acl&)>& change);

  Catalog& catalog_;
  const Clock& clock_;
};

}  // namespace fireweed::storage
