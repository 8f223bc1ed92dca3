// What for: the base images of this machine and who stands on each, so that old ones can be taken away. An image is a
//   directory base-HASH; base-HASH.users beside it holds a symbolic link to every state directory with disks, images or
//   machines on it (docs/formats/base-images.md). One shelf serves many daemons.
// Threads: any, and any number of processes. May block: yes, all of it; List reads every image whole.
// Who owns: the files; the links of a state directory are its daemon's to make and to take back.
// A failure: the system call's error. A crash in Remove leaves .removing-*, which the next Tidy takes away.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace fireweed {

struct ShelvedImage {
  std::string path;
  int64_t bytes = 0;               // on the disk
  bool noted = false;              // false: made by a version that did not note users; nobody knows
  bool mounted = false;            // by a process that runs now
  std::vector<std::string> users;  // state directories
};

class ImageShelf {
 public:
  explicit ImageShelf(std::string directory) : directory_(std::move(directory)) {}

  // From now on `state` stands on the image, durably. False: the image is not there any more. An image without notes is left
  // without them: one link would say that there are no others.
  Result<bool> Note(const std::string& image, const std::string& state);
  // Brings the notes of `state` in line: on the images `used`, and on no other.
  Result<> Settle(const std::string& state, const std::set<std::string>& used);

  Result<std::vector<ShelvedImage>> List() const;
  // False: it is in use, or nobody knows and `unknown_too` is not set. An image that is mounted stays in any case.
  Result<bool> Remove(const std::string& image, bool unknown_too);
  // Takes away links to state directories that are gone, and what cut-off removals left.
  Result<> Tidy();

 private:
  std::vector<std::string> Images() const;

  const std::string directory_;
};

}  // namespace fireweed
