// The order that a storage service has to keep, and nothing else: bytes durable, then the row, then the writer
// let go, then the old blob dropped.
#include <sstream>
#include <utility>

#include "base/bytes.h"
#include "base/checksum.h"
#include "blob/running_sums.h"
#include "crash/depot.h"

namespace fireweed::crash {
namespace {

constexpr std::string_view kObject = "object";
constexpr std::string_view kReference = "reference";  // by blob id: what sweep asks for
constexpr std::string_view kUpload = "upload";        // by draft; the name of the object to be
constexpr size_t kPieceBytes = 700;  // several writes per blob, none on a sector boundary
constexpr int kRows = 100000;

std::string Encode(const BlobInfo& info) {
  std::ostringstream out;
  out << info.id << ' ' << info.size << ' ' << info.crc32c << ' ' << HexEncode(info.md5);
  return out.str();
}

BlobInfo Decode(const std::string& body) {
  std::istringstream in(body);
  BlobInfo info;
  std::string md5;
  in >> info.id >> info.size >> info.crc32c >> md5;
  if (!in) throw Failure(Code::kInternal, "unreadable object row: " + body);
  info.md5 = HexDecode(md5).value_or("");
  return info;
}

void AppendInPieces(BlobWriter& writer, std::string_view content) {
  while (!content.empty()) {
    std::string_view piece = content.substr(0, kPieceBytes);
    writer.Append(AsBytes(piece)).value();
    content.remove_prefix(piece.size());
  }
}

class PlainDepot final : public Depot {
 public:
  using Depot::Depot;

  void Put(const std::string& name, std::string_view content) override {
    std::unique_ptr<BlobWriter> writer = blobs_->Create().value();
    AppendInPieces(*writer, content);
    BlobInfo info = writer->Commit().value();
    Name(name, info, std::move(writer), std::nullopt);
  }

  void Remove(const std::string& name) override {
    auto old = Update(catalog_, "object delete", [&](Txn& txn) {
      std::optional<RawRow> before = txn.FindRaw(kObject, name);
      if (!before) return before;
      txn.EraseRaw(kObject, name);
      txn.EraseRaw(kReference, Decode(before->body).id);
      return before;
    });
    if (old) blobs_->Drop(Decode(old->body).id).value();
  }

  UploadKey Begin(const std::string& name) override {
    std::unique_ptr<BlobWriter> writer = blobs_->Create().value();
    writer->Sync().value();
    catalog_.Write("upload begin",
                   [&](Txn& txn) { txn.PutRaw(kUpload, writer->id(), name, std::nullopt); });
    return writer->id();
  }

  int64_t Send(const UploadKey& draft, int64_t at, std::string_view piece) override {
    std::unique_ptr<BlobWriter> writer = blobs_->Resume(draft).value();
    if (writer->size() != at) throw Failure(Code::kRange, "the upload is elsewhere");
    AppendInPieces(*writer, piece);
    return writer->Sync().value();
  }

  void Finish(const UploadKey& draft, int64_t) override {
    auto upload = Query(catalog_, [&](Txn& txn) { return txn.FindRaw(kUpload, draft); });
    if (!upload) throw Failure(Code::kNotFound, "no such upload");
    Result<std::unique_ptr<BlobWriter>> resumed = blobs_->Resume(draft);
    if (resumed) {
      BlobInfo info = (*resumed)->Commit().value();
      return Name(upload->body, info, std::move(*resumed), draft);
    }
    if (resumed.error().code != Code::kExists) throw Failure(resumed.error());
    // Committed in an earlier life, which did not come to its row.
    RunningSums sums;
    sums.Add(AsBytes(Read(draft)));
    Name(upload->body, sums.For(draft), nullptr, draft);
  }

  SweepReport Sweep() override {
    auto is_referenced = [&](const BlobId& id) {
      return Query(catalog_, [&](Txn& txn) {
        return txn.FindRaw(kReference, id).has_value() || txn.FindRaw(kUpload, id).has_value();
      });
    };
    return fireweed::Sweep(*blobs_, is_referenced, {}, clock_.Now()).value();
  }

  std::vector<FoundObject> Objects() override {
    std::vector<FoundObject> objects;
    for (const RawRow& row : Rows(kObject)) {
      FoundObject& object = objects.emplace_back(FoundObject{row.key, "", std::nullopt});
      try {
        BlobInfo info = Decode(row.body);
        object.content = Read(info.id);
        RunningSums sums;
        sums.Add(AsBytes(object.content));
        if (Encode(sums.For(info.id)) != row.body) object.problem = "other bytes than its row says";
      } catch (const Failure& failure) {
        object.problem = failure.what();
      }
    }
    return objects;
  }

  FoundUpload Look(const UploadKey& draft) override {
    auto upload = Query(catalog_, [&](Txn& txn) { return txn.FindRaw(kUpload, draft); });
    if (!upload) return {};
    Result<std::unique_ptr<BlobWriter>> resumed = blobs_->Resume(draft);
    if (resumed) return {true, (*resumed)->size(), (*resumed)->Sums().md5};
    Finish(draft, 0);
    return {};
  }

  std::set<BlobId> ReferredTo() override {
    std::set<BlobId> ids;
    for (const RawRow& row : Rows(kObject)) ids.insert(Decode(row.body).id);
    for (const RawRow& row : Rows(kUpload)) ids.insert(row.key);
    return ids;
  }

 private:
  std::vector<RawRow> Rows(std::string_view kind) {
    return Query(catalog_, [&](Txn& txn) { return txn.ScanRaw(kind, {.limit = kRows}); });
  }

  // Commits the row of an object, and drops the blob that it replaces. `draft`: the upload it ends, if any.
  void Name(const std::string& name, const BlobInfo& info, std::unique_ptr<BlobWriter> holding,
            const std::optional<BlobId>& draft) {
    std::string body = Encode(info);
    auto old = Update(
        catalog_, "object put",
        [&](Txn& txn) {
          std::optional<RawRow> before = txn.FindRaw(kObject, name);
          txn.PutRaw(kObject, name, body, std::nullopt);
          txn.PutRaw(kReference, info.id, name, std::nullopt);
          if (before) txn.EraseRaw(kReference, Decode(before->body).id);
          if (draft) txn.EraseRaw(kUpload, *draft);
          return before;
        },
        Lane::kBulk);
    holding.reset();
    if (old) blobs_->Drop(Decode(old->body).id).value();
  }
};

}  // namespace

std::unique_ptr<Depot> MakePlainDepot(Disk& disk, uint64_t life) {
  return std::make_unique<PlainDepot>(disk, life);
}

}  // namespace fireweed::crash
