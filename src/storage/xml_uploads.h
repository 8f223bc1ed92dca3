// Multipart uploads of the XML API: requests and replies around PartUploads. Pool threads; borrows.
#pragma once

#include <memory>
#include <string>

#include "net/router.h"
#include "storage/part_uploads.h"
#include "storage/xml_request.h"

namespace fireweed::storage {

class XmlUploads {
 public:
  XmlUploads(PartUploads& uploads, BlobStore& blobs) : uploads_(uploads), blobs_(blobs) {}

  net::Response Start(const XmlAddress& address, const UploadTarget& target);
  std::unique_ptr<net::BodySink> OpenPart(const XmlAddress& address, const net::Call& call);
  net::Response ListParts(const XmlAddress& address, const net::Call& call) const;
  net::Response Complete(const XmlAddress& address, const net::Call& call, const std::string& body);
  net::Response Abort(const XmlAddress& address, const net::Call& call);
  net::Response ListUploads(const XmlAddress& address, const net::Call& call) const;

 private:
  PartUploads& uploads_;
  BlobStore& blobs_;
};

}  // namespace fireweed::storage
