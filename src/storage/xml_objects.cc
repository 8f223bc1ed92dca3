#include "storage/xml_objects.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "storage/acl.h"
#include "storage/media_reply.h"
#include "storage/upload_draft.h"
#include "storage/xml_listing.h"
#include "storage/xml_reader.h"
#include "storage/xml_writer.h"

namespace fireweed::storage {
namespace {

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

std::optional<int64_t> NumberIn(const XmlElement& element, std::string_view child) {
  std::string_view text = element.Text(child);
  if (text.empty()) return std::nullopt;
  int64_t number = 0;
  ParseParameter(TypeOf<int64_t>(), &number, child, text);
  return number;
}

// Keys of metadata are any text. One that is no token (RFC 9110) would break the whole head, so that
// it is left out here; the JSON API shows it.
bool MayNameHeader(std::string_view key) {
  constexpr std::string_view kSigns = "!#$%&'*+-.^_`|~";
  auto fits = [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kSigns.find(c) != std::string_view::npos;
  };
  return !key.empty() && std::all_of(key.begin(), key.end(), fits);
}

net::Response Finished(const ObjectRow& row) {
  net::Response response;
  AddVersionHeaders(response, row);
  return response;
}

// "x-goog-copy-source: /bucket/name", the name percent-encoded.
XmlAddress SourceOf(std::string_view source) {
  std::string path = source.starts_with('/') ? std::string(source) : "/" + std::string(source);
  XmlAddress from = ParseXmlAddress("", path);
  if (from.object.empty()) {
    throw Failure(Code::kInvalid, "InvalidArgument", "x-goog-copy-source names no object.");
  }
  return from;
}

}  // namespace

void XmlObjects::Require(const net::Call& call, std::string_view permission,
                         const XmlAddress& address) const {
  net::Require(access_, call.caller, permission, "buckets/" + address.bucket);
}

UploadTarget XmlObjects::Target(const XmlAddress& address, const net::Call& call) const {
  Require(call, "storage.objects.create", address);
  RequireBucket(catalog_, address.bucket);
  store_.stored().RequireRoom(address.bucket, address.object, call.caller.email,
                              DeclaredSize(call.http));
  CheckObjectName(address.object);
  UploadTarget target = XmlTarget(address, call);
  target.may_replace =
      object_access_.MayByPolicy(call.caller, "storage.objects.delete", address.bucket);
  return target;
}

net::Response XmlObjects::Get(const XmlAddress& address, const net::Call& call) {
  OpenedObject object = object_access_.Open(
      call.caller, {address.bucket, address.object, NumberQuery(call.http, "generation")},
      XmlConditions(call.http));
  net::Response response = MediaReply(object, call.http, EtagForm::kMd5);
  // Who makes a link says how its file is shown; strangers may not.
  if (!call.caller.anonymous()) {
    for (const char* header : {"Content-Disposition", "Content-Type"}) {
      std::optional<std::string> wanted = call.http.Query("response-" + ToLower(header));
      if (wanted && !wanted->empty() && response.status < 400)
        response.Set(header, *std::move(wanted));
    }
  }
  for (const auto& [name, value] : object.row.metadata) {
    if (MayNameHeader(name)) response.Add("x-goog-meta-" + name, value);
  }
  return response;
}

net::Response XmlObjects::Delete(const XmlAddress& address, const net::Call& call) {
  Require(call, "storage.objects.delete", address);
  store_.Delete({address.bucket, address.object, NumberQuery(call.http, "generation")},
                XmlConditions(call.http));
  net::Response response;
  response.status = 204;
  return response;
}

net::Response XmlObjects::List(const XmlAddress& address, const net::Call& call) {
  Require(call, "storage.objects.list", address);
  XmlListing listing = XmlListing::Of(call.http);
  return XmlReply(listing.Render(address.bucket, store_.List(address.bucket, listing.query)));
}

std::unique_ptr<net::BodySink> XmlObjects::OpenPut(const XmlAddress& address,
                                                   const net::Call& call) {
  return std::make_unique<PutSink>(store_, catalog_, blobs_, Target(address, call), call.http);
}

net::Response XmlObjects::CopyFrom(const XmlAddress& address, std::string_view source,
                                   const net::Call& call) {
  XmlAddress from = SourceOf(source);
  UploadTarget target = Target(address, call);
  CopyOrder order;
  order.owner = target.owner;
  order.may_replace = target.may_replace;
  order.from = object_access_.Require(
      call.caller, "storage.objects.get",
      {from.bucket, from.object, NumberHeader(call.http, "x-goog-copy-source-generation")});
  order.from_conditions = XmlConditions(call.http, "x-goog-copy-source-if-");
  order.bucket = address.bucket;
  order.name = address.object;
  order.conditions = XmlConditions(call.http);
  order.storage_class = target.metadata.storageClass;
  if (!target.predefined_acl.empty()) {
    int64_t number = object_access_.Bucket(address.bucket)->value.projectNumber;
    order.acl = PredefinedObjectAcl(target.predefined_acl, number, call.caller.email);
  }
  std::string_view directive = call.http.Header("x-goog-metadata-directive").value_or("COPY");
  if (directive == "REPLACE") order.metadata = target.metadata;
  ObjectRow row = store_.Copy(order);
  net::Response response;
  AddVersionHeaders(response, row);
  response.Add("Content-Type", "application/xml; charset=UTF-8");
  XmlWriter out;
  out.Open("CopyObjectResult").Leaf("LastModified", FormatTime(row.updated));
  response.body = out.Leaf("ETag", *response.Header("ETag")).Close("CopyObjectResult").Take();
  return response;
}

net::Response XmlObjects::Compose(const XmlAddress& address, const net::Call& call,
                                  const std::string& body) {
  UploadTarget target = Target(address, call);
  XmlElement root = ParseXml(body);
  ComposeOrder order{address.bucket, address.object, XmlConditions(call.http), {}, {}};
  order.owner = target.owner;
  order.may_replace = target.may_replace;
  for (const XmlElement& component : root.children) {
    api::storage::SourceObject source;
    source.name = component.Text("Name");
    ObjectAddress from{address.bucket, source.name, NumberIn(component, "Generation")};
    source.generation = object_access_.Require(call.caller, "storage.objects.get", from).generation;
    if (std::optional<int64_t> match = NumberIn(component, "IfGenerationMatch")) {
      source.objectPreconditions = api::storage::ObjectPrecondition{match};
    }
    order.sources.push_back(std::move(source));
  }
  NewObject wanted = target.Object(catalog_);
  order.metadata = ToObject(wanted.row, address.bucket, address.object);
  return Finished(store_.Compose(order));
}

net::Response XmlObjects::StartResumable(const XmlAddress& address, const net::Call& call) {
  std::string id = resumable_.Begin(Target(address, call), std::nullopt);
  net::Response response;
  response.status = 201;
  response.Add("Location", XmlUrl(call.http, address) + "?upload_id=" + id);
  response.Add("X-GUploader-UploadID", id);
  return response;
}

std::unique_ptr<net::BodySink> XmlObjects::ContinueResumable(const XmlAddress& address,
                                                             const net::Call& call) {
  api::storage::UploadObject upload;
  upload.bucket = address.bucket;
  upload.upload_id = call.http.Query("upload_id").value_or("");
  return resumable_.Continue(upload, call, Finished);
}

net::Response XmlObjects::CancelResumable(const net::Call& call) {
  resumable_.Cancel(call.http.Query("upload_id").value_or(""));
  net::Response response;
  response.status = 499;  // what Google answers a cancelled upload with
  return response;
}

}  // namespace fireweed::storage
