#include "storage/backup.h"

#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/random.h"
#include "blob/file_blob_store.h"
#include "catalog/sqlite_catalog.h"
#include "describe/json_codec.h"
#include "storage/fsck.h"
#include "storage/part_uploads.h"
#include "storage/small_blobs.h"

namespace fireweed::storage {
namespace {

using api::admin::BackupReport;

constexpr size_t kPiece = 1 << 20;
constexpr const char* kCatalog = "catalog.db";
constexpr const char* kNewCatalog = "catalog.db.new";

// A blob store's files as a plain directory of blobs: what FileBlobStore reads, without its drafts.
std::string ShardOf(const BlobId& id) { return id.substr(8, 2); }

class BlobCopies {
 public:
  BlobCopies(Disk& disk, std::string root) : disk_(disk), blobs_(std::move(root) + "/blobs") {}

  bool Has(const BlobId& id, int64_t size) {
    Result<std::unique_ptr<File>> file = disk_.Open(Path(id), OpenMode::kRead);
    return file.ok() && (*file)->Size().value() == size;
  }

  void Copy(const BlobReader& reader, const BlobId& id, const Pace& pace) {
    std::string shard = blobs_ + "/" + ShardOf(id);
    disk_.MakeDirectories(shard).value();
    std::string part = Path(id) + ".part";
    std::unique_ptr<File> file = disk_.Open(part, OpenMode::kCreate).value();
    file->Truncate(0).value();
    std::vector<std::byte> buffer(kPiece);
    for (int64_t at = 0; at < reader.size();) {
      size_t got = reader.ReadAt(at, buffer).value();
      if (got == 0) throw Failure(Code::kInternal, "blob " + id + " ends early");
      file->WriteAt(at, std::span(buffer).first(got)).value();
      at += static_cast<int64_t>(got);
      if (!pace(static_cast<int64_t>(got)))
        throw Failure(Code::kCancelled, "The copy was broken off.");
    }
    file->Sync().value();
    disk_.Rename(part, Path(id)).value();
    touched_.insert(shard);
  }

  // Every name is durable when this returns.
  void SyncNames() {
    for (const std::string& shard : touched_) disk_.SyncDirectory(shard).value();
    disk_.SyncDirectory(blobs_).value();
    touched_.clear();
  }

  // Removes what is not in `wanted`; how many that were.
  int64_t Prune(const std::map<BlobId, int64_t>& wanted) {
    int64_t removed = 0;
    for (const std::string& shard : disk_.List(blobs_).value()) {
      std::string directory = blobs_ + "/" + shard;
      for (const std::string& name : disk_.List(directory).value()) {
        if (wanted.contains(name)) continue;
        disk_.Remove(directory + "/" + name).value();
        ++removed;
      }
    }
    return removed;
  }

 private:
  std::string Path(const BlobId& id) const { return blobs_ + "/" + ShardOf(id) + "/" + id; }

  Disk& disk_;
  const std::string blobs_;
  std::set<std::string> touched_;
};

// The file under its name is the old one or the new one, never half of either.
void WriteWhole(Disk& disk, const std::string& path, std::string_view text) {
  std::unique_ptr<File> file = disk.Open(path + ".part", OpenMode::kCreate).value();
  file->Truncate(0).value();
  file->WriteAt(0, AsBytes(text)).value();
  file->Sync().value();
  disk.Rename(path + ".part", path).value();
  disk.SyncDirectory(std::filesystem::path(path).parent_path()).value();
}

void RemoveIfThere(Disk& disk, const std::string& path) {
  Result<> removed = disk.Remove(path);
  if (!removed.ok() && removed.error().code != Code::kNotFound) throw Failure(removed.error());
}

// A catalog and what SQLite keeps beside it while it is open.
void RemoveCatalog(Disk& disk, const std::string& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) RemoveIfThere(disk, path + suffix);
}

std::map<BlobId, int64_t> FilesReferredTo(const Catalog& catalog) {
  std::map<BlobId, int64_t> files;
  catalog.Read([&](Txn& txn) {
    files.clear();
    ForEachVersion(txn, [&](const StoredVersion& version) {
      for (const ObjectPart& part : version.row.parts) {
        if (!IsSmallBlob(part.blob)) files[part.blob] = part.size;
      }
      return true;
    });
    // Parts of uploads that go on: joined later, they must be there.
    txn.ForEach<UploadedPart>({},
                              [&](const auto& part) { files[part.value.blob] = part.value.size; });
  });
  return files;
}

void CopyBlobs(const BlobStore& from, const std::map<BlobId, int64_t>& wanted, BlobCopies& to,
               const BackupWorld& world, BackupReport& report) {
  for (const auto& [id, size] : wanted) {
    ++report.blobs;
    report.bytes += size;
    if (to.Has(id, size)) continue;
    Result<std::shared_ptr<BlobReader>> reader = from.Open(id);
    if (!reader.ok()) {
      // The store has lost it; fsck says which object that hurts.
      world.log.Error("blob not copied", {{"blob", id}, {"why", reader.error().message}});
      continue;
    }
    to.Copy(**reader, id, world.pace);
    ++report.copiedBlobs;
    report.copiedBytes += size;
    world.progress(report);
  }
  to.SyncNames();
}

// Reads everything back, and says what does not add up.
void Verify(const Catalog& catalog, const std::string& blobs, const BackupWorld& world,
            BackupReport& report) {
  SeededRandom random(1);  // nothing is made here
  IdSource ids(world.clock, random);
  std::unique_ptr<FileBlobStore> store = FileBlobStore::Open(world.disk, blobs, ids).value();
  api::admin::FsckReport found = Fsck(
      catalog, *store, [](const auto&) {}, world.pace);
  report.objects = found.objects;
  report.problemCount = found.problemCount;
  report.problems = std::move(found.problems);
}

void CopySmallFiles(Disk& disk, const std::string& from, const std::string& to,
                    const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::optional<std::string> text = ReadSmallFile(disk, from + "/" + name);
    if (!text) continue;
    disk.MakeDirectories(std::filesystem::path(to + "/" + name).parent_path()).value();
    WriteWhole(disk, to + "/" + name, *text);
  }
}

