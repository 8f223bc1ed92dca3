#include "storage/xml_buckets.h"

#include <fmt/format.h>

#include "api/storage/bucket.h"
#include "api/storage/object.h"
#include "base/bytes.h"
#include "describe/json_codec.h"
#include "storage/xml_acl.h"
#include "storage/xml_bucket_config.h"
#include "storage/xml_reader.h"
#include "storage/xml_writer.h"

namespace fireweed::storage {
namespace {

using api::storage::Bucket;

constexpr std::string_view kFull = "projection=full";

// What of a bucket this API can ask for elsewhere and not here.
constexpr std::string_view kNotServed[] = {"policy", "publicAccessPrevention", "retention", "rpo",
                                           "autoclass"};

[[noreturn]] void RefuseUnserved(std::string_view parameter) {
  throw Failure(Code::kInvalid, "InvalidArgument",
                fmt::format("'{}' is served by the JSON API only.", parameter));
}

std::string Project(const net::Call& call) {
  std::string_view project = call.http.Header("x-goog-project-id").value_or("");
  if (project.empty()) project = call.caller.project;
  if (project.empty()) {
    throw Failure(Code::kInvalid, "InvalidArgument",
                  "The x-goog-project-id header is required for this request.");
  }
  return std::string(project);
}

Bucket Decode(const std::string& json) { return DecodeJson<Bucket>(json); }

std::string JsonText(std::string_view text) {
  JsonWriter out;
  out.String(text);
  return out.Take();
}

// Metageneration conditions of buckets, as the other API's query.
std::string Conditions(const net::Request& request) {
  std::optional<int64_t> match = NumberHeader(request, "x-goog-if-metageneration-match");
  return match ? fmt::format("ifMetagenerationMatch={}", *match) : "";
}

std::string JoinQuery(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + "&" + b;
}

net::Response Empty(int status) {
  net::Response response;
  response.status = status;
  return response;
}

}  // namespace

bool NamesBucketConfig(const net::Request& request) {
  for (std::string_view parameter : kNotServed) {
    if (request.Query(parameter)) return true;
  }
  return FindBucketConfig(request) || request.Query("acl") || request.Query("defaultObjectAcl");
}

net::Response XmlBuckets::ListAll(const net::Call& call) const {
  std::string project = PercentEncode(Project(call));
  XmlWriter out;
  out.Open("ListAllMyBucketsResult xmlns='http://doc.s3.amazonaws.com/2006-03-01'");
  out.Open("Owner").Leaf("ID", call.caller.email).Close("Owner").Open("Buckets");
  std::string token;
  do {
    std::string query = "project=" + project;
    if (!token.empty()) query += "&pageToken=" + PercentEncode(token);
    auto list = DecodeJson<api::storage::BucketList>(json_.Send(call, "GET", "b", query));
    for (const Bucket& bucket : list.items) {
      out.Open("Bucket").Leaf("Name", bucket.name);
      out.Leaf("CreationDate", FormatTime(bucket.timeCreated)).Close("Bucket");
    }
    token = list.nextPageToken;
  } while (!token.empty());
  return XmlReply(out.Close("Buckets").Close("ListAllMyBucketsResult").Take());
}

net::Response XmlBuckets::Head(const XmlAddress& address, const net::Call& call) const {
  Bucket bucket = Decode(json_.Send(call, "GET", JsonBucketPath(address.bucket)));
  net::Response response = XmlReply("");
  response.Add("x-goog-metageneration", std::to_string(bucket.metageneration));
  response.Add("x-goog-storage-class", bucket.storageClass);
  response.Add("x-goog-bucket-location", bucket.location);
  return response;
}

net::Response XmlBuckets::GetConfig(const XmlAddress& address, const net::Call& call) const {
  Bucket bucket = Decode(json_.Send(call, "GET", JsonBucketPath(address.bucket), kFull));
  net::Response response;
  if (const XmlBucketConfig* config = FindBucketConfig(call.http)) {
    response = XmlReply(config->show(bucket));
  } else if (call.http.Query("acl")) {
    response = XmlReply(XmlOfAcl(bucket.acl, bucket.owner));
  } else if (call.http.Query("defaultObjectAcl")) {
    response = XmlReply(XmlOfAcl(bucket.defaultObjectAcl, std::nullopt));
  } else {
    for (std::string_view parameter : kNotServed) {
      if (call.http.Query(parameter)) RefuseUnserved(parameter);
    }
  }
  response.Add("x-goog-metageneration", std::to_string(bucket.metageneration));
  return response;
}

net::Response XmlBuckets::Create(const XmlAddress& address, const net::Call& call,
                                 const std::string& body) const {
  std::string json = "{\"name\":" + JsonText(address.bucket);
  if (!Trim(body).empty()) {
    XmlElement root = ParseXml(body);
    if (root.name != "CreateBucketConfiguration") {
      throw Failure(Code::kInvalid, "MalformedXML", "The body is no CreateBucketConfiguration.");
    }
    if (std::string_view location = root.Text("LocationConstraint"); !location.empty()) {
      json += ",\"location\":" + JsonText(location);
    }
    if (std::string_view word = root.Text("StorageClass"); !word.empty()) {
      json += ",\"storageClass\":" + JsonText(word);
    }
  }
  if (std::optional<int64_t> seconds = NumberHeader(call.http, "x-goog-bucket-retention-period")) {
    json += fmt::format(",\"retentionPolicy\":{{\"retentionPeriod\":\"{}\"}}", *seconds);
  }
  std::string query = "project=" + PercentEncode(Project(call));
  if (std::string acl = XmlPredefinedAcl(call.http); !acl.empty()) query += "&predefinedAcl=" + acl;
  json_.Send(call, "POST", "b", query, json + "}");
  return Empty(200);
}

// A predefined list in the header, or one in the body.
net::Response XmlBuckets::PutAcl(const net::Call& call, const std::string& path,
                                 std::string_view field, std::string_view predefined,
                                 const std::string& body) const {
  std::string query = Conditions(call.http);
  if (std::optional<int64_t> generation = NumberQuery(call.http, "generation")) {
    query = JoinQuery(query, fmt::format("generation={}", *generation));
  }
  if (std::optional<int64_t> match = NumberHeader(call.http, "x-goog-if-generation-match")) {
    query = JoinQuery(query, fmt::format("ifGenerationMatch={}", *match));
  }
  std::string json = "{}";
  if (std::string word = XmlPredefinedAcl(call.http); !word.empty()) {
    query = JoinQuery(query, std::string(predefined) + "=" + word);
  } else {
    std::string list;
    for (const api::storage::AccessEntry& entry : AclOfXml(body)) {
      list += (list.empty() ? "" : ",") + EncodeJson(entry);
    }
    json = fmt::format("{{\"{}\":[{}]}}", field, list);
  }
  json_.Send(call, "PATCH", path, query, json);
  return Empty(200);
}

net::Response XmlBuckets::Put(const XmlAddress& address, const net::Call& call,
                              const std::string& body) const {
  std::string path = JsonBucketPath(address.bucket);
  if (call.http.Query("acl")) return PutAcl(call, path, "acl", "predefinedAcl", body);
  if (call.http.Query("defaultObjectAcl")) {
    return PutAcl(call, path, "defaultObjectAcl", "predefinedDefaultObjectAcl", body);
  }
  for (std::string_view parameter : kNotServed) {
    if (call.http.Query(parameter)) RefuseUnserved(parameter);
  }
  const XmlBucketConfig* config = FindBucketConfig(call.http);
  if (!config) return Create(address, call, body);
  if (!config->patch) RefuseUnserved(config->parameter);
  XmlElement root = ParseXml(body);
  if (root.name != config->root) {
    throw Failure(Code::kInvalid, "MalformedXML", fmt::format("The body is no {}.", config->root));
  }
  Bucket before = Decode(json_.Send(call, "GET", path));
  json_.Send(call, "PATCH", path, Conditions(call.http), config->patch(root, before));
  return Empty(200);
}

net::Response XmlBuckets::Delete(const XmlAddress& address, const net::Call& call) const {
  std::string path = JsonBucketPath(address.bucket);
  if (call.http.Query("tagging")) {
    json_.Send(call, "PATCH", path, "", "{\"labels\":null}");
  } else {
    json_.Send(call, "DELETE", path, Conditions(call.http));
  }
  return Empty(204);
}

net::Response XmlBuckets::GetObjectAcl(const XmlAddress& address, const net::Call& call) const {
  std::optional<int64_t> generation = NumberQuery(call.http, "generation");
  std::string query(kFull);
  if (generation) query += fmt::format("&generation={}", *generation);
  auto object = DecodeJson<api::storage::Object>(
      json_.Send(call, "GET", JsonObjectPath(address.bucket, address.object), query));
  net::Response response = XmlReply(XmlOfAcl(object.acl, object.owner));
  response.Add("x-goog-generation", std::to_string(object.generation));
  response.Add("x-goog-metageneration", std::to_string(object.metageneration));
  return response;
}

net::Response XmlBuckets::PutObjectAcl(const XmlAddress& address, const net::Call& call,
                                       const std::string& body) const {
  std::string path = JsonObjectPath(address.bucket, address.object);
  return PutAcl(call, path, "acl", "predefinedAcl", body);
}

}  // namespace fireweed::storage
