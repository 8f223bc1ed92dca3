#include "storage/xml_api.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "api/storage/service.h"
#include "base/bytes.h"
#include "base/checksum.h"
#include "net/errors.h"
#include "storage/bucket_record.h"
#include "storage/media_reply.h"
#include "storage/upload_draft.h"
#include "storage/upload_target.h"
#include "storage/xml_listing.h"

namespace fireweed::storage {
namespace {

constexpr std::string_view kHost = "storage.googleapis.com";
constexpr std::string_view kMetaHeader = "x-goog-meta-";

// One pattern for everything: it gives way to every route that says more.
constexpr api::Method<api::Empty, api::Empty> kXmlGet{api::storage::kStorageXml, api::Verb::kGet,
                                                      "/{path=**}", "storage.xml.get"};
constexpr api::Method<api::Empty, api::Empty> kXmlHead{api::storage::kStorageXml, api::Verb::kHead,
                                                       "/{path=**}", "storage.xml.head"};
constexpr api::Method<api::Empty, api::Empty> kXmlPut{api::storage::kStorageXml, api::Verb::kPut,
                                                      "/{path=**}", "storage.xml.put"};
constexpr api::Method<api::Empty, api::Empty> kXmlDelete{
    api::storage::kStorageXml, api::Verb::kDelete, "/{path=**}", "storage.xml.delete"};

// Paths of the JSON API, and on the daemon's own address those of other services, that nobody
// serves: their clients read JSON errors.
bool IsOtherApi(const net::Request& request) {
  constexpr std::string_view kJson[] = {"/storage/v1/", "/upload/storage/", "/download/storage/",
                                        "/resumable/upload/", "/batch/storage/"};
  constexpr std::string_view kOthers[] = {"/compute/", "/discovery/", "/batch",   "/v1/",
                                          "/v2/",      "/v3/",        "/oauth2/", "/token"};
  auto begins = [&](std::string_view head) { return request.path.starts_with(head); };
  if (std::any_of(std::begin(kJson), std::end(kJson), begins)) return true;
  return !net::IsGoogleHost(request.host) &&
         std::any_of(std::begin(kOthers), std::end(kOthers), begins);
}

Error NoSuchMethod(const net::Request& request) {
  return {Code::kNotFound, "",
          fmt::format("There is no method {} {}{} here.", request.method, request.host,
                      request.path.substr(0, 200))};
}

// The codes of this API for errors that were made for the other.
Error InXmlWords(Error error) {
  bool bucket = error.message == "The specified bucket does not exist.";
  if (error.code == Code::kNotFound)
    error.reason = bucket ? "NoSuchBucket" : "NoSuchKey";
  else if (error.code == Code::kInvalid && error.reason != "InvalidArgument")
    error.reason = "InvalidArgument";
  else if (error.reason == "objectUnderActiveHold" || error.reason == "retentionPolicyNotMet")
    error.reason[0] = error.reason[0] == 'o' ? 'O' : 'R';
  else
    error.reason.clear();
  return error;
}

template <class Body>
auto WithXmlErrors(const Body& body) {
  try {
    return body();
  } catch (const Failure& failure) {
    throw Failure(InXmlWords(failure.error()));
  }
}

std::optional<int64_t> NumberHeader(const net::Request& request, std::string_view name) {
  std::optional<std::string_view> text = request.Header(name);
  if (!text) return std::nullopt;
  int64_t number = 0;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size() || number < 0) {
    throw Failure(Code::kInvalid, "InvalidArgument", fmt::format("{} is no number.", name));
  }
  return number;
}

api::storage::ObjectConditions ConditionsOf(const net::Request& request) {
  api::storage::ObjectConditions conditions;
  conditions.ifGenerationMatch = NumberHeader(request, "x-goog-if-generation-match");
  conditions.ifMetagenerationMatch = NumberHeader(request, "x-goog-if-metageneration-match");
  return conditions;
}

std::optional<int64_t> GenerationOf(const net::Request& request) {
  std::optional<std::string> text = request.Query("generation");
  if (!text) return std::nullopt;
  int64_t number = 0;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size()) {
    throw Failure(Code::kInvalid, "InvalidArgument", "generation is no number.");
  }
  return number;
}

