// The serial console as a file: grows at its end for ever, while only its last bytes take up room.
#pragma once

#include <cstdint>
#include <string>

namespace fireweed {

class ConsoleLog {
 public:
  // An empty path drops everything. `keep` of 0 keeps everything.
  ConsoleLog(const std::string& path, int64_t keep);
  void Append(const char* bytes, size_t size);
  // A line of the shim's own, which starts at the beginning of a line.
  void AppendLine(const std::string& line);

 private:
  void FreeOldBlocks();

  int fd_ = -1;
  int64_t keep_;
  int64_t size_ = 0;
  int64_t freed_ = 0;
  bool in_line_ = false;  // the last byte did not end a line
};

}  // namespace fireweed
