#include "cli/storage/local_bytes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/checksum.h"
#include "base/error.h"
#include "base/unique_fd.h"
#include "cli/storage/local_tree.h"

namespace fireweed::cli {

Result<size_t> ReadAt(int fd, int64_t offset, std::span<std::byte> out) {
  while (true) {
    ssize_t count = pread(fd, out.data(), out.size(), offset);
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) return ErrnoError(errno, "read");
  }
}

size_t ReadFully(int fd, std::span<std::byte> out) {
  size_t have = 0;
  while (have < out.size()) {
    ssize_t count = read(fd, out.data() + have, out.size() - have);
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Failure(ErrnoError(errno, "read"));
    have += static_cast<size_t>(count);
  }
  return have;
}

void WriteFully(int fd, std::span<const std::byte> bytes, const std::string& what) {
  while (!bytes.empty()) {
    ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Failure(ErrnoError(errno, "write " + what));
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

uint32_t CrcOfFile(int fd, int64_t length) {
  std::vector<std::byte> buffer(static_cast<size_t>(std::min<int64_t>(length, 1 << 20)));
  uint32_t crc = 0;
  for (int64_t at = 0; at < length;) {
    size_t want = static_cast<size_t>(std::min<int64_t>(length - at, 1 << 20));
    size_t count = ReadAt(fd, at, std::span(buffer).first(want)).value();
    if (count == 0) throw Failure(Code::kInvalid, "the file became shorter while it was read");
    crc = Crc32c(std::span<const std::byte>(buffer).first(count), crc);
    at += static_cast<int64_t>(count);
  }
  return crc;
}

std::string CrcTextOfFile(const std::string& path) {
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw Failure(ErrnoError(errno, "read " + path));
  return Crc32cToBase64(CrcOfFile(file.get(), LookAt(path).size));
}

}  // namespace fireweed::cli
