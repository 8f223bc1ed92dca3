#include "storage/resumable.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "storage/blob_refs.h"

namespace fireweed::storage {
namespace {

constexpr size_t kOpenWriters = 256;  // each holds two descriptors
constexpr int64_t kSyncEvery = int64_t{64}
                               << 20;  // of one long request, so that a crash costs little
constexpr size_t kSecretBytes = 24;
constexpr size_t kReadBuffer = 1 << 20;

std::optional<int64_t> AnnouncedLength(const net::Request& request) {
  std::string_view text = request.Header("X-Upload-Content-Length").value_or("");
  int64_t length = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || length < 0)
    return std::nullopt;
  return length;
}

net::Response Incomplete(int64_t have) {
  net::Response response;
  response.status = 308;
  if (have > 0) response.Add("Range", fmt::format("bytes=0-{}", have - 1));
  response.Add("x-goog-stored-content-length", std::to_string(have));
  return response;
}

UploadTarget TargetOf(const UploadRecord& record) {
  UploadTarget target;
  target.bucket = record.bucket;
  target.metadata = record.metadata;
  target.conditions = record;
  target.predefined_acl = record.predefined_acl;
  target.owner = record.owner;
  target.may_replace = record.may_replace;
  return target;
}

}  // namespace

// Takes the metadata and answers with the address of the upload.
class ResumableUploads::StartSink final : public net::BodySink {
 public:
  StartSink(ResumableUploads& uploads, UploadTarget target, const net::Request& request)
      : uploads_(uploads),
        target_(std::move(target)),
        type_(request.Header("X-Upload-Content-Type").value_or("")),
        total_(AnnouncedLength(request)),
        base_url_(request.BaseUrl()) {}

  void Write(std::span<const std::byte> bytes) override {
    json_.append(AsText(bytes));
    if (json_.size() > kMaxMetadataBytes)
      throw Failure(Code::kTooLarge, "The metadata is too large.");
  }

  net::Response Finish() override {
    target_.TakeMetadata(json_);
    target_.SuggestType(type_);
    CheckObjectName(target_.metadata.name);
    std::string id = uploads_.Begin(target_, total_);
    net::Response response;
    response.Add(
        "Location",
        fmt::format("{}/upload/storage/v1/b/{}/o?uploadType=resumable&name={}&upload_id={}",
                    base_url_, target_.bucket, PercentEncode(target_.metadata.name), id));
    response.Add("X-GUploader-UploadID", id);
    return response;
  }

 private:
  ResumableUploads& uploads_;
  UploadTarget target_;
  const std::string type_;
  const std::optional<int64_t> total_;
  const std::string base_url_;
  std::string json_;
};

// One request of an upload: a stretch of bytes, a question about it, or its end.
class ResumableUploads::ChunkSink final : public net::BodySink {
 public:
  ChunkSink(ResumableUploads& uploads, const std::string& id, const std::string& bucket,
            const net::Request& request, Finished finished)
      : uploads_(uploads),
        finished_(std::move(finished)),
        shape_(ReplyShape::Of(request)),
        turn_(uploads, id) {
    std::unique_lock hold = turn_.Hold();
    mine_.record = uploads.Find(id);
    if (mine_.record.bucket != bucket) throw Failure(Code::kNotFound, "No such upload.");
    std::optional<std::string_view> header = request.Header("Content-Range");
    whole_ = !header;
    if (header) range_ = ParseContentRange(*header);
    CheckTotal();
    mine_.total = range_.bytes ? range_.total : mine_.record.total;
    declared_.Take(request);
    // Complete: whatever comes, the answer is the object.
    if (!mine_.record.generation) mine_.writer = uploads_.TakeWriter(id, mine_.record);
    if (mine_.writer) skip_ = mine_.writer->size() - First();
    synced_ = mine_.writer ? mine_.writer->size() : 0;
  }

