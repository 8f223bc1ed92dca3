#include "storage/uploads.h"

#include <optional>

#include "base/bytes.h"
#include "base/gunzip.h"
#include "net/errors.h"
#include "storage/multipart.h"
#include "storage/upload_draft.h"
#include "storage/upload_target.h"

namespace fireweed::storage {
namespace {

// The end of both: the bytes are here, the object is made, the client is told.
class OneRequestSink : public net::BodySink {
 public:
  OneRequestSink(ObjectStore& store, const Catalog& catalog, BlobStore& blobs,
                 const net::Request& request, UploadTarget target)
      : store_(store),
        catalog_(catalog),
        shape_(ReplyShape::Of(request)),
        draft_(blobs),
        target_(std::move(target)) {
    declared_.Take(request);
  }

 protected:
  // Throws Failure when the upload is not complete.
  virtual void CheckComplete() {}

 public:
  net::Response Finish() final {
    NewObject object = TakeObject();
    ObjectRow row = store_.Insert(object);
    draft_.Keep();
    std::shared_ptr<const api::storage::Bucket> home =
        BucketToShow(catalog_, object.bucket, shape_);
    return JsonReply(ShowObject(row, object.bucket, object.name, shape_, home.get()), shape_);
  }

  // A small object waits for its commit without a thread, so that any number share one.
  net::Answer FinishLater() final {
    if (!draft_.in_memory()) return Finish();
    NewObject object = TakeObject();
    auto deferred = std::make_shared<net::Deferred>();
    deferred->soon = true;
    auto then = [deferred, shape = shape_, bucket = object.bucket, name = object.name,
                 home = BucketToShow(catalog_, object.bucket, shape_)](Result<ObjectRow> row) {
      deferred->Complete(row.ok()
                             ? JsonReply(ShowObject(*row, bucket, name, shape, home.get()), shape)
                             : net::JsonError(row.error()));
    };
    store_.InsertLater(std::move(object), std::move(then));
    return deferred;
  }

 private:
  NewObject TakeObject() {
    CheckComplete();
    declared_.Take(target_.metadata);
    NewObject object = target_.Object(catalog_);
    draft_.CommitInto(object, declared_);
    return object;
  }

 protected:
  ObjectStore& store_;
  const Catalog& catalog_;
  const ReplyShape shape_;
  UploadDraft draft_;
  UploadTarget target_;
  DeclaredSums declared_;
};

class MediaSink final : public OneRequestSink {
 public:
  using OneRequestSink::OneRequestSink;
  void Write(std::span<const std::byte> bytes) override { draft_.Append(bytes); }
};

class MultipartSink final : public OneRequestSink, private MultipartReader::Events {
 public:
  MultipartSink(ObjectStore& store, const Catalog& catalog, BlobStore& blobs,
                const net::Request& request, UploadTarget target, const std::string& boundary)
      : OneRequestSink(store, catalog, blobs, request, std::move(target)),
        reader_(boundary, *this) {}

  void Write(std::span<const std::byte> bytes) override { reader_.Feed(bytes); }

  void CheckComplete() override {
    if (!reader_.complete() || parts_ != 2) {
      throw Failure(Code::kInvalid, "badContent", "A multipart upload has two parts.");
    }
    if (base64_) draft_.Append(AsBytes(base64_->Finish()));
  }

 private:
  void OnPart(std::string_view headers) override {
    if (++parts_ != 2) return;
    target_.TakeMetadata(json_);
    target_.SuggestType(PartHeader(headers, "Content-Type"));
    if (EqualIgnoreCase(PartHeader(headers, "Content-Transfer-Encoding"), "base64")) {
      base64_.emplace();
    }
  }

  void OnBytes(std::span<const std::byte> bytes) override {
    if (parts_ == 2 && base64_) {
      draft_.Append(AsBytes(base64_->Feed(AsText(bytes))));
    } else if (parts_ == 2) {
      draft_.Append(bytes);
    }
    if (parts_ != 1) return;
    json_.append(AsText(bytes));
    if (json_.size() > kMaxMetadataBytes)
      throw Failure(Code::kTooLarge, "The metadata is too large.");
  }

  MultipartReader reader_;
  int parts_ = 0;
  std::string json_;                    // of the first part
  std::optional<Base64Reader> base64_;  // where the second is so encoded
};

// Unpacks a body that was compressed for the way only.
class GunzipSink final : public net::BodySink {
 public:
  explicit GunzipSink(std::unique_ptr<net::BodySink> inner) : inner_(std::move(inner)) {}
  void Write(std::span<const std::byte> bytes) override {
    any_ = any_ || !bytes.empty();
    gunzip_.Feed(bytes, [this](std::span<const std::byte> plain) { inner_->Write(plain); });
  }
  net::Response Finish() override {
    CheckComplete();
    return inner_->Finish();
  }
  net::Answer FinishLater() override {
    CheckComplete();
    return inner_->FinishLater();
  }

