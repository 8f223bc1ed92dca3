#include "machine/image/layer_copy.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "base/unique_fd.h"
#include "machine/image/copy_crew.h"
#include "machine/image/extended_attributes.h"

namespace fireweed {
namespace {

[[noreturn]] void Raise(const std::string& what) { throw Failure(ErrnoError(errno, what)); }

// A directory being copied: both ends stay open while something in it is on its way. Whoever lets go last gives it
// its owner, mode and times, which what is made inside would change.
struct DirectoryPair {
  explicit DirectoryPair(std::atomic<int>& failed) : failed(failed) {}
  ~DirectoryPair() {
    if (!to) return;
    timespec times[2] = {meta.st_atim, meta.st_mtim};
    bool done = fchown(to.get(), meta.st_uid, meta.st_gid) == 0 &&
                fchmod(to.get(), meta.st_mode & 07777) == 0 && futimens(to.get(), times) == 0;
    if (!done) failed = errno;
  }
  DirectoryPair(const DirectoryPair&) = delete;
  DirectoryPair& operator=(const DirectoryPair&) = delete;

  UniqueFd from, to;
  struct stat meta {};
  std::atomic<int>& failed;  // errno of a finish that did not work
};
using Pair = std::shared_ptr<DirectoryPair>;

class DirectoryNames {
 public:
  explicit DirectoryNames(int directory) {
    UniqueFd again(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!again) Raise("reading a directory");
    stream_ = fdopendir(again.get());
    if (!stream_) Raise("reading a directory");
    again.release();
  }
  ~DirectoryNames() { closedir(stream_); }
  DirectoryNames(const DirectoryNames&) = delete;
  DirectoryNames& operator=(const DirectoryNames&) = delete;

  const char* Next() {
    while (dirent* entry = readdir(stream_)) {
      if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) return entry->d_name;
    }
    return nullptr;
  }

 private:
  DIR* stream_ = nullptr;
};

constexpr off_t kPiece = 16 << 20;  // copied before the next look at `stop`

void BreakOff(const std::atomic<bool>& stop) {
  if (stop) throw Failure(Error{Code::kCancelled, "", "the copy was broken off"});
}

// The file's stretches of data one by one, so that holes stay holes.
void CopyData(int from, int to, off_t size, const std::string& name,
              const std::atomic<bool>& stop) {
  if (ioctl(to, FICLONE, from) == 0) return;
  if (ftruncate(to, size) != 0) Raise(name);
  for (off_t at = 0; at < size;) {
    off_t data = lseek(from, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) return;  // a hole up to the end
    if (data < 0) data = at;                 // a file system that does not tell
    off_t end = lseek(from, data, SEEK_HOLE);
    if (end < 0) end = size;
    off_t in = data, out = data;
    while (in < end) {
      BreakOff(stop);
      auto piece = static_cast<size_t>(std::min(end - in, kPiece));
      ssize_t n = copy_file_range(from, &in, to, &out, piece, 0);
      if (n < 0) Raise("copying " + name);
      if (n == 0) return;  // it became shorter meanwhile
    }
    at = end;
  }
}

class LayerCopier {
 public:
  LayerCopier(const std::string& from, const std::string& to, const std::atomic<bool>& stop)
      : from_(from), to_(to), stop_(stop) {}

