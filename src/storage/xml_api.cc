#include "storage/xml_api.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/storage/service.h"
#include "net/errors.h"
#include "storage/cors.h"

namespace fireweed::storage {
namespace {

// One pattern for everything: it gives way to every route that says more. The root is the service
// itself, and the bucket in a host name.
struct XmlRoutes {
  api::Method<api::Empty, api::Empty> whole, root;
};
constexpr XmlRoutes RoutesOf(api::Verb verb, std::string_view id, std::string_view root_id) {
  return {{api::storage::kStorageXml, verb, "/{path=**}", id},
          {api::storage::kStorageXml, verb, "/", root_id}};
}
constexpr XmlRoutes kXmlGet = RoutesOf(api::Verb::kGet, "storage.xml.get", "storage.xml.getRoot");
constexpr XmlRoutes kXmlHead =
    RoutesOf(api::Verb::kHead, "storage.xml.head", "storage.xml.headRoot");
constexpr XmlRoutes kXmlPut = RoutesOf(api::Verb::kPut, "storage.xml.put", "storage.xml.putRoot");
constexpr XmlRoutes kXmlPost =
    RoutesOf(api::Verb::kPost, "storage.xml.post", "storage.xml.postRoot");
constexpr XmlRoutes kXmlOptions =
    RoutesOf(api::Verb::kOptions, "storage.xml.options", "storage.xml.optionsRoot");
constexpr XmlRoutes kXmlDelete =
    RoutesOf(api::Verb::kDelete, "storage.xml.delete", "storage.xml.deleteRoot");

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

bool Has(const net::Call& call, std::string_view parameter) {
  return call.http.Query(parameter).has_value();
}

}  // namespace

void XmlApi::Serve(net::Router& router) {
  json_.emplace(router);
  buckets_.emplace(*json_);
  auto cors = [this](const net::Request& request) { return CorsOf(request); };
  auto serve = [&](const XmlRoutes& routes, const net::Handler& handler) {
    net::Handler outer = WithCors(cors, WithSignatures(signatures_, handler));
    router.OnRaw(routes.whole.entry(), outer);
    router.OnRaw(routes.root.entry(), outer);
  };
  auto stream = [&](const XmlRoutes& routes, const net::StreamHandler& handler) {
    net::StreamHandler outer = WithCors(cors, WithSignatures(signatures_, handler));
    router.OnStream(routes.whole.entry(), outer);
    router.OnStream(routes.root.entry(), outer);
  };
  // A preflight bears neither token nor signature: it asks what a request with them would get.
  net::Handler preflight =
      WithCors(cors, [this](const net::Call& call) { return Preflight(call); });
  router.OnRaw(kXmlOptions.whole.entry(), preflight);
  router.OnRaw(kXmlOptions.root.entry(), preflight);
  serve(kXmlGet, [this](const net::Call& call) { return Get(call); });
  serve(kXmlHead, [this](const net::Call& call) { return Get(call); });
  serve(kXmlDelete, [this](const net::Call& call) { return Delete(call); });
  stream(kXmlPut, [this](const net::Call& call) { return OpenPut(call); });
  stream(kXmlPost, [this](const net::Call& call) { return OpenPost(call); });
}

XmlAddress XmlApi::AddressOf(const net::Request& request) const {
  bool bound = MayBeBound(request.host) && object_access_.HasBucket(std::string(request.host));
  return bound ? BoundXmlAddress(request) : XmlAddressOf(request);
}

std::vector<api::storage::Cors> XmlApi::CorsOf(const net::Request& request) const {
  if (IsOtherApi(request)) return {};
  XmlAddress address = WithXmlErrors([&] { return AddressOf(request); });
  if (!object_access_.HasBucket(address.bucket)) return {};
  return object_access_.Bucket(address.bucket)->value.cors;
}

net::Answer XmlApi::Preflight(const net::Call& call) const {
  if (IsOtherApi(call.http)) return net::JsonError(NoSuchMethod(call.http));
  return XmlReply("");
}

net::Answer XmlApi::Get(const net::Call& call) {
  if (IsOtherApi(call.http)) return net::JsonError(NoSuchMethod(call.http));
  return WithXmlErrors([&]() -> net::Answer {
    XmlAddress address = AddressOf(call.http);
    if (address.bucket.empty()) return buckets_->ListAll(call);
    if (address.object.empty()) return GetBucket(address, call);
    if (Has(call, "acl")) return buckets_->GetObjectAcl(address, call);
    if (!Has(call, "uploadId")) return objects_.Get(address, call);
    objects_.Require(call, "storage.multipartUploads.listParts", address);
    return uploads_.ListParts(address, call);
  });
}

net::Response XmlApi::GetBucket(const XmlAddress& address, const net::Call& call) {
  if (NamesBucketConfig(call.http)) return buckets_->GetConfig(address, call);
  if (Has(call, "uploads")) {
    objects_.Require(call, "storage.multipartUploads.list", address);
    return uploads_.ListUploads(address, call);
  }
  if (call.http.method == "HEAD") return buckets_->Head(address, call);
  return objects_.List(address, call);
}

net::Answer XmlApi::Delete(const net::Call& call) {
  if (IsOtherApi(call.http)) return net::JsonError(NoSuchMethod(call.http));
  return WithXmlErrors([&]() -> net::Answer {
    XmlAddress address = AddressOf(call.http);
    if (address.bucket.empty()) throw Failure(NoSuchMethod(call.http));
    if (address.object.empty()) return buckets_->Delete(address, call);
    return DeleteObject(address, call);
  });
}

net::Response XmlApi::DeleteObject(const XmlAddress& address, const net::Call& call) {
  if (Has(call, "upload_id")) return objects_.CancelResumable(call);
  if (!Has(call, "uploadId")) return objects_.Delete(address, call);
  objects_.Require(call, "storage.multipartUploads.abort", address);
  return uploads_.Abort(address, call);
}

std::unique_ptr<net::BodySink> XmlApi::OpenPut(const net::Call& call) {
  if (IsOtherApi(call.http)) return KnownAnswer(net::JsonError(NoSuchMethod(call.http)));
  return WithXmlErrors([&]() -> std::unique_ptr<net::BodySink> {
    XmlAddress address = AddressOf(call.http);
    if (address.bucket.empty()) throw Failure(NoSuchMethod(call.http));
    if (!address.object.empty()) return PutObject(address, call);
    return TakeXmlBody(call, [this, address](const net::Call& then, const std::string& body) {
      return buckets_->Put(address, then, body);
    });
  });
}

std::unique_ptr<net::BodySink> XmlApi::PutObject(const XmlAddress& address, const net::Call& call) {
  if (Has(call, "acl")) {
    return TakeXmlBody(call, [this, address](const net::Call& then, const std::string& body) {
      return buckets_->PutObjectAcl(address, then, body);
    });
  }
  if (Has(call, "compose")) {
    return TakeXmlBody(call, [this, address](const net::Call& then, const std::string& body) {
      return objects_.Compose(address, then, body);
    });
  }
  std::optional<std::string_view> source = call.http.Header("x-goog-copy-source");
  if (Has(call, "uploadId")) {
    if (source) {
      throw Failure(Code::kInvalid, "InvalidArgument",
                    "A part cannot be copied from another object here.");
    }
    objects_.Require(call, "storage.objects.create", address);
    return uploads_.OpenPart(address, call);
  }
  if (Has(call, "upload_id")) return objects_.ContinueResumable(address, call);
  if (source) return KnownAnswer(objects_.CopyFrom(address, *source, call));
  return objects_.OpenPut(address, call);
}

std::unique_ptr<net::BodySink> XmlApi::OpenPost(const net::Call& call) {
  if (IsOtherApi(call.http)) return KnownAnswer(net::JsonError(NoSuchMethod(call.http)));
  return WithXmlErrors([&]() -> std::unique_ptr<net::BodySink> {
    XmlAddress address = AddressOf(call.http);
    if (address.object.empty()) throw Failure(NoSuchMethod(call.http));
    return PostObject(address, call);
  });
}

std::unique_ptr<net::BodySink> XmlApi::PostObject(const XmlAddress& address,
                                                  const net::Call& call) {
  if (Has(call, "uploads")) {
    objects_.Require(call, "storage.multipartUploads.create", address);
    return KnownAnswer(uploads_.Start(address, objects_.Target(address, call)));
  }
  if (Has(call, "uploadId")) {
    objects_.Require(call, "storage.objects.create", address);
    return TakeXmlBody(call, [this, address](const net::Call& then, const std::string& body) {
      return uploads_.Complete(address, then, body);
    });
  }
  if (Has(call, "upload_id")) return objects_.ContinueResumable(address, call);
  if (call.http.Header("x-goog-resumable") == "start") {
    return KnownAnswer(objects_.StartResumable(address, call));
  }
  throw Failure(Code::kInvalid, "InvalidArgument",
                "POST of an object is for multipart and resumable uploads here.");
}

}  // namespace fireweed::storage
