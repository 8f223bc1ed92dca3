#include "cli/storage/downloader.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/unique_fd.h"
#include "cli/storage/local_bytes.h"
#include "cli/storage/local_tree.h"
#include "cli/storage/object_settings.h"

namespace fireweed::cli {
namespace {

namespace fs = std::filesystem;
namespace storage = api::storage;

void MakeParents(const std::string& path) {
  fs::path parent = fs::path(path).parent_path();
  std::error_code error;
  if (!parent.empty()) fs::create_directories(parent, error);
  if (error)
    throw Failure(ErrnoError(error.value(), fmt::format("make the directory {}", parent.string())));
}

// Beside the file, hidden, and never too long for a directory entry.
std::string PartName(const std::string& path, int64_t generation) {
  constexpr size_t kLongest = 180;
  fs::path whole(path);
  std::string base = whole.filename();
  if (base.size() > kLongest) base = HexEncode(Hash(Digest::kSha256, base)).substr(0, 40);
  return whole.parent_path() / fmt::format(".{}.{}.part", base, generation);
}

// A device or pipe is written to, a link is followed, a file is replaced.
std::optional<std::string> SpecialOrTarget(std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  if (S_ISDIR(status.st_mode)) throw Failure(Code::kExists, fmt::format("{} is a directory", path));
  if (!S_ISREG(status.st_mode)) return path;
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  if (!error) path = real;
  return std::nullopt;
}

UniqueFd OpenPart(const std::string& part) {
  UniqueFd file(open(part.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file) throw Failure(ErrnoError(errno, "write " + part));
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    throw Failure(Code::kExists,
                  fmt::format("{} belongs to another download that is under way", part));
  }
  return file;
}

}  // namespace

// The server decodes: it has looked at the stored bytes' sum, ours could only be that of other bytes.
void Downloader::FetchDecoded(const storage::Object& object, int fd, const std::string& what) {
  client_.ReadDecoded(object,
                      [&](std::span<const std::byte> bytes) { WriteFully(fd, bytes, what); });
  progress_.Add(object.size);
}

void Downloader::Fetch(const storage::Object& object, int fd, const std::string& what, int64_t have,
                       uint32_t crc) {
  if (object.contentEncoding == "gzip") return FetchDecoded(object, fd, what);
  Retry retry(stop_);
  retry.Run([&] {
    if (have == object.size) return;
    client_.Read(object, have, std::nullopt, [&](std::span<const std::byte> bytes) {
      WriteFully(fd, bytes, what);
      crc = Crc32c(bytes, crc);
      have += static_cast<int64_t>(bytes.size());
      progress_.Add(static_cast<int64_t>(bytes.size()));
      retry.Moved();
    });
    if (have != object.size) {
      throw Failure(Code::kUnavailable,
                    fmt::format("{} of {} bytes of {} arrived", have, object.size, object.name));
    }
  });
  if (object.crc32c.empty() || object.crc32c == Crc32cToBase64(crc)) return;
  throw Failure(Code::kPrecondition, "checksumMismatch",
                fmt::format("gs://{}/{}: what arrived has another checksum than the object",
                            object.bucket, object.name));
}

void Downloader::DownloadFile(const storage::Object& object, const std::string& given,
                              bool keep_mtime) {
  std::string path = given;
  MakeParents(path);
  if (path.ends_with('/')) return;  // a folder's marker
  if (std::optional<std::string> special = SpecialOrTarget(path)) {
    UniqueFd out(open(special->c_str(), O_WRONLY | O_CLOEXEC));
    if (!out) throw Failure(ErrnoError(errno, "write " + path));
    return Fetch(object, out.get(), path, 0, 0);
  }
  std::string part = PartName(path, object.generation);
  UniqueFd file = OpenPart(part);
  int64_t have = lseek(file.get(), 0, SEEK_END);
  if (have < 0 || have > object.size || object.contentEncoding == "gzip") {
    if (ftruncate(file.get(), 0) != 0) throw Failure(ErrnoError(errno, "write " + part));
    have = lseek(file.get(), 0, SEEK_SET);
  }
  progress_.Add(have);
  try {
    Fetch(object, file.get(), part, have, CrcOfFile(file.get(), have));
  } catch (const Failure& failure) {
    if (failure.error().reason == "checksumMismatch") unlink(part.c_str());
    throw;
  }
  std::optional<int64_t> mtime = MtimeOf(object);
  if (keep_mtime && mtime) {
    timespec times[2] = {{0, UTIME_OMIT}, {*mtime, 0}};
    futimens(file.get(), times);
  }
  if (rename(part.c_str(), path.c_str()) != 0) throw Failure(ErrnoError(errno, "write " + path));
}

void Downloader::DownloadStream(const storage::Object& object, int fd, const std::string& what) {
  Fetch(object, fd, what, 0, 0);
}

void Downloader::DownloadRange(const storage::Object& object, int64_t offset,
                               std::optional<int64_t> length, int fd) {
  if (length && *length <= 0) return;
  client_.Read(object, offset, length,
               [&](std::span<const std::byte> bytes) { WriteFully(fd, bytes, "output"); });
}

}  // namespace fireweed::cli
