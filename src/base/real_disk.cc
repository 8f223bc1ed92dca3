#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <fmt/format.h>

#include "base/disk.h"
#include "base/unique_fd.h"

namespace fireweed {
namespace {

Error LastError(std::string_view verb, std::string_view path) {
  return ErrnoError(errno, fmt::format("{} {}", verb, path));
}

class RealFile final : public File {
 public:
  RealFile(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Result<size_t> ReadAt(int64_t offset, std::span<std::byte> out) const override {
    size_t done = 0;
    while (done < out.size()) {
      ssize_t got = pread(fd_.get(), out.data() + done, out.size() - done,
                          offset + static_cast<int64_t>(done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return LastError("read", path_);
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    return done;
  }

  Result<> WriteAt(int64_t offset, std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      ssize_t put = pwrite(fd_.get(), bytes.data(), bytes.size(), offset);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return LastError("write", path_);
      offset += put;
      bytes = bytes.subspan(static_cast<size_t>(put));
    }
    return Done{};
  }

  Result<> Truncate(int64_t size) override {
    if (ftruncate(fd_.get(), size) != 0) return LastError("truncate", path_);
    return Done{};
  }

  Result<> Sync() override {
    if (fdatasync(fd_.get()) != 0) return LastError("sync", path_);
    return Done{};
  }

  Result<int64_t> Size() const override {
    struct stat status;
    if (fstat(fd_.get(), &status) != 0) return LastError("stat", path_);
    return static_cast<int64_t>(status.st_size);
  }

  int fd() const override { return fd_.get(); }

 private:
  UniqueFd fd_;
  std::string path_;
};

int OpenFlags(OpenMode mode) {
  switch (mode) {
    case OpenMode::kRead: return O_RDONLY;
    case OpenMode::kReadWrite: return O_RDWR;
    case OpenMode::kCreate: return O_RDWR | O_CREAT;
    case OpenMode::kCreateNew: return O_RDWR | O_CREAT | O_EXCL;
  }
  return O_RDONLY;
}

// Leaves errno as it was, so that the caller can still tell why it asked.
bool IsDirectory(const std::string& path) {
  int before = errno;
  struct stat status;
  bool is = stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  errno = before;
  return is;
}

class RealDisk final : public Disk {
 public:
  Result<std::unique_ptr<File>> Open(const std::string& path, OpenMode mode) override {
    UniqueFd fd(open(path.c_str(), OpenFlags(mode) | O_CLOEXEC, 0600));
    if (!fd) return LastError("open", path);
    return std::unique_ptr<File>(new RealFile(std::move(fd), path));
  }

  Result<> Rename(const std::string& from, const std::string& to) override {
    if (rename(from.c_str(), to.c_str()) != 0) return LastError("rename", from);
    return Done{};
  }

  Result<> Remove(const std::string& path) override {
    if (unlink(path.c_str()) != 0) return LastError("remove", path);
    return Done{};
  }

  Result<> MakeDirectories(const std::string& path) override {
    for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
      std::string part = path.substr(0, end);
      if (mkdir(part.c_str(), 0700) != 0 && !(errno == EEXIST && IsDirectory(part))) {
        return LastError("make", part);
      }
      if (end == std::string::npos) return Done{};
    }
  }

  Result<> SyncDirectory(const std::string& path) override {
    UniqueFd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd || fsync(fd.get()) != 0) return LastError("sync directory", path);
    return Done{};
  }

  Result<std::vector<std::string>> List(const std::string& directory) override {
    std::error_code error;
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator it(directory, error), end; !error && it != end;
         it.increment(error)) {
      names.push_back(it->path().filename().string());
    }
    if (error) return ErrnoError(error.value(), "list " + directory);
    std::sort(names.begin(), names.end());
    return names;
  }

  Result<bool> Exists(const std::string& path) override {
    struct stat status;
    if (stat(path.c_str(), &status) == 0) return true;
    if (errno == ENOENT || errno == ENOTDIR) return false;
    return LastError("stat", path);
  }

  Result<int64_t> FreeBytes(const std::string& path) override {
    struct statvfs status;
    if (statvfs(path.c_str(), &status) != 0) return LastError("statvfs", path);
    return static_cast<int64_t>(status.f_bavail) * static_cast<int64_t>(status.f_frsize);
  }
};

}  // namespace

std::unique_ptr<Disk> MakeRealDisk() { return std::make_unique<RealDisk>(); }

}  // namespace fireweed
