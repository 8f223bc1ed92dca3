#include "crash/depot.h"

namespace fireweed::crash {
namespace {

constexpr std::string_view kCount = "count";
constexpr const char* kCountKeys[] = {"a", "m", "z"};
constexpr int kCheckpointPages = 24;  // so that a short run has several checkpoints

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

}  // namespace

Depot::Depot(Disk& disk, uint64_t life)
    : clock_(FromMicros(1'700'000'000'000'000) + std::chrono::hours(life)),
      random_(life),
      ids_(clock_, random_),
      vfs_(Prepared(disk)),
      catalog_(CatalogOptions(vfs_), logger_),
      blobs_(FileBlobStore::Open(disk, kBlobsPath, ids_, {.reserve_bytes = 0}).value()) {}

void Depot::Count(int64_t count) {
  catalog_.Write("count", [&](Txn& txn) {
    for (const char* key : kCountKeys) {
      txn.PutRaw(kCount, key, std::to_string(count), std::nullopt);
    }
  });
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