  void Write(std::span<const std::byte> bytes) override {
    std::unique_lock hold = turn_.Hold();
    taken_ += static_cast<int64_t>(bytes.size());
    if (!whole_ && taken_ > (range_.bytes ? range_.bytes->length : 0)) {
      throw Failure(Code::kInvalid, "badRequest", "The body is longer than its Content-Range.");
    }
    // Bytes between are missing: the answer says what is here.
    if (!mine_.writer || skip_ < 0) return;
    int64_t known = std::min<int64_t>(skip_, static_cast<int64_t>(bytes.size()));
    skip_ -= known;
    bytes = bytes.subspan(static_cast<size_t>(known));
    if (bytes.empty()) return;
    mine_.writer->Append(bytes).value();
    if (mine_.writer->size() - synced_ >= kSyncEvery) synced_ = uploads_.SyncAndNote(mine_);
  }

  net::Response Finish() override {
    std::unique_lock hold = turn_.Hold();
    if (mine_.record.generation) return Answer(FindObject());
    declared_.Take(mine_.record.metadata);
    if (!mine_.writer) {
      // Committed before a crash, its row was not.
      return Answer(uploads_.Complete(mine_.id, mine_.record,
                                      uploads_.SumsOfCommitted(mine_.record.draft), declared_));
    }
    if (whole_ && !range_.total) range_.total = taken_;
    int64_t have = mine_.writer->size();
    if (range_.total && have > *range_.total) {
      throw Failure(Code::kInvalid, "badRequest",
                    "More bytes were sent than the upload has in all.");
    }
    bool all = range_.total == have;
    if (!all) return Incomplete(uploads_.Suspend(mine_));
    return Answer(Commit());
  }

 private:
  // A size that was told once stays: bytes of another are refused, while a mere question gets its answer.
  void CheckTotal() {
    bool other =
        range_.bytes && range_.total && mine_.record.total && range_.total != mine_.record.total;
    if (other && !mine_.record.generation) {
      throw Failure(Code::kInvalid, "badRequest",
                    fmt::format("The upload was begun with {} bytes in all, not {}.",
                                *mine_.record.total, *range_.total));
    }
    if (mine_.record.total) range_.total = mine_.record.total;
  }

  int64_t First() const {
    if (whole_) return 0;
    return range_.bytes ? range_.bytes->first : mine_.writer->size();
  }

  ObjectRow Commit() {
    BlobInfo info = mine_.writer->Commit().value();
    std::unique_ptr<BlobWriter> held = std::move(mine_.writer);  // until the row is in
    try {
      return uploads_.Complete(mine_.id, mine_.record, info, declared_);
    } catch (const Failure&) {
      held.reset();
      if (mine_.record.draft.empty()) uploads_.store_.DropFreed({info.id});
      throw;
    }
  }

  ObjectRow FindObject() const {
    return uploads_.store_.Find(
        {mine_.record.bucket, mine_.record.metadata.name, mine_.record.generation}, {});
  }

  net::Response Answer(const ObjectRow& row) const {
    if (finished_) return finished_(row);
    std::shared_ptr<const api::storage::Bucket> home =
        BucketToShow(uploads_.catalog_, mine_.record.bucket, shape_);
    return JsonReply(
        ShowObject(row, mine_.record.bucket, mine_.record.metadata.name, shape_, home.get()),
        shape_);
  }

  ResumableUploads& uploads_;
  const Finished finished_;
  const ReplyShape shape_;
  const Turn turn_;
  Attempt& mine_ = turn_.attempt();  // used under turn_.Hold() only
  ContentRange range_;
  bool whole_ = false;  // no Content-Range: the body is all there is
  DeclaredSums declared_;
  // Bytes to come that are here already; negative: so many are missing before them.
  int64_t skip_ = 0;
  int64_t taken_ = 0;
  int64_t synced_ = 0;
};

std::unique_ptr<net::BodySink> ResumableUploads::Start(UploadTarget target, const net::Call& call) {
  return std::make_unique<StartSink>(*this, std::move(target), call.http);
}

std::unique_ptr<net::BodySink> ResumableUploads::Continue(const api::storage::UploadObject& request,
                                                          const net::Call& call,
                                                          Finished finished) {
  return std::make_unique<ChunkSink>(*this, request.upload_id, request.bucket, call.http,
                                     std::move(finished));
}

