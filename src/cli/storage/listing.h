// How `ls` and `du` show objects. Pure text; the commands find the objects.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/storage/remote_tree.h"

namespace fireweed::cli {

enum class ListingStyle { kShort, kLong, kFull };

struct ListingOptions {
  ListingStyle style = ListingStyle::kShort;
  bool readable = false;  // 1.5 KiB instead of 1536
  bool etag = false;
};

std::string ListingLine(const RemoteEntry& entry, const ListingOptions& options);
// "TOTAL: 2 objects, 13 bytes (13 B)".
std::string TotalLine(int64_t objects, int64_t bytes);
// {"url", "type", "metadata"} as `gcloud storage ls --json` has it.
JsonTree ListingJson(const RemoteEntry& entry);

// Sums by directory, from names in any order.
class DiskUsage {
 public:
  // `root`: up to where directories count, "gs://b/" or "gs://b/dir/".
  explicit DiskUsage(std::string root) : root_(std::move(root)) {}
  void Add(const RemoteEntry& entry);
  int64_t total() const { return total_; }
  // Every object, each directory after what lies below it, the root last; or the root alone.
  std::string Text(bool summary, bool readable) const;

 private:
  std::string root_;
  int64_t total_ = 0;
  std::vector<std::pair<std::string, int64_t>> objects_;
};
// "1024        gs://b/o".
std::string UsageLine(int64_t bytes, const std::string& url, bool readable);

}  // namespace fireweed::cli
