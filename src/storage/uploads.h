// What for: uploads of the JSON API in one request (media, multipart), and the door to resumable
//   ones.
// Threads: pool threads; a sink is used by one at a time.
// Owns: nothing of an upload in one request beyond its sink: a client that breaks off leaves
//   nothing.
#pragma once

#include <memory>

#include "api/storage/upload.h"
#include "net/router.h"
#include "storage/object_store.h"
#include "storage/resumable.h"
#include "storage/upload_target.h"

namespace fireweed::storage {

class Uploads {
 public:
  Uploads(ObjectStore& store, const Catalog& catalog, BlobStore& blobs, ResumableUploads& resumable,
          net::AccessControl& access)
      : store_(store), catalog_(catalog), blobs_(blobs), resumable_(resumable), access_(access) {}

  void Serve(net::Router& router);

 private:
  std::unique_ptr<net::BodySink> OpenPost(const net::Call& call);
  std::unique_ptr<net::BodySink> OpenPostInline(const net::Call& call);
  std::unique_ptr<net::BodySink> OpenOneRequest(const api::storage::UploadObject& request,
                                                UploadTarget target, const net::Call& call);
  std::unique_ptr<net::BodySink> OpenPut(const net::Call& call);
  net::Response Cancel(const net::Call& call);

  ObjectStore& store_;
  const Catalog& catalog_;
  BlobStore& blobs_;
  ResumableUploads& resumable_;
  net::AccessControl& access_;
};

}  // namespace fireweed::storage
