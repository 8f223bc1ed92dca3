// How much of a draft is durable. After a power cut a file may be longer than what was synced and hold
// anything there, so its size says nothing; the mark beside it does. Two slots in sectors of their own
// are written in turn: a torn write leaves the other one. The format is in docs/formats/blob-store.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.h"

namespace fireweed {

struct DraftMark {
  int64_t size = 0;     // bytes of the draft that are durable
  uint32_t crc32c = 0;  // of those bytes

  friend bool operator==(const DraftMark&, const DraftMark&) = default;
};

std::string EncodeDraftMark(const DraftMark& mark);
// nullopt for anything that is no whole mark.
std::optional<DraftMark> DecodeDraftMark(std::string_view bytes);

// The mark file of one draft. One thread at a time.
class DraftMarkFile {
 public:
  // Makes the file when it is missing.
  static Result<DraftMarkFile> Open(Disk& disk, const std::string& path);

  // The newest valid mark; none on a new file.
  std::optional<DraftMark> newest() const { return newest_; }
  // Durable when it returns, but for the file's name. When it fails, the older mark still stands.
  Result<> Write(const DraftMark& mark);

 private:
  explicit DraftMarkFile(std::unique_ptr<File> file) : file_(std::move(file)) {}

  std::unique_ptr<File> file_;
  std::optional<DraftMark> newest_;
  int next_slot_ = 0;
};

}  // namespace fireweed
