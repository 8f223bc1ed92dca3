#include "storage/objects.h"

#include "base/bytes.h"
#include "storage/acl.h"
#include "storage/bucket_record.h"
#include "storage/media_reply.h"

namespace fireweed::storage {
namespace {

using api::storage::Object;

std::string Resource(const std::string& bucket) { return "buckets/" + bucket; }

// What a copy's body asks for. One that sets nothing but names and class keeps the source's
// metadata.
void TakeCopyBody(std::string_view json, CopyOrder& order) {
  if (Trim(json).empty()) return;
  Object wanted = DecodeJson<Object>(json, {.from_client = true});
  order.storage_class = wanted.storageClass;
  Object bare;
  bare.name = wanted.name;
  bare.bucket = wanted.bucket;
  bare.storageClass = wanted.storageClass;
  bare.md5Hash = wanted.md5Hash;
  bare.crc32c = wanted.crc32c;
  bare.acl = wanted.acl;
  if (!SameValue(bare, wanted)) order.metadata = std::move(wanted);
}

}  // namespace

void Objects::Serve(net::Router& router) {
  router.On(api::storage::kListObjects, this, &Objects::List);
  router.On(api::storage::kGetObject, this, &Objects::Get);
  router.On(api::storage::kDownloadObject, this, &Objects::Download);
  for (const api::MethodEntry& method :
       {api::storage::kGetObject.entry(), api::storage::kDownloadObject.entry()}) {
    router.OnInline(method, [this](const net::Call& call) { return DownloadInline(call); });
  }
  router.On(api::storage::kPatchObject, this, &Objects::Patch);
  router.On(api::storage::kUpdateObject, this, &Objects::Update);
  router.On(api::storage::kDeleteObject, this, &Objects::Delete);
  router.On(api::storage::kComposeObject, this, &Objects::Compose);
  router.On(api::storage::kCopyObject, this, &Objects::Copy);
  router.On(api::storage::kRewriteObject, this, &Objects::Rewrite);
  router.On(api::storage::kMoveObject, this, &Objects::Move);
}

std::optional<api::storage::Bucket> Objects::BucketFor(const std::string& bucket,
                                                       const ReplyShape& shape) const {
  if (shape.projection == Projection::kNoAcl) return std::nullopt;
  return Query(catalog_, [&](Txn& txn) { return FindBucket(txn, bucket).value; });
}

net::Response Objects::Reply(const ObjectRow& row, const std::string& bucket,
                             const std::string& name, const ReplyShape& shape) const {
  std::optional<api::storage::Bucket> home = BucketFor(bucket, shape);
  return JsonReply(ShowObject(row, bucket, name, shape, home ? &*home : nullptr), shape);
}

net::Answer Objects::Get(const api::storage::GetObject& request, const net::Call& call) {
  if (request.alt == "media") return Download(request, call);
  ReplyShape shape = ReplyShape::Of(call.http);
  ObjectRow row = store_.Find({request.bucket, request.object, request.generation}, request);
  return Reply(row, request.bucket, request.object, shape);
}

net::Answer Objects::Download(const api::storage::GetObject& request, const net::Call& call) {
  OpenedObject object = store_.Open({request.bucket, request.object, request.generation}, request);
  return MediaReply(object, call.http, EtagForm::kOpaque);
}

// The plain question only: what changes the answer goes the long way.
std::optional<net::Response> Objects::DownloadInline(const net::Call& call) {
  bool plain = call.http.query == "alt=media" && !WantsFaults(call.http);
  if (!plain) return std::nullopt;
  HotObjects::Entry object = store_.PeekHot(call.Path("bucket"), call.Path("object"));
  if (!object) return std::nullopt;
  return MediaReply(*object, call.http, EtagForm::kOpaque);
}

net::Answer Objects::List(const api::storage::ListObjects& request, const net::Call& call) {
  ReplyShape shape = ReplyShape::Of(call.http);
  ListingQuery query;
  query.prefix = request.prefix;
  query.delimiter = request.delimiter;
  query.start_offset = request.startOffset;
  query.end_offset = request.endOffset;
  query.match_glob = request.matchGlob;
  query.page_token = request.pageToken;
  query.max_results = request.maxResults;
  query.versions = request.versions;
  query.trailing_delimiter_items = request.includeTrailingDelimiter;
  ListingPage page = store_.List(request.bucket, query);
  std::optional<api::storage::Bucket> home = BucketFor(request.bucket, shape);
  api::storage::ObjectList list;
  list.nextPageToken = std::move(page.next_page_token);
  list.prefixes = std::move(page.prefixes);
  list.items.reserve(page.items.size());
  for (const ListedVersion& item : page.items) {
    list.items.push_back(
        ShowObject(item.row, request.bucket, item.name, shape, home ? &*home : nullptr));
  }
  return JsonReply(list, shape);
}

net::Answer Objects::Change(const api::storage::ChangeObject& request, const net::Call& call,
                            Apply apply) {
  ReplyShape shape = ReplyShape::Of(call.http);
  std::optional<Acl> predefined;
  if (!request.predefinedAcl.empty()) {
    int64_t number = Query(
        catalog_, [&](Txn& txn) { return FindBucket(txn, request.bucket).value.projectNumber; });
    predefined = PredefinedObjectAcl(request.predefinedAcl, number, call.caller.email);
  }
  ObjectRow row = store_.ChangeMetadata({request.bucket, request.object, request.generation},
                                        request, [&](Object& object) {
                                          apply(object, request.body.text);
                                          if (predefined) object.acl = *predefined;
                                          NormalizeAcl(object.acl);
                                        });
  return Reply(row, request.bucket, request.object, shape);
}

net::Answer Objects::Patch(const api::storage::ChangeObject& request, const net::Call& call) {
  return Change(request, call,
                [](Object& object, std::string_view json) { PatchJson(object, json); });
}

net::Answer Objects::Update(const api::storage::ChangeObject& request, const net::Call& call) {
  return Change(request, call,
                [](Object& object, std::string_view json) { UpdateJson(object, json); });
}

api::NoContent Objects::Delete(const api::storage::DeleteObject& request, const net::Call&) {
  store_.Delete({request.bucket, request.object, request.generation}, request);
  return {};
}

net::Answer Objects::Compose(const api::storage::ComposeObject& request, const net::Call& call) {
  ReplyShape shape = ReplyShape::Of(call.http);
  net::Require(access_, call.caller, "storage.objects.get", Resource(request.destinationBucket));
  ComposeOrder order{request.destinationBucket, request.destinationObject};
  order.conditions.ifGenerationMatch = request.ifGenerationMatch;
  order.conditions.ifMetagenerationMatch = request.ifMetagenerationMatch;
  order.sources = request.body.sourceObjects;
  // Checksums in the body belong to a component where gcloud sends them: they are not looked at.
  if (request.body.destination) order.metadata = *request.body.destination;
  ObjectRow row = store_.Compose(order);
  return Reply(row, request.destinationBucket, request.destinationObject, shape);
}

ObjectRow Objects::CopyOne(const api::storage::CopyObject& request, const net::Call& call) {
  net::Require(access_, call.caller, "storage.objects.get", Resource(request.sourceBucket));
  CopyOrder order;
  order.from = {request.sourceBucket, request.sourceObject, request.sourceGeneration};
  order.from_conditions = OfSource(request);
  order.bucket = request.destinationBucket;
  order.name = request.destinationObject;
  order.conditions = request;
  TakeCopyBody(request.body.text, order);
  return store_.Copy(order);
}

net::Answer Objects::Copy(const api::storage::CopyObject& request, const net::Call& call) {
  ReplyShape shape = ReplyShape::Of(call.http);
  ObjectRow row = CopyOne(request, call);
  return Reply(row, request.destinationBucket, request.destinationObject, shape);
}

// A rewrite is one row here, whatever the size: it is always done, as TensorFlow needs it.
net::Answer Objects::Rewrite(const api::storage::CopyObject& request, const net::Call& call) {
  ReplyShape shape = ReplyShape::Of(call.http);
  ObjectRow row = CopyOne(request, call);
  std::optional<api::storage::Bucket> home = BucketFor(request.destinationBucket, shape);
  api::storage::RewriteReply reply;
  reply.objectSize = reply.totalBytesRewritten = row.size;
  reply.resource = ShowObject(row, request.destinationBucket, request.destinationObject, shape,
                              home ? &*home : nullptr);
  return JsonReply(reply, shape);
}

net::Answer Objects::Move(const api::storage::MoveObject& request, const net::Call& call) {
  ReplyShape shape = ReplyShape::Of(call.http);
  net::Require(access_, call.caller, "storage.objects.delete", Resource(request.bucket));
  CopyOrder order;
  order.from = {request.bucket, request.sourceObject, std::nullopt};
  order.from_conditions = OfSource(request);
  order.bucket = request.bucket;
  order.name = request.destinationObject;
  order.conditions = request;
  order.remove_source = true;
  ObjectRow row = store_.Copy(order);
  return Reply(row, request.bucket, request.destinationObject, shape);
}

}  // namespace fireweed::storage