ResumableUploads::Turn::Turn(ResumableUploads& uploads, const std::string& id)
    : uploads_(uploads), attempt_(std::make_shared<Attempt>(id)) {
  // Whoever takes over from this one waits until the one before has left its bytes.
  std::lock_guard lock(attempt_->mu);
  std::shared_ptr<Attempt> before =
      uploads.turns_.With([&](auto& turns) { return std::exchange(turns[id], attempt_); });
  if (before) uploads.End(*before);
}

ResumableUploads::Turn::~Turn() {
  uploads_.End(*attempt_);
  uploads_.turns_.With([&](auto& turns) {
    auto it = turns.find(attempt_->id);
    if (it != turns.end() && it->second == attempt_) turns.erase(it);
  });
}

std::unique_lock<std::mutex> ResumableUploads::Turn::Hold() const {
  std::unique_lock lock(attempt_->mu);
  if (attempt_->over) {
    throw Failure(Code::kUnavailable, "Another request went on with this upload.");
  }
  return lock;
}

// A client that broke off asks later how far it got: what came is kept.
void ResumableUploads::End(Attempt& attempt) {
  std::lock_guard lock(attempt.mu);
  if (std::exchange(attempt.over, true) || !attempt.writer) return;
  try {
    Suspend(attempt);
  } catch (const Failure&) {
    // What was durable before is; the client goes on from there.
    attempt.writer.reset();
  }
}

int64_t ResumableUploads::Suspend(Attempt& attempt) {
  if (attempt.record.draft.empty() && attempt.writer->size() == 0) {
    BlobId nothing = attempt.writer->id();
    attempt.writer.reset();
    store_.DropFreed({nothing});
    return 0;
  }
  int64_t have = SyncAndNote(attempt);
  KeepWriter(attempt.id, std::move(attempt.writer));
  return have;
}

int64_t ResumableUploads::SyncAndNote(Attempt& attempt) {
  UploadRecord& record = attempt.record;
  int64_t have = attempt.writer->Sync().value();
  if (!record.draft.empty() && record.total == attempt.total) return have;
  NoteDraft(attempt.id, attempt.writer->id(), attempt.total);
  record.draft = attempt.writer->id();
  record.total = attempt.total;
  return have;
}

std::string ResumableUploads::Begin(const UploadTarget& target, std::optional<int64_t> total) {
  store_.stored().RequireRoom(target.bucket, target.metadata.name, target.owner, total.value_or(0));
  UploadRecord record;
  static_cast<api::storage::ObjectConditions&>(record) = target.conditions;
  record.bucket = target.bucket;
  record.metadata = target.metadata;
  record.predefined_acl = target.predefined_acl;
  record.owner = target.owner;
  record.may_replace = target.may_replace;
  record.total = total;
  record.created = clock_.Now();
  std::string id = random_.Hex(kSecretBytes);
  catalog_.Write(
      "upload start", [&](Txn& txn) { txn.Put(id, record, 0); }, Lane::kBulk);
  return id;
}

void ResumableUploads::NoteDraft(const std::string& id, const BlobId& draft,
                                 std::optional<int64_t> total) {
  catalog_.Write(
      "upload note",
      [&](Txn& txn) {
        std::optional<Row<UploadRecord>> row = txn.Find<UploadRecord>(id);
        if (!row) throw Failure(Code::kNotFound, "No such upload.");
        if (row->value.draft.empty()) AddBlobRef(txn, draft);
        row->value.draft = draft;
        row->value.total = total;
        txn.Put(id, row->value);
      },
      Lane::kBulk);
}

UploadRecord ResumableUploads::Find(const std::string& id) const {
  std::optional<Row<UploadRecord>> row =
      Query(catalog_, [&](Txn& txn) { return txn.Find<UploadRecord>(id); });
  if (!row) throw Failure(Code::kNotFound, "No such upload.");
  return std::move(row->value);
}

