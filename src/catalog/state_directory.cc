#include "catalog/state_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"

namespace fireweed {
namespace {

constexpr std::string_view kLockName = "lock";
constexpr std::string_view kFormatName = "format";
constexpr std::string_view kFormatDraft = "format.new";
constexpr std::string_view kFormatWords = "fireweed state format ";
constexpr int kFirstFormat = 1;

std::string ParentOf(const std::string& path) {
  std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

std::string Name(const std::string& directory, std::string_view name) {
  return directory + "/" + std::string(name);
}

// nullopt: the directory has no mark yet.
std::optional<int> ReadFormat(Disk& disk, const std::string& directory) {
  std::string path = Name(directory, kFormatName);
  if (!disk.Exists(path).value()) return std::nullopt;
  std::unique_ptr<File> file = disk.Open(path, OpenMode::kRead).value();
  std::string text(256, '\0');
  text.resize(file->ReadAt(0, std::as_writable_bytes(std::span(text))).value());
  std::string_view words = Trim(text);
  int format = 0;
  if (words.starts_with(kFormatWords)) {
    words.remove_prefix(kFormatWords.size());
    auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), format);
    if (error == std::errc() && end == words.data() + words.size() && format >= kFirstFormat) {
      return format;
    }
  }
  throw Failure(Code::kPrecondition, fmt::format("{} does not say a state format.", path));
}

// Whole or not at all: a draft is synced and takes the name.
void WriteFormat(Disk& disk, const std::string& directory, int format) {
  std::string draft = Name(directory, kFormatDraft);
  {
    std::unique_ptr<File> file = disk.Open(draft, OpenMode::kCreate).value();
    std::string text = fmt::format("{}{}\n", kFormatWords, format);
    file->Truncate(0).value();
    file->WriteAt(0, AsBytes(text)).value();
    file->Sync().value();
  }
  disk.Rename(draft, Name(directory, kFormatName)).value();
  disk.SyncDirectory(directory).value();
}

void RefuseForeignFiles(Disk& disk, const std::string& directory) {
  for (const std::string& name : disk.List(directory).value()) {
    if (name == kLockName || name == kFormatDraft) continue;
    // What may be there before the first start: the log that `fireweed up` opens, and settings.
    if (name == "log" || name == "config.yaml") continue;
    throw Failure(Code::kPrecondition,
                  fmt::format("{} is not a state directory: it holds '{}' but no format mark. "
                              "Name a new or an empty directory.",
                              directory, name));
  }
}

int ReadPid(int fd) {
  char text[32] = {};
  ssize_t size = pread(fd, text, sizeof text - 1, 0);
  int pid = 0;
  if (size > 0) std::from_chars(text, text + size, pid);
  return pid;
}

// A lock of the open file, like flock's: it ends with the process, not with the first close. Unlike
// flock's it can be asked for without being taken, so that a question never makes a daemon's start
// fail.
struct flock WholeFile(short type) {
  struct flock whole {};
  whole.l_type = type;
  whole.l_whence = SEEK_SET;
  return whole;
}

UniqueFd Lock(const std::string& directory) {
  std::string path = Name(directory, kLockName);
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) throw Failure(ErrnoError(errno, "open " + path));
  struct flock whole = WholeFile(F_WRLCK);
  if (fcntl(fd.get(), F_OFD_SETLK, &whole) != 0) {
    if (errno != EAGAIN && errno != EACCES) throw Failure(ErrnoError(errno, "lock " + path));
    int pid = ReadPid(fd.get());
    std::string who = pid > 0 ? fmt::format("process {}", pid) : "another process";
    throw Failure(Code::kUnavailable,
                  fmt::format("The state directory {} is in use by {}.", directory, who));
  }
  // Only a word for whoever finds the directory locked: the lock itself needs no bytes, so a full
  // disk is no reason not to start.
  std::string pid = fmt::format("{}\n", getpid());
  if (ftruncate(fd.get(), 0) == 0) {
    [[maybe_unused]] ssize_t written = pwrite(fd.get(), pid.data(), pid.size(), 0);
  }
  return fd;
}

// Others must not look in. A directory of someone else's is left alone.
void KeepPrivate(const std::string& directory) {
  struct stat status;
  if (stat(directory.c_str(), &status) != 0) throw Failure(ErrnoError(errno, "stat " + directory));
  if (status.st_uid != geteuid()) {
    throw Failure(Code::kDenied, fmt::format("{} belongs to another user.", directory));
  }
  if ((status.st_mode & 07777) != 0700 && chmod(directory.c_str(), 0700) != 0) {
    throw Failure(ErrnoError(errno, "chmod " + directory));
  }
}

}  // namespace

std::span<const StateMigration> StateMigrations() { return {}; }

void PrepareStateFormat(Disk& disk, const std::string& directory,
                        std::span<const StateMigration> steps) {
  int newest = steps.empty() ? kFirstFormat : steps.back().to;
  disk.MakeDirectories(directory).value();
  disk.SyncDirectory(ParentOf(directory)).value();
  std::optional<int> format = ReadFormat(disk, directory);
  if (!format) {
    RefuseForeignFiles(disk, directory);
    WriteFormat(disk, directory, newest);
    return;
  }
  if (*format > newest) {
    throw Failure(Code::kPrecondition,
                  fmt::format("{} was written by a newer Fireweed (format {}; this program knows "
                              "formats up to {}). Start that version or a later one.",
                              directory, *format, newest));
  }
  for (const StateMigration& step : steps) {
    if (step.to <= *format) continue;
    step.apply(disk, directory);
    WriteFormat(disk, directory, step.to);
  }
}

StateDirectory::StateDirectory(Disk& disk, std::string path)
    : StateDirectory(disk, std::move(path), StateMigrations()) {}

StateDirectory::StateDirectory(Disk& disk, std::string path, std::span<const StateMigration> steps)
    : disk_(disk), path_(std::move(path)) {
  disk_.MakeDirectories(path_).value();
  // Looked at before anything is changed: a directory named by mistake stays as it is.
  if (!ReadFormat(disk_, path_)) RefuseForeignFiles(disk_, path_);
  KeepPrivate(path_);
  lock_ = Lock(path_);
  PrepareStateFormat(disk_, path_, steps);
}

int64_t StateDirectory::FreeBytes() const { return disk_.FreeBytes(path_).value(); }

void StateDirectory::RequireFreeBytes(int64_t least) const {
  int64_t free = FreeBytes();
  if (free >= least) return;
  throw Failure(
      Code::kExhausted, "quotaExceeded",
      fmt::format("The disk that holds {} is nearly full: {} MiB are free, {} MiB needed.", path_,
                  free >> 20, least >> 20));
}

int StateDirectory::HolderOf(const std::string& path) {
  UniqueFd fd(open(Name(path, kLockName).c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return 0;
  struct flock whole = WholeFile(F_RDLCK);
  bool held = fcntl(fd.get(), F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
  return held ? ReadPid(fd.get()) : 0;
}

}  // namespace fireweed