UploadTarget TargetOf(const XmlAddress& address, const net::Call& call) {
  UploadTarget target;
  target.bucket = address.bucket;
  target.metadata.name = address.object;
  target.conditions = ConditionsOf(call.http);
  target.owner = call.caller.email;
  for (const net::RequestHeader& header : call.http.headers) {
    std::string name = ToLower(header.name);
    std::string value(header.value);
    if (name == "content-type")
      target.SuggestType(value);
    else if (name == "cache-control")
      target.metadata.cacheControl = value;
    else if (name == "content-disposition")
      target.metadata.contentDisposition = value;
    else if (name == "content-encoding")
      target.metadata.contentEncoding = value;
    else if (name == "content-language")
      target.metadata.contentLanguage = value;
    else if (name == "x-goog-storage-class")
      target.metadata.storageClass = value;
    else if (name.starts_with(kMetaHeader))
      target.metadata.metadata[name.substr(kMetaHeader.size())] = value;
  }
  return target;
}

void AddVersionHeaders(net::Response& response, const ObjectRow& row) {
  response.Add("X-Goog-Generation", std::to_string(row.generation));
  response.Add("X-Goog-Metageneration", std::to_string(row.metageneration));
  std::string etag =
      row.md5.empty() ? ObjectEtag(row.generation, row.metageneration) : HexEncode(row.md5);
  response.Add("ETag", "\"" + etag + "\"");
  response.Add("X-Goog-Hash", "crc32c=" + Crc32cToBase64(row.crc32c));
  if (!row.md5.empty()) response.Add("X-Goog-Hash", "md5=" + Base64Encode(row.md5));
}

class PutSink final : public net::BodySink {
 public:
  PutSink(ObjectStore& store, const Catalog& catalog, BlobStore& blobs, UploadTarget target,
          const net::Request& request)
      : store_(store), catalog_(catalog), draft_(blobs), target_(std::move(target)) {
    declared_.Take(request);
  }
  void Write(std::span<const std::byte> bytes) override { draft_.Append(bytes); }
  net::Response Finish() override {
    return WithXmlErrors([&] {
      NewObject object = target_.Object(catalog_);
      draft_.CommitInto(object, declared_);
      ObjectRow row = store_.Insert(object);
      draft_.Keep();
      net::Response response;
      AddVersionHeaders(response, row);
      return response;
    });
  }

 private:
  ObjectStore& store_;
  const Catalog& catalog_;
  UploadDraft draft_;
  UploadTarget target_;
  DeclaredSums declared_;
};

// An answer that is known before the body: the body is passed over.
class KnownAnswerSink final : public net::BodySink {
 public:
  explicit KnownAnswerSink(net::Response response) : response_(std::move(response)) {}
  void Write(std::span<const std::byte>) override {}
  net::Response Finish() override { return std::move(response_); }

 private:
  net::Response response_;
};

}  // namespace

