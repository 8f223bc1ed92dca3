#include "crash/depot.h"

#include <cstring>
#include <sstream>
#include <utility>

#include "base/bytes.h"
#include "blob/running_sums.h"

namespace fireweed::crash {
namespace {

constexpr std::string_view kObject = "object";
constexpr std::string_view kReference = "reference";  // by blob id: what sweep asks for
constexpr std::string_view kUpload = "upload";        // by draft
constexpr std::string_view kCount = "count";
constexpr const char* kCountKeys[] = {"a", "m", "z"};
constexpr size_t kPieceBytes = 700;   // several writes per blob, none on a sector boundary
constexpr int kCheckpointPages = 24;  // so that a short run has several checkpoints
constexpr int kRows = 100000;

std::string Encode(const ObjectRow& row) {
  std::ostringstream out;
  out << row.blob << ' ' << row.size << ' ' << row.crc32c << ' ' << HexEncode(row.md5);
  return out.str();
}

ObjectRow Decode(const std::string& body) {
  std::istringstream in(body);
  ObjectRow row;
  std::string md5;
  in >> row.blob >> row.size >> row.crc32c >> md5;
  if (!in) throw Failure(Code::kInternal, "unreadable object row: " + body);
  row.md5 = HexDecode(md5).value_or("");
  return row;
}

SqliteCatalogOptions CatalogOptions(const SqliteDiskVfs& vfs) {
  SqliteCatalogOptions options;
  options.path = Depot::kCatalogPath;
  options.vfs = vfs.name();
  options.checkpoint_pages = kCheckpointPages;
  options.checkpoints = SqliteCatalogOptions::Checkpoints::kInline;
  return options;
}

Disk& Prepared(Disk& disk) {
  disk.MakeDirectories("state").value();
  disk.SyncDirectory(".").value();
  return disk;
}

void AppendInPieces(BlobWriter& writer, std::string_view content) {
  while (!content.empty()) {
    std::string_view piece = content.substr(0, kPieceBytes);
    writer.Append(AsBytes(piece)).value();
    content.remove_prefix(piece.size());
  }
}

}  // namespace

Depot::Depot(Disk& disk, uint64_t life)
    : clock_(FromMicros(1'700'000'000'000'000) + std::chrono::hours(life)),
      random_(life),
      ids_(clock_, random_),
      vfs_(Prepared(disk)),
      catalog_(CatalogOptions(vfs_), logger_),
      blobs_(FileBlobStore::Open(disk, "state/objects", ids_, {.reserve_bytes = 0}).value()) {}

void Depot::Put(const std::string& name, std::string_view content) {
  std::unique_ptr<BlobWriter> writer = blobs_->Create().value();
  AppendInPieces(*writer, content);
  BlobInfo info = writer->Commit().value();
  Name(name, info, std::move(writer), std::nullopt);
}

void Depot::Name(const std::string& name, const BlobInfo& info, std::unique_ptr<BlobWriter> holding,
                 const std::optional<BlobId>& draft) {
  std::string body = Encode({info.id, info.size, info.crc32c, info.md5});
  auto old = Update(
      catalog_, "object put",
      [&](Txn& txn) {
        std::optional<RawRow> before = txn.FindRaw(kObject, name);
        txn.PutRaw(kObject, name, body, std::nullopt);
        txn.PutRaw(kReference, info.id, name, std::nullopt);
        if (before) txn.EraseRaw(kReference, Decode(before->body).blob);
        if (draft) txn.EraseRaw(kUpload, *draft);
        return before;
      },
      Lane::kBulk);
  holding.reset();
  if (old) blobs_->Drop(Decode(old->body).blob).value();
}

void Depot::Remove(const std::string& name) {
  auto old = Update(catalog_, "object delete", [&](Txn& txn) {
    std::optional<RawRow> before = txn.FindRaw(kObject, name);
    if (!before) return before;
    txn.EraseRaw(kObject, name);
    txn.EraseRaw(kReference, Decode(before->body).blob);
    return before;
  });
  if (old) blobs_->Drop(Decode(old->body).blob).value();
}

BlobId Depot::Begin() {
  std::unique_ptr<BlobWriter> writer = blobs_->Create().value();
  writer->Sync().value();
  catalog_.Write("upload begin",
                 [&](Txn& txn) { txn.PutRaw(kUpload, writer->id(), "open", std::nullopt); });
  return writer->id();
}

int64_t Depot::Send(const BlobId& draft, std::string_view piece) {
  std::unique_ptr<BlobWriter> writer = blobs_->Resume(draft).value();
  AppendInPieces(*writer, piece);
  return writer->Sync().value();
}

void Depot::Finish(const BlobId& draft, const std::string& name) {
  Result<std::unique_ptr<BlobWriter>> resumed = blobs_->Resume(draft);
  if (resumed) {
    BlobInfo info = (*resumed)->Commit().value();
    return Name(name, info, std::move(*resumed), draft);
  }
  if (resumed.error().code != Code::kExists) throw Failure(resumed.error());
  // Committed in an earlier life, which did not come to its row.
  RunningSums sums;
  sums.Add(AsBytes(Read(draft)));
  Name(name, sums.For(draft), nullptr, draft);
}

void Depot::Count(int64_t count) {
  catalog_.Write("count", [&](Txn& txn) {
    for (const char* key : kCountKeys) {
      txn.PutRaw(kCount, key, std::to_string(count), std::nullopt);
    }
  });
}

SweepReport Depot::Sweep() {
  return fireweed::Sweep(
             *blobs_, [&](const BlobId& id) { return IsReferenced(id); }, {}, clock_.Now())
      .value();
}

bool Depot::IsReferenced(const BlobId& id) {
  return Query(catalog_, [&](Txn& txn) {
    return txn.FindRaw(kReference, id).has_value() || txn.FindRaw(kUpload, id).has_value();
  });
}

std::vector<std::pair<std::string, ObjectRow>> Depot::Objects() {
  std::vector<std::pair<std::string, ObjectRow>> objects;
  for (const RawRow& row :
       Query(catalog_, [&](Txn& txn) { return txn.ScanRaw(kObject, {.limit = kRows}); })) {
    objects.emplace_back(row.key, Decode(row.body));
  }
  return objects;
}

std::vector<BlobId> Depot::Uploads() {
  std::vector<BlobId> drafts;
  for (const RawRow& row :
       Query(catalog_, [&](Txn& txn) { return txn.ScanRaw(kUpload, {.limit = kRows}); })) {
    drafts.push_back(row.key);
  }
  return drafts;
}

std::vector<int64_t> Depot::Counts() {
  std::vector<int64_t> counts;
  for (const char* key : kCountKeys) {
    auto row = Query(catalog_, [&](Txn& txn) { return txn.FindRaw(kCount, key); });
    counts.push_back(row ? std::stoll(row->body) : 0);
  }
  return counts;
}

std::string Depot::Read(const BlobId& id) {
  std::shared_ptr<BlobReader> reader = blobs_->Open(id).value();
  std::string text(static_cast<size_t>(reader->size()), '\0');
  text.resize(reader->ReadAt(0, std::as_writable_bytes(std::span(text))).value());
  return text;
}

}  // namespace fireweed::crash
