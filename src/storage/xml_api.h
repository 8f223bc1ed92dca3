// What for: the XML API over the same buckets and objects: TensorFlow reads its bytes here, and
//   signed and public links point here. Path-style (host/BUCKET/OBJECT) and host-style
//   (BUCKET.host/OBJECT).
// Threads: pool threads, any number at once.
// Owns: nothing; borrows the store.
// A failure: Failure, rendered as XML by the router with the codes of this API.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "net/router.h"
#include "storage/object_access.h"
#include "storage/object_store.h"
#include "storage/signatures.h"

namespace fireweed::storage {

// Where an XML request points; an empty object means the bucket itself.
struct XmlAddress {
  std::string bucket, object;
};
// Throws Failure(kInvalid) on broken percent-encoding. `path` is raw.
XmlAddress ParseXmlAddress(std::string_view host, std::string_view path);

class XmlApi {
 public:
  XmlApi(ObjectStore& store, const Catalog& catalog, BlobStore& blobs, net::AccessControl& access,
         const ObjectAccess& object_access, const Signatures& signatures)
      : store_(store),
        catalog_(catalog),
        blobs_(blobs),
        access_(access),
        object_access_(object_access),
        signatures_(signatures) {}

  void Serve(net::Router& router);

 private:
  net::Answer Get(const net::Call& call);
  net::Answer Delete(const net::Call& call);
  std::unique_ptr<net::BodySink> OpenPut(const net::Call& call);

  net::Response GetObject(const XmlAddress& address, const net::Call& call);
  net::Response GetBucket(const XmlAddress& address, const net::Call& call);
  net::Response CopyFrom(const XmlAddress& address, std::string_view source, const net::Call& call);
  void Require(const net::Call& call, std::string_view permission, const std::string& bucket) const;

  ObjectStore& store_;
  const Catalog& catalog_;
  BlobStore& blobs_;
  net::AccessControl& access_;
  const ObjectAccess& object_access_;
  const Signatures& signatures_;
};

}  // namespace fireweed::storage
