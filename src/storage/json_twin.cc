#include "storage/json_twin.h"

#include "base/bytes.h"

namespace fireweed::storage {

std::string JsonTwin::Send(const net::Call& outer, std::string_view method, std::string_view path,
                           std::string_view query, std::string_view body) const {
  std::string whole = "/storage/v1/" + std::string(path);
  net::Request request = outer.http;
  request.method = method;
  request.path = whole;
  request.query = query;
  std::string target = query.empty() ? whole : whole + "?" + std::string(query);
  request.target = target;
  request.headers.clear();  // conditions and types in them speak of the outer request
  request.body = body;
  if (net::IsGoogleHost(request.host)) request.host = "storage.googleapis.com";
  net::Answer answer = router_.HandleAs(request, outer.caller);
  auto* response = std::get_if<net::Response>(&answer);
  if (response == nullptr) Abort("a method of storage answers later");
  if (auto* text = std::get_if<std::string>(&response->body)) return std::move(*text);
  auto* shared = std::get_if<std::shared_ptr<const std::string>>(&response->body);
  return shared && *shared ? **shared : "";
}

std::string JsonBucketPath(std::string_view bucket) { return "b/" + PercentEncode(bucket); }

std::string JsonObjectPath(std::string_view bucket, std::string_view object) {
  return JsonBucketPath(bucket) + "/o/" + PercentEncode(object);
}

}  // namespace fireweed::storage
