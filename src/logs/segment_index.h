// Where the lines of a segment are, in the order of their times, and the contexts they name. An index never changes;
// a segment that has grown gets a new one that begins with the old. Any thread may read one.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/disk.h"
#include "logs/log_frame.h"

namespace fireweed::logs {

struct LineSpot {
  int64_t time = 0;  // nanoseconds
  uint32_t offset = 0;
  friend auto operator<=>(const LineSpot&, const LineSpot&) = default;
};

struct SegmentIndex {
  std::vector<LineSpot> lines;  // sorted
  std::map<uint32_t, std::shared_ptr<const LogContext>> contexts;
  int64_t scanned = 0;  // bytes of whole frames from the beginning
  uint32_t next_context = 0;

  size_t Bytes() const {
    return sizeof *this + lines.size() * sizeof(LineSpot) + contexts.size() * 256;
  }
};

// Reads frames from where `known` ends up to `size` or the first that is not whole; may block.
std::shared_ptr<const SegmentIndex> ExtendIndex(const File& file, int64_t size,
                                                const std::shared_ptr<const SegmentIndex>& known);

// The indexes that were used last, within a bound of bytes. Any thread; does not block.
class IndexCache {
 public:
  explicit IndexCache(size_t most_bytes) : most_bytes_(most_bytes) {}
  std::shared_ptr<const SegmentIndex> Find(const std::string& segment);
  void Put(const std::string& segment, std::shared_ptr<const SegmentIndex> index);
  void Drop(const std::string& segment);

 private:
  struct Held {
    std::string segment;
    std::shared_ptr<const SegmentIndex> index;
  };
  void DropLocked(const std::string& segment);

  const size_t most_bytes_;
  std::mutex mu_;
  // Guarded by mu_.
  std::list<Held> held_;  // used last in front
  std::map<std::string, std::list<Held>::iterator> by_segment_;
  size_t bytes_ = 0;
};

}  // namespace fireweed::logs
