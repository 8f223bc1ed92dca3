// Buckets of the XML API: the service's list, a bucket's life, its settings and lists. What they
// change goes through the JSON API. Pool threads; owns nothing.
#pragma once

#include <string>

#include "net/router.h"
#include "storage/json_twin.h"
#include "storage/xml_request.h"

namespace fireweed::storage {

class XmlBuckets {
 public:
  explicit XmlBuckets(const JsonTwin& json) : json_(json) {}

  // GET /: the buckets of the project in x-goog-project-id.
  net::Response ListAll(const net::Call& call) const;
  // HEAD of a bucket: whether it is there.
  net::Response Head(const XmlAddress& address, const net::Call& call) const;
  // A setting or list that the query names.
  net::Response GetConfig(const XmlAddress& address, const net::Call& call) const;
  // Makes a bucket, or changes the setting or list that the query names.
  net::Response Put(const XmlAddress& address, const net::Call& call,
                    const std::string& body) const;
  net::Response Delete(const XmlAddress& address, const net::Call& call) const;
  net::Response GetObjectAcl(const XmlAddress& address, const net::Call& call) const;
  net::Response PutObjectAcl(const XmlAddress& address, const net::Call& call,
                             const std::string& body) const;

 private:
  net::Response Create(const XmlAddress& address, const net::Call& call,
                       const std::string& body) const;
  net::Response PutAcl(const net::Call& call, const std::string& path, std::string_view field,
                       std::string_view predefined, const std::string& body) const;

  const JsonTwin& json_;
};

// Whether the query names something of a bucket other than its objects.
bool NamesBucketConfig(const net::Request& request);

}  // namespace fireweed::storage
