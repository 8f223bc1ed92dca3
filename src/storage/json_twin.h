// What for: the XML API's way to bucket settings and lists: it asks the JSON API, so that rules,
//   permissions and effects are written once.
// Threads: pool threads, any number at once. May block as the methods behind it do.
// Owns: nothing; borrows the router.
// A failure: Failure in the words of the JSON API.
#pragma once

#include <string>
#include <string_view>

#include "net/router.h"

namespace fireweed::storage {

class JsonTwin {
 public:
  explicit JsonTwin(net::Router& router) : router_(router) {}

  // The body of the reply to METHOD /storage/v1/PATH?QUERY, sent in the name of the outer request's
  // caller. `path` and `query` are percent-encoded.
  std::string Send(const net::Call& outer, std::string_view method, std::string_view path,
                   std::string_view query = "", std::string_view body = "") const;

 private:
  net::Router& router_;
};

// "b/BUCKET" and "b/BUCKET/o/OBJECT", encoded.
std::string JsonBucketPath(std::string_view bucket);
std::string JsonObjectPath(std::string_view bucket, std::string_view object);

}  // namespace fireweed::storage
