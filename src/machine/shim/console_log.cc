#include "machine/shim/console_log.h"

#include <fcntl.h>
#include <unistd.h>

namespace fireweed {
namespace {

constexpr int64_t kFreeStep = 1 << 20;  // one system call a megabyte

}  // namespace

ConsoleLog::ConsoleLog(const std::string& path, int64_t keep) : keep_(keep) {
  if (path.empty()) return;
  fd_ = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd_ >= 0) size_ = lseek(fd_, 0, SEEK_END);
}

void ConsoleLog::AppendLine(const std::string& line) {
  std::string text = (in_line_ ? "\n" : "") + line;
  Append(text.data(), text.size());
}

void ConsoleLog::Append(const char* bytes, size_t size) {
  if (size > 0) in_line_ = bytes[size - 1] != '\n';
  while (fd_ >= 0 && size > 0) {
    ssize_t n = write(fd_, bytes, size);
    // A full disk costs console text, not the machine.
    if (n <= 0) return;
    bytes += n;
    size -= static_cast<size_t>(n);
    size_ += n;
  }
  if (keep_ > 0 && size_ - keep_ - freed_ >= kFreeStep) FreeOldBlocks();
}

void ConsoleLog::FreeOldBlocks() {
  int64_t until = size_ - keep_;
  if (fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, until) == 0) freed_ = until;
}

}  // namespace fireweed