void Prepare(Disk& disk, const std::string& directory) {
  disk.MakeDirectories(directory + "/blobs/blobs").value();
  for (const char* level : {"/blobs/blobs", "/blobs", ""}) {
    disk.SyncDirectory(directory + level).value();
  }
}

}  // namespace

// What a backup says of itself; that it is there means that it is complete.
struct BackupNote {
  Time made;
  std::vector<std::string> files;
  BackupReport report;
};

}  // namespace fireweed::storage

namespace fireweed {
template <>
inline constexpr auto kFields<storage::BackupNote> = [](auto...) {
  return Fields{F("made", &storage::BackupNote::made), F("files", &storage::BackupNote::files),
                F("report", &storage::BackupNote::report)};
};
}  // namespace fireweed

namespace fireweed::storage {

std::optional<std::string> ReadSmallFile(Disk& disk, const std::string& path) {
  Result<std::unique_ptr<File>> file = disk.Open(path, OpenMode::kRead);
  if (!file.ok() && file.error().code == Code::kNotFound) return std::nullopt;
  std::string text(static_cast<size_t>(file.value()->Size().value()), '\0');
  text.resize(file.value()->ReadAt(0, std::as_writable_bytes(std::span(text))).value());
  return text;
}

BackupReport MakeBackup(const BackupSource& source, const std::string& directory,
                        const BackupWorld& world) {
  Disk& disk = world.disk;
  BackupReport report;
  report.directory = directory;
  std::vector<std::string> there =
      disk.Exists(directory).value() ? disk.List(directory).value() : std::vector<std::string>();
  bool ours = there.empty() || disk.Exists(directory + "/" + kBackupFile).value() ||
              disk.Exists(directory + "/" + kNewCatalog).value();
  if (!ours) {
    throw Failure(Code::kInvalid, fmt::format("{} is neither empty nor a backup.", directory));
  }
  std::shared_ptr<const void> pause = source.blobs.PauseDrops();
  Prepare(disk, directory);
  std::string fresh = directory + "/" + kNewCatalog;
  RemoveCatalog(disk, fresh);
  source.copy_catalog(fresh);
  std::map<BlobId, int64_t> wanted;
  BlobCopies copies(disk, directory + "/blobs");
  {
    SqliteCatalog catalog({.path = fresh}, world.log);
    wanted = FilesReferredTo(catalog);
    CopyBlobs(source.blobs, wanted, copies, world, report);
    Verify(catalog, directory + "/blobs", world, report);
  }
  CopySmallFiles(disk, source.state, directory, source.files);
  disk.Rename(fresh, directory + "/" + kCatalog).value();
  disk.SyncDirectory(directory).value();
  report.removedBlobs = copies.Prune(wanted);
  WriteWhole(disk, directory + "/" + kBackupFile,
             EncodeJson(BackupNote{world.clock.Now(), source.files, report}));
  return report;
}

BackupReport RestoreBackup(const std::string& directory, const std::string& state,
                           const BackupWorld& world) {
  Disk& disk = world.disk;
  std::optional<std::string> text = ReadSmallFile(disk, directory + "/" + kBackupFile);
  if (!text) throw Failure(Code::kNotFound, fmt::format("{} holds no complete backup.", directory));
  BackupNote note = DecodeJson<BackupNote>(*text);
  std::string catalog_path = state + "/" + kCatalog;
  std::string marker = state + "/" + kRestoringFile;
  bool resumes = disk.Exists(marker).value();
  if (!resumes && disk.Exists(catalog_path).value()) {
    throw Failure(Code::kPrecondition, fmt::format("{} is not empty.", state));
  }
  WriteWhole(disk, marker, directory + "\n");
  Prepare(disk, state);
  RemoveCatalog(disk, catalog_path);
  std::filesystem::copy_file(directory + "/" + kCatalog, catalog_path);
  disk.Open(catalog_path, OpenMode::kReadWrite).value()->Sync().value();
  BackupReport report;
  report.directory = directory;
  {
    SqliteCatalog catalog({.path = catalog_path}, world.log);
    SystemRandom random;
    IdSource ids(world.clock, random);
    std::unique_ptr<FileBlobStore> from =
        FileBlobStore::Open(disk, directory + "/blobs", ids).value();
    BlobCopies copies(disk, state + "/blobs");
    CopyBlobs(*from, FilesReferredTo(catalog), copies, world, report);
    Verify(catalog, state + "/blobs", world, report);
  }
  CopySmallFiles(disk, directory, state, note.files);
  disk.SyncDirectory(state).value();
  disk.Remove(marker).value();
  disk.SyncDirectory(state).value();
  return report;
}

}  // namespace fireweed::storage
