// What for: the object methods of the JSON API, without uploads.
// Threads: handlers run on pool threads, any number at once.
// Owns: how far rewrites in several calls came; borrows the store and who may do what.
#pragma once

#include "api/storage/object.h"
#include "net/router.h"
#include "storage/acl.h"
#include "storage/object_access.h"
#include "storage/object_store.h"
#include "storage/object_view.h"
#include "storage/rewrite_token.h"

namespace fireweed::storage {

class Objects {
 public:
  Objects(ObjectStore& store, const ObjectAccess& access) : store_(store), access_(access) {}

  void Serve(net::Router& router);

 private:
  net::Answer Get(const api::storage::GetObject& request, const net::Call& call);
  net::Answer Download(const api::storage::GetObject& request, const net::Call& call);
  std::optional<net::Response> DownloadInline(const net::Call& call);
  net::Answer List(const api::storage::ListObjects& request, const net::Call& call);
  net::Answer Patch(const api::storage::ChangeObject& request, const net::Call& call);
  net::Answer Update(const api::storage::ChangeObject& request, const net::Call& call);
  api::NoContent Delete(const api::storage::DeleteObject& request, const net::Call& call);
  net::Answer Restore(const api::storage::RestoreObject& request, const net::Call& call);
  net::Answer Compose(const api::storage::ComposeObject& request, const net::Call& call);
  net::Answer Copy(const api::storage::CopyObject& request, const net::Call& call);
  net::Answer Rewrite(const api::storage::CopyObject& request, const net::Call& call);
  net::Answer Move(const api::storage::MoveObject& request, const net::Call& call);

  using Apply = void (*)(api::storage::Object&, std::string_view json);
  net::Answer Change(const api::storage::ChangeObject& request, const net::Call& call, Apply apply);
  ObjectRow CopyOne(const api::storage::CopyObject& request, const net::Call& call);
  // As the caller may see it: a list is shown to its owners, and left out for others who ask for it.
  api::storage::Object Show(const ObjectRow& row, const std::string& bucket,
                            const std::string& name, const ReplyShape& shape,
                            const net::Caller& caller) const;
  // What a predefined list is in this bucket; empty for no word.
  Acl Predefined(const std::string& word, const std::string& bucket,
                 const net::Caller& caller) const;
  // What a call says that does not finish its rewrite; nothing when this one does.
  std::optional<api::storage::RewriteReply> RewritePart(const api::storage::CopyObject& request,
                                                        const CopyOrder& order);
  CopyOrder OrderOf(const api::storage::CopyObject& request, const net::Call& call) const;

  ObjectStore& store_;
  const ObjectAccess& access_;
  RewriteCalls rewrites_;
};

}  // namespace fireweed::storage