 private:
  void CheckComplete() const {
    if (any_ && !gunzip_.complete()) {
      throw Failure(Code::kInvalid, "badContent", "The compressed body ends too early.");
    }
  }

  std::unique_ptr<net::BodySink> inner_;
  Gunzip gunzip_;
  bool any_ = false;
};

std::unique_ptr<net::BodySink> Unpacked(const net::Request& request,
                                        std::unique_ptr<net::BodySink> sink) {
  bool packed = EqualIgnoreCase(request.Header("Content-Encoding").value_or(""), "gzip");
  if (!packed) return sink;
  return std::make_unique<GunzipSink>(std::move(sink));
}

api::storage::UploadObject RequestOf(const net::Call& call) {
  api::storage::UploadObject request;
  net::FillRequest(TypeOf<api::storage::UploadObject>(), &request, call);
  return request;
}

}  // namespace

void Uploads::Serve(net::Router& router) {
  router.Alias("/resumable/upload/", "/upload/");
  router.OnStream(api::storage::kInsertObject.entry(),
                  [this](const net::Call& call) { return Unpacked(call.http, OpenPost(call)); });
  router.OnStreamInline(api::storage::kInsertObject.entry(),
                        [this](const net::Call& call) { return OpenPostInline(call); });
  router.OnStream(api::storage::kContinueUpload.entry(),
                  [this](const net::Call& call) { return Unpacked(call.http, OpenPut(call)); });
  router.OnRaw(api::storage::kCancelUpload.entry(),
               [this](const net::Call& call) -> net::Answer { return Cancel(call); });
}

std::unique_ptr<net::BodySink> Uploads::OpenPost(const net::Call& call) {
  api::storage::UploadObject request = RequestOf(call);
  if (!request.upload_id.empty()) return resumable_.Continue(request, call);
  net::Require(access_, call.caller, "storage.objects.create", "buckets/" + request.bucket);
  RequireBucket(catalog_, request.bucket);
  if (request.uploadType == "media") {
    store_.stored().RequireRoom(request.bucket, request.name, call.caller.email,
                                DeclaredSize(call.http));
  }
  UploadTarget target = UploadTarget::Of(request, call);
  target.may_replace =
      access_.May(call.caller, "storage.objects.delete", "buckets/" + request.bucket);
  if (request.uploadType == "resumable") return resumable_.Start(std::move(target), call);
  return OpenOneRequest(request, std::move(target), call);
}

// From memory alone: whether the bucket is there shows when the object is put into it.
std::unique_ptr<net::BodySink> Uploads::OpenPostInline(const net::Call& call) {
  api::storage::UploadObject request = RequestOf(call);
  bool plain = (request.uploadType == "media" || request.uploadType == "multipart") &&
               request.upload_id.empty() && request.predefinedAcl.empty() &&
               request.projection.empty() && !call.http.Header("Content-Encoding") &&
               !BringsKey(call.http) && !WantsFaults(call.http) && !store_.stored().counts();
  if (!plain) return nullptr;
  std::optional<bool> may =
      access_.MayInline(call.caller, "storage.objects.create", "buckets/" + request.bucket);
  if (!may || !*may) return nullptr;
  std::optional<bool> replace =
      access_.MayInline(call.caller, "storage.objects.delete", "buckets/" + request.bucket);
  if (!replace || !*replace) return nullptr;
  return OpenOneRequest(request, UploadTarget::Of(request, call), call);
}

std::unique_ptr<net::BodySink> Uploads::OpenOneRequest(const api::storage::UploadObject& request,
                                                       UploadTarget target, const net::Call& call) {
  std::string_view type = call.http.Header("Content-Type").value_or("");
  if (request.uploadType == "multipart") {
    std::optional<std::string> boundary = BoundaryOf(type);
    if (!boundary) {
      throw Failure(Code::kInvalid, "badContent",
                    "A multipart upload needs a boundary in its Content-Type.");
    }
    return std::make_unique<MultipartSink>(store_, catalog_, blobs_, call.http, std::move(target),
                                           *boundary);
  }
  if (request.uploadType != "media") {
    throw Failure(Code::kInvalid, "invalidParameter",
                  "uploadType must be media, multipart or resumable.");
  }
  CheckObjectName(request.name);
  target.SuggestType(type);
  return std::make_unique<MediaSink>(store_, catalog_, blobs_, call.http, std::move(target));
}

std::unique_ptr<net::BodySink> Uploads::OpenPut(const net::Call& call) {
  return resumable_.Continue(RequestOf(call), call);
}

net::Response Uploads::Cancel(const net::Call& call) {
  api::storage::UploadObject request = RequestOf(call);
  resumable_.Cancel(request.upload_id);
  net::Response response;
  response.status = 499;  // what Google answers a cancelled upload with
  return response;
}

}  // namespace fireweed::storage
