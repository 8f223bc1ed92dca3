#include "catalog/sqlite_disk_vfs.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "catalog/sqlite_file_locks.h"

namespace fireweed {
namespace {

constexpr int kMaxPath = 1024;
constexpr int kSectorSize = 4096;

std::string ParentOf(const std::string& path) {
  std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

}  // namespace

class SqliteDiskLayer {
 public:
  explicit SqliteDiskLayer(Disk& disk);

  std::shared_ptr<SqliteFileLocks> LocksOf(const std::string& path) {
    std::lock_guard lock(mu_);
    std::shared_ptr<SqliteFileLocks> known = locks_[path].lock();
    if (!known) locks_[path] = known = std::make_shared<SqliteFileLocks>();
    return known;
  }

  // SQLite's code for a call of this kind that failed.
  int CodeFor(const Error& error, int code) {
    bool full = error.code == Code::kExhausted;
    last_errno = full ? ENOSPC : EIO;
    return full ? SQLITE_FULL : code;
  }

  Disk& disk;
  std::string name;
  sqlite3_vfs vfs{};
  std::atomic<int> last_errno{0};

 private:
  std::mutex mu_;
  std::map<std::string, std::weak_ptr<SqliteFileLocks>> locks_;  // guarded by mu_
};

namespace {

// One handle of SQLite's on a file.
struct Handle {
  SqliteDiskLayer& layer;
  std::string path;
  std::unique_ptr<File> file;
  std::shared_ptr<SqliteFileLocks> locks;
  SqliteFileLocks::Holder holder;
  bool name_is_new = false;  // the directory must be synced with the first sync of the file
  bool delete_on_close = false;
};

// What SQLite allocates for us.
struct SqliteFile {
  sqlite3_file base;
  Handle* handle;
};

Handle& Of(sqlite3_file* file) { return *reinterpret_cast<SqliteFile*>(file)->handle; }
SqliteDiskLayer& Of(sqlite3_vfs* vfs) { return *static_cast<SqliteDiskLayer*>(vfs->pAppData); }

int Close(sqlite3_file* file) {
  Handle& handle = Of(file);
  handle.locks->UnlockSlots(handle.holder, 0, SqliteFileLocks::kLogSlots);
  handle.locks->Lower(handle.holder, SqliteFileLocks::kNone);
  handle.file.reset();
  int code = SQLITE_OK;
  if (handle.delete_on_close) {
    Result<> removed = handle.layer.disk.Remove(handle.path);
    if (!removed) code = SQLITE_IOERR_DELETE;
  }
  delete &handle;
  file->pMethods = nullptr;
  return code;
}

int Read(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
  Handle& handle = Of(file);
  auto bytes = std::span(static_cast<std::byte*>(out), static_cast<size_t>(size));
  Result<size_t> got = handle.file->ReadAt(offset, bytes);
  if (!got) {
    handle.layer.last_errno = EIO;
    return SQLITE_IOERR_READ;
  }
  if (*got == bytes.size()) return SQLITE_OK;
  std::memset(bytes.data() + *got, 0, bytes.size() - *got);
  return SQLITE_IOERR_SHORT_READ;
}

int Write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
  Handle& handle = Of(file);
  auto bytes = std::span(static_cast<const std::byte*>(data), static_cast<size_t>(size));
  Result<> written = handle.file->WriteAt(offset, bytes);
  return written ? SQLITE_OK : handle.layer.CodeFor(written.error(), SQLITE_IOERR_WRITE);
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  Handle& handle = Of(file);
  Result<> done = handle.file->Truncate(size);
  return done ? SQLITE_OK : handle.layer.CodeFor(done.error(), SQLITE_IOERR_TRUNCATE);
}

int Sync(sqlite3_file* file, int) {
  Handle& handle = Of(file);
  Result<> synced = handle.file->Sync();
  if (!synced) return handle.layer.CodeFor(synced.error(), SQLITE_IOERR_FSYNC);
  if (!handle.name_is_new) return SQLITE_OK;
  Result<> named = handle.layer.disk.SyncDirectory(ParentOf(handle.path));
  if (!named) return handle.layer.CodeFor(named.error(), SQLITE_IOERR_DIR_FSYNC);
  handle.name_is_new = false;
  return SQLITE_OK;
}

int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  Handle& handle = Of(file);
  Result<int64_t> now = handle.file->Size();
  if (!now) return handle.layer.CodeFor(now.error(), SQLITE_IOERR_FSTAT);
  *size = *now;
  return SQLITE_OK;
}

int Lock(sqlite3_file* file, int level) {
  Handle& handle = Of(file);
  auto wanted = static_cast<SqliteFileLocks::Level>(level);
  return handle.locks->Raise(handle.holder, wanted) ? SQLITE_OK : SQLITE_BUSY;
}

int Unlock(sqlite3_file* file, int level) {
  Handle& handle = Of(file);
  handle.locks->Lower(handle.holder, static_cast<SqliteFileLocks::Level>(level));
  return SQLITE_OK;
}

int CheckReservedLock(sqlite3_file* file, int* reserved) {
  *reserved = Of(file).locks->AnyoneReserved() ? 1 : 0;
  return SQLITE_OK;
}

int FileControl(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int SectorSize(sqlite3_file*) { return kSectorSize; }
// As the system's own layer says of Linux file systems: a write does not harm the bytes beside it.
int DeviceCharacteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

int ShmMap(sqlite3_file* file, int index, int size, int make, void volatile** out) {
  *out = Of(file).locks->Region(index, size, make != 0);
  return SQLITE_OK;
}

int ShmLock(sqlite3_file* file, int first, int count, int flags) {
  Handle& handle = Of(file);
  if ((flags & SQLITE_SHM_UNLOCK) != 0) {
    handle.locks->UnlockSlots(handle.holder, first, count);
    return SQLITE_OK;
  }
  bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
  return handle.locks->LockSlots(handle.holder, first, count, exclusive) ? SQLITE_OK : SQLITE_BUSY;
}

void ShmBarrier(sqlite3_file* file) { Of(file).locks->Barrier(); }

// The memory goes with the last handle.
int ShmUnmap(sqlite3_file* file, int) {
  Handle& handle = Of(file);
  handle.locks->UnlockSlots(handle.holder, 0, SqliteFileLocks::kLogSlots);
  return SQLITE_OK;
}

constexpr sqlite3_io_methods kMethods = {2,
                                         Close,
                                         Read,
                                         Write,
                                         Truncate,
                                         Sync,
                                         FileSize,
                                         Lock,
                                         Unlock,
                                         CheckReservedLock,
                                         FileControl,
                                         SectorSize,
                                         DeviceCharacteristics,
                                         ShmMap,
                                         ShmLock,
                                         ShmBarrier,
                                         ShmUnmap,
                                         nullptr,
                                         nullptr};

OpenMode ModeOf(int flags) {
  if ((flags & SQLITE_OPEN_CREATE) != 0) return OpenMode::kCreate;
  return (flags & SQLITE_OPEN_READWRITE) != 0 ? OpenMode::kReadWrite : OpenMode::kRead;
}

int Open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* flags_out) {
  SqliteDiskLayer& layer = Of(vfs);
  file->pMethods = nullptr;
  // Temporary files are kept in memory (PRAGMA temp_store); only names that matter come here.
  if (path == nullptr) return SQLITE_CANTOPEN;
  Result<bool> there = layer.disk.Exists(path);
  if (!there) return layer.CodeFor(there.error(), SQLITE_CANTOPEN);
  Result<std::unique_ptr<File>> opened = layer.disk.Open(path, ModeOf(flags));
  if (!opened) return layer.CodeFor(opened.error(), SQLITE_CANTOPEN);
  auto handle =
      std::make_unique<Handle>(Handle{layer, path, std::move(*opened), layer.LocksOf(path)});
  handle->name_is_new = !*there;
  handle->delete_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
  reinterpret_cast<SqliteFile*>(file)->handle = handle.release();
  file->pMethods = &kMethods;
  if (flags_out != nullptr) *flags_out = flags;
  return SQLITE_OK;
}

int Delete(sqlite3_vfs* vfs, const char* path, int sync_directory) {
  SqliteDiskLayer& layer = Of(vfs);
  Result<> removed = layer.disk.Remove(path);
  if (!removed) {
    bool absent = removed.error().code == Code::kNotFound;
    return absent ? SQLITE_IOERR_DELETE_NOENT : layer.CodeFor(removed.error(), SQLITE_IOERR_DELETE);
  }
  if (sync_directory == 0) return SQLITE_OK;
  Result<> synced = layer.disk.SyncDirectory(ParentOf(path));
  return synced ? SQLITE_OK : layer.CodeFor(synced.error(), SQLITE_IOERR_DIR_FSYNC);
}

// An empty file counts as absent, as with the system's own layer: a journal without bytes is no
// journal.
int Access(sqlite3_vfs* vfs, const char* path, int, int* out) {
  SqliteDiskLayer& layer = Of(vfs);
  *out = 0;
  Result<bool> there = layer.disk.Exists(path);
  if (!there) return layer.CodeFor(there.error(), SQLITE_IOERR_ACCESS);
  if (!*there) return SQLITE_OK;
  Result<std::unique_ptr<File>> file = layer.disk.Open(path, OpenMode::kRead);
  if (!file) return layer.CodeFor(file.error(), SQLITE_IOERR_ACCESS);
  Result<int64_t> size = (*file)->Size();
  if (!size) return layer.CodeFor(size.error(), SQLITE_IOERR_ACCESS);
  *out = *size > 0 ? 1 : 0;
  return SQLITE_OK;
}

int FullPathname(sqlite3_vfs*, const char* path, int size, char* out) {
  size_t length = std::strlen(path);
  if (length >= static_cast<size_t>(size)) return SQLITE_CANTOPEN;
  std::memcpy(out, path, length + 1);
  return SQLITE_OK;
}

// Time, pauses and random bits are no matter of the disk: the system's own layer has them.
int Randomness(sqlite3_vfs*, int size, char* out) {
  sqlite3_vfs* system = sqlite3_vfs_find("unix");
  return system->xRandomness(system, size, out);
}
int Sleep(sqlite3_vfs*, int micros) {
  sqlite3_vfs* system = sqlite3_vfs_find("unix");
  return system->xSleep(system, micros);
}
int CurrentTime(sqlite3_vfs*, double* out) {
  sqlite3_vfs* system = sqlite3_vfs_find("unix");
  return system->xCurrentTime(system, out);
}
int CurrentTimeInt64(sqlite3_vfs*, sqlite3_int64* out) {
  sqlite3_vfs* system = sqlite3_vfs_find("unix");
  return system->xCurrentTimeInt64(system, out);
}
int GetLastError(sqlite3_vfs* vfs, int, char*) { return Of(vfs).last_errno; }

}  // namespace