XmlAddress ParseXmlAddress(std::string_view host, std::string_view path) {
  XmlAddress address;
  path.remove_prefix(std::min<size_t>(1, path.size()));
  std::string_view object = path;
  bool host_style = host.size() > kHost.size() + 1 && host.ends_with(kHost) &&
                    host[host.size() - kHost.size() - 1] == '.';
  if (host_style) {
    address.bucket = host.substr(0, host.size() - kHost.size() - 1);
  } else {
    size_t slash = path.find('/');
    std::optional<std::string> bucket = PercentDecode(path.substr(0, slash));
    if (!bucket)
      throw Failure(Code::kInvalid, "InvalidURI", "Broken percent-encoding in the path.");
    address.bucket = *bucket;
    object = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  std::optional<std::string> name = PercentDecode(object);
  if (!name) throw Failure(Code::kInvalid, "InvalidURI", "Broken percent-encoding in the path.");
  address.object = *std::move(name);
  return address;
}

void XmlApi::Serve(net::Router& router) {
  auto on = [&](const auto& method, net::Handler handler) {
    router.OnRaw(method.entry(), WithSignatures(signatures_, std::move(handler)));
  };
  auto on_stream = [&](const auto& method, net::StreamHandler handler) {
    router.OnStream(method.entry(), WithSignatures(signatures_, std::move(handler)));
  };
  on(kXmlGet, [this](const net::Call& call) { return Get(call); });
  on(kXmlHead, [this](const net::Call& call) { return Get(call); });
  on(kXmlDelete, [this](const net::Call& call) { return Delete(call); });
  on_stream(kXmlPut, [this](const net::Call& call) { return OpenPut(call); });
}

void XmlApi::Require(const net::Call& call, std::string_view permission,
                     const std::string& bucket) const {
  net::Require(access_, call.caller, permission, "buckets/" + bucket);
}

net::Answer XmlApi::Get(const net::Call& call) {
  if (IsOtherApi(call.http)) return net::JsonError(NoSuchMethod(call.http));
  return WithXmlErrors([&]() -> net::Answer {
    XmlAddress address = ParseXmlAddress(call.http.host, call.http.path);
    return address.object.empty() ? GetBucket(address, call) : GetObject(address, call);
  });
}

net::Response XmlApi::GetObject(const XmlAddress& address, const net::Call& call) {
  OpenedObject object =
      object_access_.Open(call.caller, {address.bucket, address.object, GenerationOf(call.http)},
                          ConditionsOf(call.http));
  net::Response response = MediaReply(object, call.http, EtagForm::kMd5);
  for (const auto& [name, value] : object.row.metadata) {
    response.Add(std::string(kMetaHeader) + name, value);
  }
  return response;
}

net::Response XmlApi::GetBucket(const XmlAddress& address, const net::Call& call) {
  Require(call, "storage.objects.list", address.bucket);
  XmlListing listing = XmlListing::Of(call.http);
  ListingPage page = store_.List(address.bucket, listing.query);
  net::Response response;
  response.Add("Content-Type", "application/xml; charset=UTF-8");
  response.body = listing.Render(address.bucket, page);
  return response;
}

net::Answer XmlApi::Delete(const net::Call& call) {
  if (IsOtherApi(call.http)) return net::JsonError(NoSuchMethod(call.http));
  return WithXmlErrors([&]() -> net::Answer {
    XmlAddress address = ParseXmlAddress(call.http.host, call.http.path);
    if (address.object.empty()) {
      throw Failure(Code::kInvalid, "Buckets are deleted through the JSON API here.");
    }
    Require(call, "storage.objects.delete", address.bucket);
    store_.Delete({address.bucket, address.object, GenerationOf(call.http)},
                  ConditionsOf(call.http));
    net::Response response;
    response.status = 204;
    return response;
  });
}

std::unique_ptr<net::BodySink> XmlApi::OpenPut(const net::Call& call) {
  if (IsOtherApi(call.http)) {
    return std::make_unique<KnownAnswerSink>(net::JsonError(NoSuchMethod(call.http)));
  }
  return WithXmlErrors([&]() -> std::unique_ptr<net::BodySink> {
    XmlAddress address = ParseXmlAddress(call.http.host, call.http.path);
    if (address.object.empty()) {
      throw Failure(Code::kInvalid, "Buckets are made and changed through the JSON API here.");
    }
    for (std::string_view part : {"acl", "uploadId", "uploads", "partNumber", "tagging"}) {
      if (!call.http.Query(part)) continue;
      throw Failure(Code::kInvalid, fmt::format("The XML API's '{}' is not served here.", part));
    }
    Require(call, "storage.objects.create", address.bucket);
    if (std::optional<std::string_view> source = call.http.Header("x-goog-copy-source")) {
      return std::make_unique<KnownAnswerSink>(CopyFrom(address, *source, call));
    }
    RequireBucket(catalog_, address.bucket);
    UploadTarget target = TargetOf(address, call);
    target.may_replace =
        object_access_.MayByPolicy(call.caller, "storage.objects.delete", address.bucket);
    return std::make_unique<PutSink>(store_, catalog_, blobs_, std::move(target), call.http);
  });
}

net::Response XmlApi::CopyFrom(const XmlAddress& address, std::string_view source,
                               const net::Call& call) {
  std::string path = source.starts_with('/') ? std::string(source) : "/" + std::string(source);
  XmlAddress from = ParseXmlAddress(kHost, path);
  CopyOrder order;
  order.owner = call.caller.email;
  order.may_replace =
      object_access_.MayByPolicy(call.caller, "storage.objects.delete", address.bucket);
  order.from = object_access_.Require(
      call.caller, "storage.objects.get",
      {from.bucket, from.object, NumberHeader(call.http, "x-goog-copy-source-generation")});
  order.from_conditions.ifGenerationMatch =
      NumberHeader(call.http, "x-goog-copy-source-if-generation-match");
  order.from_conditions.ifMetagenerationMatch =
      NumberHeader(call.http, "x-goog-copy-source-if-metageneration-match");
  order.bucket = address.bucket;
  order.name = address.object;
  order.conditions = ConditionsOf(call.http);
  bool replace =
      EqualIgnoreCase(call.http.Header("x-goog-metadata-directive").value_or(""), "REPLACE");
  if (replace) order.metadata = TargetOf(address, call).metadata;
  ObjectRow row = store_.Copy(order);
  net::Response response;
  response.Add("Content-Type", "application/xml; charset=UTF-8");
  AddVersionHeaders(response, row);
  response.body = fmt::format(
      "<?xml version='1.0' encoding='UTF-8'?><CopyObjectResult><LastModified>{}</LastModified>"
      "<ETag>{}</ETag></CopyObjectResult>",
      FormatTime(row.updated), XmlEscape(*response.Header("ETag")));
  return response;
}

}  // namespace fireweed::storage