// Null when the draft was committed already.
std::unique_ptr<BlobWriter> ResumableUploads::TakeWriter(const std::string& id,
                                                         const UploadRecord& record) {
  if (record.draft.empty()) return blobs_.Create().value();
  std::unique_ptr<BlobWriter> writer = open_.With([&](auto& open) -> std::unique_ptr<BlobWriter> {
    auto it =
        std::find_if(open.begin(), open.end(), [&](const OpenWriter& w) { return w.upload == id; });
    if (it == open.end()) return nullptr;
    std::unique_ptr<BlobWriter> found = std::move(it->writer);
    open.erase(it);
    return found;
  });
  if (writer) return writer;
  Result<std::unique_ptr<BlobWriter>> resumed = blobs_.Resume(record.draft);
  if (!resumed.ok() && resumed.error().code == Code::kExists) return nullptr;
  return std::move(resumed).value();
}

void ResumableUploads::KeepWriter(const std::string& id, std::unique_ptr<BlobWriter> writer) {
  std::list<OpenWriter> closing;  // closed after the lock
  open_.With([&](auto& open) {
    open.push_front({id, std::move(writer)});
    if (open.size() > kOpenWriters) closing.splice(closing.begin(), open, std::prev(open.end()));
  });
}

ObjectRow ResumableUploads::Complete(const std::string& id, const UploadRecord& record,
                                     const BlobInfo& info, const DeclaredSums& declared) {
  try {
    declared.Check(info);
    NewObject object = TargetOf(record).Object(catalog_);
    object.row.size = info.size;
    object.row.crc32c = info.crc32c;
    object.row.md5 = info.md5;
    object.row.parts = {{info.id, info.size}};
    return store_.Insert(object, [&](Txn& txn, const ObjectRow& row) {
      if (!txn.Find<UploadRecord>(id)) throw Failure(Code::kNotFound, "No such upload.");
      UploadRecord complete = record;
      complete.draft.clear();
      complete.generation = row.generation;
      txn.Put(id, complete);
      // The object refers to it now.
      if (!record.draft.empty()) ReleaseBlobRef(txn, record.draft);
    });
  } catch (const Failure& failure) {
    // Refused for good: the same bytes cannot become this object any more.
    Code code = failure.error().code;
    bool final_refusal =
        code == Code::kPrecondition || code == Code::kInvalid || code == Code::kNotFound;
    if (final_refusal) Forget(id);
    throw;
  }
}

BlobInfo ResumableUploads::SumsOfCommitted(const BlobId& blob) const {
  std::shared_ptr<BlobReader> reader = blobs_.Open(blob).value();
  std::vector<std::byte> buffer(kReadBuffer);
  Hasher md5(Digest::kMd5);
  BlobInfo info{blob, 0, 0, ""};
  while (info.size < reader->size()) {
    size_t got = reader->ReadAt(info.size, buffer).value();
    std::span<const std::byte> bytes = std::span(buffer).subspan(0, got);
    info.crc32c = Crc32c(bytes, info.crc32c);
    md5.Update(bytes);
    info.size += static_cast<int64_t>(got);
  }
  info.md5 = md5.Current();
  return info;
}

void ResumableUploads::Cancel(const std::string& id) {
  Find(id);
  Forget(id);
}

void ResumableUploads::Forget(const std::string& id) {
  std::vector<BlobId> freed = Update(catalog_, "upload end", [&](Txn& txn) {
    std::vector<BlobId> drafts;
    std::optional<Row<UploadRecord>> row = txn.Find<UploadRecord>(id);
    if (!row) return drafts;
    txn.Erase<UploadRecord>(id);
    const std::string& draft = row->value.draft;
    if (!draft.empty() && ReleaseBlobRef(txn, draft)) drafts.push_back(draft);
    return drafts;
  });
  open_.With(
      [&](auto& open) { open.remove_if([&](const OpenWriter& w) { return w.upload == id; }); });
  store_.DropFreed(freed);
}

void ResumableUploads::ExpireBefore(Time limit) {
  ForEach<UploadRecord>(catalog_, {}, [&](const auto& row) {
    if (row.value.created < limit) Forget(row.key);
  });
}

}  // namespace fireweed::storage
