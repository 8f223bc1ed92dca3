// What for: the XML API over the same buckets and objects: TensorFlow reads its bytes here, gsutil
//   can be told to prefer it, and signed and public links point here. Path-style
//   (host/BUCKET/OBJECT) and host-style (BUCKET.host/OBJECT).
// Threads: pool threads, any number at once.
// Owns: nothing; borrows the store.
// A failure: Failure, rendered as XML by the router with the codes of this API.
//
// Here is decided which request is which; xml_objects.h, xml_buckets.h and xml_uploads.h serve them.
#pragma once

#include <memory>
#include <optional>

#include "net/router.h"
#include "storage/json_twin.h"
#include "storage/object_access.h"
#include "storage/part_uploads.h"
#include "storage/signatures.h"
#include "storage/xml_buckets.h"
#include "storage/xml_objects.h"
#include "storage/xml_uploads.h"

namespace fireweed::storage {

class XmlApi {
 public:
  explicit XmlApi(const XmlApiParts& parts)
      : objects_(parts),
        uploads_(parts.uploads, parts.blobs),
        object_access_(parts.object_access),
        signatures_(parts.signatures) {}

  // REQUIRES: the router outlives the requests; buckets are asked for through it.
  void Serve(net::Router& router);

 private:
  // As the host and the path say; a host of one's own is bound to the bucket of its name.
  XmlAddress AddressOf(const net::Request& request) const;

  std::vector<api::storage::Cors> CorsOf(const net::Request& request) const;

  net::Answer Get(const net::Call& call);
  net::Answer Preflight(const net::Call& call) const;
  net::Answer Delete(const net::Call& call);
  std::unique_ptr<net::BodySink> OpenPut(const net::Call& call);
  std::unique_ptr<net::BodySink> OpenPost(const net::Call& call);

  net::Response GetBucket(const XmlAddress& address, const net::Call& call);
  net::Response DeleteObject(const XmlAddress& address, const net::Call& call);
  std::unique_ptr<net::BodySink> PutObject(const XmlAddress& address, const net::Call& call);
  std::unique_ptr<net::BodySink> PostObject(const XmlAddress& address, const net::Call& call);

  XmlObjects objects_;
  XmlUploads uploads_;
  const ObjectAccess& object_access_;
  const Signatures& signatures_;
  std::optional<JsonTwin> json_;       // since Serve
  std::optional<XmlBuckets> buckets_;  // since Serve
};

}  // namespace fireweed::storage
