// Objects of the XML API: bytes, uploads in one request and resumable, copies, composition. Pool
// threads; owns nothing.
#pragma once

#include <memory>
#include <string>

#include "net/router.h"
#include "storage/object_access.h"
#include "storage/object_store.h"
#include "storage/part_uploads.h"
#include "storage/resumable.h"
#include "storage/signatures.h"
#include "storage/xml_request.h"

namespace fireweed::storage {

// What the XML API stands on; all of it outlives it.
struct XmlApiParts {
  ObjectStore& store;
  const Catalog& catalog;
  BlobStore& blobs;
  ResumableUploads& resumable;
  PartUploads& uploads;
  net::AccessControl& access;
  const ObjectAccess& object_access;
  const Signatures& signatures;
};

class XmlObjects {
 public:
  explicit XmlObjects(const XmlApiParts& parts)
      : store_(parts.store),
        catalog_(parts.catalog),
        blobs_(parts.blobs),
        resumable_(parts.resumable),
        access_(parts.access),
        object_access_(parts.object_access) {}

  net::Response Get(const XmlAddress& address, const net::Call& call);
  net::Response Delete(const XmlAddress& address, const net::Call& call);
  net::Response List(const XmlAddress& address, const net::Call& call);
  std::unique_ptr<net::BodySink> OpenPut(const XmlAddress& address, const net::Call& call);
  net::Response CopyFrom(const XmlAddress& address, std::string_view source, const net::Call& call);
  net::Response Compose(const XmlAddress& address, const net::Call& call, const std::string& body);
  // A resumable upload: its start, its bytes and its end before the time.
  net::Response StartResumable(const XmlAddress& address, const net::Call& call);
  std::unique_ptr<net::BodySink> ContinueResumable(const XmlAddress& address,
                                                   const net::Call& call);
  net::Response CancelResumable(const net::Call& call);

  // By the bucket's policy.
  void Require(const net::Call& call, std::string_view permission, const XmlAddress& address) const;
  // The object that a PUT or POST is about to make, after a look at who may.
  UploadTarget Target(const XmlAddress& address, const net::Call& call) const;

 private:
  ObjectStore& store_;
  const Catalog& catalog_;
  BlobStore& blobs_;
  ResumableUploads& resumable_;
  net::AccessControl& access_;
  const ObjectAccess& object_access_;
};

}  // namespace fireweed::storage
