// Which objects and common prefixes a listing shows, page by page. Pure: names come from a
// NameSource.
//
// A delimiter listing seeks over what lies under a common prefix instead of reading it, so a page
// costs what it shows, not what the bucket holds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/object_row.h"

namespace fireweed::storage {

struct ListedVersion {
  std::string name;
  ObjectRow row;
};

// A version as a scan finds it: most of what a delimiter hides is never decoded.
struct FoundVersion {
  std::string name;
  int64_t generation = 0;
  std::string bytes;  // of its ObjectRow
};

struct ListingQuery {
  std::string prefix;
  std::string delimiter;     // empty: no common prefixes
  std::string start_offset;  // names before it are left out
  std::string end_offset;    // names from it on are left out; empty: none
  std::string match_glob;    // empty: every name
  std::string page_token;
  int max_results = 1000;
  bool versions = false;  // archived ones as well
  bool trailing_delimiter_items = false;
};

struct ListingPage {
  std::vector<ListedVersion> items;
  std::vector<std::string> prefixes;
  std::string next_page_token;  // empty: this was the last page
};

// Where a scan begins: at `name`, and within that name behind `generation`.
struct ListingPoint {
  std::string name;
  int64_t after_generation = -1;
};

// Versions in order of name, then generation.
class NameSource {
 public:
  virtual ~NameSource() = default;
  // At most `limit` versions from `from` on whose name begins with `prefix`.
  virtual std::vector<FoundVersion> Scan(const ListingPoint& from, std::string_view prefix,
                                         int limit) = 0;
};

// Throws Failure(kInvalid) on a page token that is none of ours, or a bad glob.
ListingPage MakeListing(NameSource& source, const ListingQuery& query);

// The token of the page behind this version.
std::string PageTokenAfter(std::string_view name, int64_t generation);

// The smallest string greater than all that begin with `prefix`; nothing where there is none.
std::optional<std::string> AfterPrefix(std::string_view prefix);

}  // namespace fireweed::storage
