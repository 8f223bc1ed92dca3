// What for: objectAccessControls of the JSON API, and the same list as an IAM policy of the object.
// Threads: handlers run on pool threads, any number at once.
// Owns: nothing; borrows the store and who may do what.
// A failure: Failure; kInvalid while the bucket's access is uniform.
#pragma once

#include "api/storage/acl_methods.h"
#include "net/router.h"
#include "storage/object_access.h"
#include "storage/object_store.h"

namespace fireweed::storage {

class ObjectAcls {
 public:
  ObjectAcls(ObjectStore& store, const ObjectAccess& access) : store_(store), access_(access) {}

  void Serve(net::Router& router);

 private:
  api::storage::AccessEntryList List(const api::storage::ListObjectAcl& request,
                                     const net::Call& call);
  api::storage::AccessEntry Get(const api::storage::ObjectAclEntry& request, const net::Call& call);
  api::storage::AccessEntry Insert(const api::storage::InsertObjectAcl& request,
                                   const net::Call& call);
  api::storage::AccessEntry Patch(const api::storage::ChangeObjectAcl& request,
                                  const net::Call& call);
  api::storage::AccessEntry Update(const api::storage::ChangeObjectAcl& request,
                                   const net::Call& call);
  api::NoContent Delete(const api::storage::ObjectAclEntry& request, const net::Call& call);
  api::Policy GetPolicy(const api::storage::ListObjectAcl& request, const net::Call& call);
  api::Policy SetPolicy(const api::storage::SetObjectPolicy& request, const net::Call& call);
  api::storage::TestBucketPermissionsReply TestPermissions(
      const api::storage::TestObjectPermissions& request, const net::Call& call);

  // The object with its whole list, for whoever may see it.
  api::storage::Object Show(const ObjectAddress& address, const net::Call& call) const;
  // The same after a change; `change` may run several times and throw.
  api::storage::Object Change(const ObjectAddress& address, const net::Call& call,
                              const std::function<void(api::storage::Object&)>& change);

  ObjectStore& store_;
  const ObjectAccess& access_;
};

}  // namespace fireweed::storage
