#include "compute/serial_port.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/unique_fd.h"

namespace fireweed::compute {

api::compute::SerialPortOutput ReadSerialPort(const std::string& path,
                                              std::optional<int64_t> start) {
  api::compute::SerialPortOutput output;
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!fd || fstat(fd.get(), &info) != 0) return output;
  int64_t size = info.st_size;
  int64_t begin = start.value_or(-kLargestSerialRead);
  if (begin < 0) begin = std::max<int64_t>(0, size + begin);
  begin = std::min(begin, size);
  output.contents.resize(static_cast<size_t>(std::min(size - begin, kLargestSerialRead)));
  ssize_t got = pread(fd.get(), output.contents.data(), output.contents.size(), begin);
  output.contents.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  output.next = begin + static_cast<int64_t>(output.contents.size());
  // What lies before the kept part of the console reads as zeros: it is gone.
  size_t kept = std::min(output.contents.find_first_not_of('\0'), output.contents.size());
  output.contents.erase(0, kept);
  output.start = begin + static_cast<int64_t>(kept);
  // More is there: the next read begins with a whole line.
  size_t line = output.contents.rfind('\n');
  if (output.next < size && line != std::string::npos && line > 0) {
    output.next -= static_cast<int64_t>(output.contents.size() - line - 1);
    output.contents.resize(line + 1);
  }
  return output;
}

}  // namespace fireweed::compute
