// A bucket's settings as documents of the XML API (?cors, ?lifecycle, ?versioning, …), each as what
// is shown of a bucket and as a patch of it in the JSON API's words. Pure.
#pragma once

#include <string>
#include <string_view>

#include "api/storage/bucket.h"
#include "net/http_message.h"
#include "storage/xml_reader.h"

namespace fireweed::storage {

struct XmlBucketConfig {
  std::string_view parameter;  // "cors"
  std::string_view root;       // "CorsConfig"
  std::string (*show)(const api::storage::Bucket& bucket);
  // The change from `before`; null: it is only shown. Throws Failure(kInvalid) on a document that says something impossible.
  std::string (*patch)(const XmlElement& root, const api::storage::Bucket& before);
};

// The setting that a request's query names, or null.
const XmlBucketConfig* FindBucketConfig(const net::Request& request);

}  // namespace fireweed::storage