  LayerCopy Run() {
    if (mkdir(to_.c_str(), 0700) != 0) Raise("making " + to_);
    UniqueFd root(open(to_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!root) Raise("opening " + to_);
    CopyTree(OpenPair(AT_FDCWD, from_.c_str(), AT_FDCWD, to_.c_str()));
    crew_.Finish();
    if (finish_failed_ != 0) throw Failure(ErrnoError(finish_failed_, "finishing a directory"));
    for (const auto& [first, second] : links_) Link(root.get(), first, second);
    return {files_, bytes_};
  }

 private:
  // A directory whose turn has not come. It is opened then: only the way down to it is open meanwhile.
  struct Waiting {
    Pair parent;
    std::string name, path;  // `path` from the root on
  };

  // Not by calling itself: a guest can make trees deeper than a stack.
  void CopyTree(Pair root) {
    std::vector<Waiting> waiting;
    CopyEntries(root, "", waiting);
    root.reset();
    while (!waiting.empty()) {
      Waiting next = std::move(waiting.back());
      waiting.pop_back();
      int from = next.parent->from.get(), to = next.parent->to.get();
      if (mkdirat(to, next.name.c_str(), 0700) != 0) Raise("making " + next.path);
      CopyEntries(OpenPair(from, next.name.c_str(), to, next.name.c_str()), next.path, waiting);
    }
  }

  Pair OpenPair(int from_parent, const char* from, int to_parent, const char* to) {
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    auto pair = std::make_shared<DirectoryPair>(finish_failed_);
    pair->from = UniqueFd(openat(from_parent, from, kFlags));
    if (!pair->from || fstat(pair->from.get(), &pair->meta) != 0)
      Raise(std::string("opening ") + from);
    pair->to = UniqueFd(openat(to_parent, to, kFlags));
    if (!pair->to) Raise(std::string("opening ") + to);
    CopyAttributes(pair->from.get(), pair->to.get());
    return pair;
  }

  void CopyEntries(const Pair& pair, const std::string& path, std::vector<Waiting>& waiting) {
    DirectoryNames names(pair->from.get());
    while (const char* name = names.Next()) {
      BreakOff(stop_);
      std::string below = path.empty() ? name : path + "/" + name;
      struct stat meta {};
      if (fstatat(pair->from.get(), name, &meta, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) continue;  // deleted meanwhile
        Raise("reading " + below);
      }
      if (S_ISDIR(meta.st_mode)) {
        waiting.push_back({pair, name, below});
      } else {
        CopyEntry(pair, name, below, meta);
      }
    }
  }

  void CopyEntry(const Pair& parent, const std::string& name, const std::string& path,
                 const struct stat& meta) {
    ++files_;
    if (meta.st_nlink > 1) {
      auto [known, fresh] = linked_.try_emplace(meta.st_ino, path);
      if (!fresh) {
        // The first name may still be on its way; links are made when all files are there.
        links_.emplace_back(known->second, path);
        return;
      }
    }
    if (S_ISREG(meta.st_mode)) {
      crew_.Add([this, parent, name, path, meta] { CopyFile(*parent, name, path, meta); });
    } else {
      CopySpecial(*parent, name, path, meta);
    }
  }

  void CopySpecial(const DirectoryPair& parent, const std::string& name, const std::string& path,
                   const struct stat& meta) {
    int to = parent.to.get();
    if (S_ISLNK(meta.st_mode)) {
      std::string target(static_cast<size_t>(PATH_MAX), '\0');
      ssize_t size = readlinkat(parent.from.get(), name.c_str(), target.data(), target.size());
      if (size < 0) Raise("reading " + path);
      target.resize(static_cast<size_t>(size));
      if (symlinkat(target.c_str(), to, name.c_str()) != 0) Raise("linking " + path);
    } else {
      bool device = S_ISCHR(meta.st_mode) || S_ISBLK(meta.st_mode);
      bool deleted_name = S_ISCHR(meta.st_mode) && meta.st_rdev == makedev(0, 0);
      if (device && !deleted_name) return;
      if (mknodat(to, name.c_str(), meta.st_mode, meta.st_rdev) != 0) Raise("making " + path);
    }
    if (fchownat(to, name.c_str(), meta.st_uid, meta.st_gid, AT_SYMLINK_NOFOLLOW) != 0) {
      Raise("owning " + path);
    }
    if (!S_ISLNK(meta.st_mode) && fchmodat(to, name.c_str(), meta.st_mode & 07777, 0) != 0) {
      Raise("mode of " + path);
    }
    timespec times[2] = {meta.st_atim, meta.st_mtim};
    if (utimensat(to, name.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0) Raise("times of " + path);
  }

  void CopyFile(const DirectoryPair& parent, const std::string& name, const std::string& path,
                const struct stat& meta) {
    UniqueFd from(openat(parent.from.get(), name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOATIME | O_CLOEXEC));
    if (!from && errno == ENOENT) return;  // deleted meanwhile
    if (!from) Raise("opening " + path);
    UniqueFd to(openat(parent.to.get(), name.c_str(),
                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!to) Raise("making " + path);
    CopyData(from.get(), to.get(), meta.st_size, path, stop_);
    // Owner first: changing it clears set-id bits and capabilities.
    if (fchown(to.get(), meta.st_uid, meta.st_gid) != 0) Raise("owning " + path);
    if (fchmod(to.get(), meta.st_mode & 07777) != 0) Raise("mode of " + path);
    CopyAttributes(from.get(), to.get());
    timespec times[2] = {meta.st_atim, meta.st_mtim};
    if (futimens(to.get(), times) != 0) Raise("times of " + path);
    bytes_ += meta.st_size;
  }

  // A further name of a file. Its directory has its times already, and gets them again.
  static void Link(int root, const std::string& first, const std::string& second) {
    size_t slash = second.rfind('/');
    std::string parent = slash == second.npos ? "." : second.substr(0, slash);
    struct stat meta {};
    if (fstatat(root, parent.c_str(), &meta, 0) != 0) Raise("reading " + parent);
    if (linkat(root, first.c_str(), root, second.c_str(), 0) != 0) {
      if (errno == ENOENT) return;  // the first name was deleted before its turn came
      Raise("linking " + second);
    }
    timespec times[2] = {meta.st_atim, meta.st_mtim};
    if (utimensat(root, parent.c_str(), times, 0) != 0) Raise("times of " + parent);
  }

  const std::string from_, to_;
  const std::atomic<bool>& stop_;
  std::atomic<int> finish_failed_{0};
  std::map<ino_t, std::string> linked_;
  std::vector<std::pair<std::string, std::string>> links_;  // first name, further name
  int64_t files_ = 0;
  std::atomic<int64_t> bytes_{0};
  CopyCrew crew_;  // last: its threads use the rest
};

}  // namespace

Result<LayerCopy> CopyLayer(const std::string& from, const std::string& to,
                            const std::atomic<bool>& stop) {
  try {
    return LayerCopier(from, to, stop).Run();
  } catch (const Failure& failure) {
    return failure.error();
  }
}

}  // namespace fireweed
