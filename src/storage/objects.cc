#include "storage/objects.h"

#include "base/bytes.h"
#include "storage/bucket_checks.h"
#include "storage/http_conditions.h"
#include "storage/media_reply.h"
#include "storage/object_acl.h"
#include "storage/rewrite_token.h"
#include "storage/upload_target.h"

namespace fireweed::storage {
namespace {

using api::storage::Object;

// What was deleted is gone: buckets here have no soft delete policy.
[[noreturn]] void RefuseSoftDeleted() {
  throw Failure(Code::kInvalid, "invalid", "The bucket does not have a soft delete policy.");
}

// Lifecycle rules count from a custom time: it may move on, but neither back nor away.
void RequireLater(Time before, Time after) {
  if (after >= before) return;
  throw Failure(Code::kInvalid, "invalid",
                "Custom time cannot be removed or set to an earlier time than it has.");
}

// What a copy's body asks for. One that sets nothing but names and class keeps the source's
// metadata.
void TakeCopyBody(std::string_view json, CopyOrder& order) {
  if (Trim(json).empty()) return;
  Object wanted = DecodeJson<Object>(json, {.from_client = true});
  order.storage_class = wanted.storageClass = CheckedStorageClass(wanted.storageClass);
  order.acl = wanted.acl;
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
  router.On(api::storage::kRestoreObject, this, &Objects::Restore);
  router.On(api::storage::kComposeObject, this, &Objects::Compose);
  router.On(api::storage::kCopyObject, this, &Objects::Copy);
  router.On(api::storage::kRewriteObject, this, &Objects::Rewrite);
  router.On(api::storage::kMoveObject, this, &Objects::Move);
}

api::storage::Object Objects::Show(const ObjectRow& row, const std::string& bucket,
                                   const std::string& name, const ReplyShape& shape,
                                   const net::Caller& caller) const {
  bool lists =
      shape.projection == Projection::kFull &&
      access_.May(caller, "storage.objects.getIamPolicy", {bucket, name, row.generation}, row);
  ReplyShape shown = shape;
  if (!lists) shown.projection = Projection::kNoAcl;
  return ShowObject(row, bucket, name, shown, &access_.Bucket(bucket)->value);
}

Acl Objects::Predefined(const std::string& word, const std::string& bucket,
                        const net::Caller& caller) const {
  if (word.empty()) return {};
  return PredefinedObjectAcl(word, access_.Bucket(bucket)->value.projectNumber, caller.email);
}

net::Answer Objects::Get(const api::storage::GetObject& request, const net::Call& call) {
  if (request.alt == "media") return Download(request, call);
  ReplyShape shape = ReplyShape::Of(call.http);
  ObjectRow row = access_.Find(call.caller, "storage.objects.get",
                               {request.bucket, request.object, request.generation}, request);
  std::string etag = ObjectEtag(row.generation, row.metageneration);
  RequireVerdict(CheckHttpConditions(call.http, etag, row.updated));
  net::Response response =
      JsonReply(Show(row, request.bucket, request.object, shape, call.caller), shape);
  response.Add("ETag", etag);
  return response;
}

net::Answer Objects::Download(const api::storage::GetObject& request, const net::Call& call) {
  OpenedObject object =
      access_.Open(call.caller, {request.bucket, request.object, request.generation}, request);
  return MediaReply(object, call.http, EtagForm::kOpaque);
}

// The plain question only: what changes the answer goes the long way.
std::optional<net::Response> Objects::DownloadInline(const net::Call& call) {
  bool plain = call.http.query == "alt=media" && !WantsFaults(call.http);
  if (!plain) return std::nullopt;
  HotObjects::Entry object = store_.PeekHot(call.Path("bucket"), call.Path("object"));
  if (!object) return std::nullopt;
  // The first bytes of what is encoded are looked at, which must not wait for a disk.
  bool encoded = !object->object().row.content_encoding.empty();
  if (encoded && !object->object().bytes->in_memory()) return std::nullopt;
  return HotMediaReply(*object, call.http, EtagForm::kOpaque);
}

net::Answer Objects::List(const api::storage::ListObjects& request, const net::Call& call) {
  ReplyShape shape = ReplyShape::Of(call.http);
  if (request.softDeleted) RefuseSoftDeleted();
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
  bool lists = shape.projection == Projection::kFull &&
               access_.MayByPolicy(call.caller, "storage.objects.getIamPolicy", request.bucket);
  if (!lists) shape.projection = Projection::kNoAcl;
  std::shared_ptr<const Row<api::storage::Bucket>> home = access_.Bucket(request.bucket);
  api::storage::ObjectList list;
  list.nextPageToken = std::move(page.next_page_token);
  list.prefixes = std::move(page.prefixes);
  list.items.reserve(page.items.size());
  for (const ListedVersion& item : page.items) {
    list.items.push_back(ShowObject(item.row, request.bucket, item.name, shape, &home->value));
  }
  return JsonReply(list, shape);
}

net::Answer Objects::Change(const api::storage::ChangeObject& request, const net::Call& call,
                            Apply apply) {
  ReplyShape shape = ReplyShape::Of(call.http);
  ObjectAddress address = access_.Require(call.caller, "storage.objects.update",
                                          {request.bucket, request.object, request.generation});
  Acl predefined = Predefined(request.predefinedAcl, request.bucket, call.caller);
  bool sets_list = !predefined.empty() || request.body.text.find("\"acl\"") != std::string::npos;
  if (sets_list) address = access_.Require(call.caller, "storage.objects.setIamPolicy", address);
  std::shared_ptr<const Row<api::storage::Bucket>> home = access_.Bucket(request.bucket);
  if (!predefined.empty()) {
    RefuseUniform(home->value, "Cannot update access control for an object");
  }
  ObjectRow row = store_.ChangeMetadata(address, request, [&](Object& object) {
    Acl before = object.acl;
    Time custom_time = object.customTime;
    std::string was = object.storageClass;
    apply(object, request.body.text);
    RequireLater(custom_time, object.customTime);
    if (object.storageClass != was) {
      object.storageClass = CheckedStorageClass(object.storageClass);
    }
    // A predefined list wins over the body, which clients send with an empty one.
    if (!predefined.empty()) object.acl = predefined;
    if (!sets_list) object.acl = before;
    SettleChangedAcl(home->value, before, object);
  });
  return JsonReply(Show(row, request.bucket, request.object, shape, call.caller), shape);
}

net::Answer Objects::Patch(const api::storage::ChangeObject& request, const net::Call& call) {
  return Change(request, call,
                [](Object& object, std::string_view json) { PatchJson(object, json); });
}

net::Answer Objects::Update(const api::storage::ChangeObject& request, const net::Call& call) {
  return Change(request, call, [](Object& object, std::string_view json) {
    Time before = object.customTime;
    UpdateJson(object, json);
    if (object.customTime == Time{}) object.customTime = before;
  });
}

api::NoContent Objects::Delete(const api::storage::DeleteObject& request, const net::Call&) {
  store_.Delete({request.bucket, request.object, request.generation}, request);
  return {};
}

net::Answer Objects::Restore(const api::storage::RestoreObject&, const net::Call&) {
  RefuseSoftDeleted();
}

net::Answer Objects::Compose(const api::storage::ComposeObject& request, const net::Call& call) {
  RefuseKey(call.http);
  ReplyShape shape = ReplyShape::Of(call.http);
  ComposeOrder order{request.destinationBucket, request.destinationObject};
  order.conditions.ifGenerationMatch = request.ifGenerationMatch;
  order.conditions.ifMetagenerationMatch = request.ifMetagenerationMatch;
  order.sources = request.body.sourceObjects;
  order.remove_sources = request.body.deleteSourceObjects;
  order.owner = call.caller.email;
  order.may_replace =
      access_.MayByPolicy(call.caller, "storage.objects.delete", request.destinationBucket);
  for (api::storage::SourceObject& source : order.sources) {
    ObjectAddress from{request.destinationBucket, source.name, source.generation};
    source.generation = access_.Require(call.caller, "storage.objects.get", from).generation;
    if (order.remove_sources) access_.Require(call.caller, "storage.objects.delete", from);
  }
  // Checksums in the body belong to a component where gcloud sends them: they are not looked at.
  if (request.body.destination) order.metadata = *request.body.destination;
  order.metadata.storageClass = CheckedStorageClass(order.metadata.storageClass);
  if (!request.destinationPredefinedAcl.empty()) {
    order.metadata.acl =
        Predefined(request.destinationPredefinedAcl, request.destinationBucket, call.caller);
  }
  NormalizeAcl(order.metadata.acl, AclOf::kObject);
  ObjectRow row = store_.Compose(order);
  return JsonReply(
      Show(row, request.destinationBucket, request.destinationObject, shape, call.caller), shape);
}

CopyOrder Objects::OrderOf(const api::storage::CopyObject& request, const net::Call& call) const {
  RefuseKey(call.http);
  CopyOrder order;
  order.from =
      access_.Require(call.caller, "storage.objects.get",
                      {request.sourceBucket, request.sourceObject, request.sourceGeneration});
  order.from_conditions = OfSource(request);
  order.bucket = request.destinationBucket;
  order.name = request.destinationObject;
  order.conditions = request;
  order.owner = call.caller.email;
  order.may_replace =
      access_.MayByPolicy(call.caller, "storage.objects.delete", request.destinationBucket);
  TakeCopyBody(request.body.text, order);
  if (!request.destinationPredefinedAcl.empty()) {
    order.acl =
        Predefined(request.destinationPredefinedAcl, request.destinationBucket, call.caller);
  }
  NormalizeAcl(order.acl, AclOf::kObject);
  return order;
}

ObjectRow Objects::CopyOne(const api::storage::CopyObject& request, const net::Call& call) {
  return store_.Copy(OrderOf(request, call));
}

net::Answer Objects::Copy(const api::storage::CopyObject& request, const net::Call& call) {
  ReplyShape shape = ReplyShape::Of(call.http);
  ObjectRow row = CopyOne(request, call);
  return JsonReply(
      Show(row, request.destinationBucket, request.destinationObject, shape, call.caller), shape);
}

std::optional<api::storage::RewriteReply> Objects::RewritePart(
    const api::storage::CopyObject& request, const CopyOrder& order) {
  if (!request.maxBytesRewrittenPerCall) return std::nullopt;
  ObjectRow source = store_.Find(order.from, {});
  const api::storage::Bucket home = access_.Bucket(order.bucket)->value;
  const std::string& storage_class =
      order.storage_class.empty() ? home.storageClass : order.storage_class;
  bool stays = storage_class == source.storage_class &&
               home.location == access_.Bucket(request.sourceBucket)->value.location;
  if (stays) return std::nullopt;
  RewriteProgress progress{request.sourceBucket + "/" + request.sourceObject,
                           order.bucket + "/" + order.name, source.generation, 0};
  if (!request.rewriteToken.empty()) {
    RewriteProgress before = DecodeRewriteToken(request.rewriteToken);
    progress.rewritten = before.rewritten;
    if (progress != before) {
      throw Failure(Code::kInvalid, "invalid", "The rewrite token is of another rewrite.");
    }
    progress.rewritten = rewrites_.Reached(request.rewriteToken, before.rewritten);
  }
  std::optional<int64_t> after =
      RewrittenAfter(progress.rewritten, request.maxBytesRewrittenPerCall, source.size);
  if (!after) return std::nullopt;
  progress.rewritten = *after;
  api::storage::RewriteReply reply;
  reply.done = false;
  reply.objectSize = source.size;
  reply.totalBytesRewritten = *after;
  reply.rewriteToken =
      request.rewriteToken.empty() ? EncodeRewriteToken(progress) : request.rewriteToken;
  rewrites_.Note(reply.rewriteToken, *after);
  return reply;
}

// A rewrite is one row here, whatever the size: it is done at once, as TensorFlow needs it, unless
// the client itself limits the calls.
net::Answer Objects::Rewrite(const api::storage::CopyObject& request, const net::Call& call) {
  ReplyShape shape = ReplyShape::Of(call.http);
  CopyOrder order = OrderOf(request, call);
  if (std::optional<api::storage::RewriteReply> part = RewritePart(request, order)) {
    return JsonReply(*part, shape);
  }
  ObjectRow row = store_.Copy(order);
  api::storage::RewriteReply reply;
  reply.objectSize = reply.totalBytesRewritten = row.size;
  reply.resource =
      Show(row, request.destinationBucket, request.destinationObject, shape, call.caller);
  return JsonReply(reply, shape);
}

net::Answer Objects::Move(const api::storage::MoveObject& request, const net::Call& call) {
  ReplyShape shape = ReplyShape::Of(call.http);
  access_.Require(call.caller, "storage.objects.delete",
                  {request.bucket, request.sourceObject, std::nullopt});
  CopyOrder order;
  order.from = {request.bucket, request.sourceObject, std::nullopt};
  order.from_conditions = OfSource(request);
  order.bucket = request.bucket;
  order.name = request.destinationObject;
  order.conditions = request;
  order.remove_source = true;
  ObjectRow row = store_.Copy(order);
  return JsonReply(Show(row, request.bucket, request.destinationObject, shape, call.caller), shape);
}

}  // namespace fireweed::storage
