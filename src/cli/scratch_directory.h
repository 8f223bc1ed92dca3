// A directory of a command's own that is gone with the object.
#pragma once

#include <string>

namespace fireweed::cli {

class ScratchDirectory {
 public:
  // Below TMPDIR or its usual place.
  explicit ScratchDirectory(const std::string& parent);
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace fireweed::cli