SqliteDiskLayer::SqliteDiskLayer(Disk& disk)
    : disk(disk), name(fmt::format("fireweed-disk-{}", static_cast<void*>(this))) {
  vfs.iVersion = 2;
  vfs.szOsFile = sizeof(SqliteFile);
  vfs.mxPathname = kMaxPath;
  vfs.zName = name.c_str();
  vfs.pAppData = this;
  vfs.xOpen = Open;
  vfs.xDelete = Delete;
  vfs.xAccess = Access;
  vfs.xFullPathname = FullPathname;
  vfs.xRandomness = Randomness;
  vfs.xSleep = Sleep;
  vfs.xCurrentTime = CurrentTime;
  vfs.xGetLastError = GetLastError;
  vfs.xCurrentTimeInt64 = CurrentTimeInt64;
}

SqliteDiskVfs::SqliteDiskVfs(Disk& disk) : layer_(std::make_unique<SqliteDiskLayer>(disk)) {
  int code = sqlite3_vfs_register(&layer_->vfs, 0);
  if (code != SQLITE_OK) Abort("SQLite takes no file layer");
}

SqliteDiskVfs::~SqliteDiskVfs() { sqlite3_vfs_unregister(&layer_->vfs); }

const char* SqliteDiskVfs::name() const { return layer_->name.c_str(); }

}  // namespace fireweed
