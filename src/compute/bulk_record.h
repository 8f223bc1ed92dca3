// What is left to do of a bulk insert: its operation ends when those of its instances have.
#pragma once

#include <string>
#include <vector>

#include "catalog/record.h"

namespace fireweed::compute {

// Key: project, zone and the group of operations.
struct BulkRecord {
  std::string project, zone, group;
  std::vector<std::string> operations;  // keys; each inserts one instance
  int64_t least = 0;                    // with fewer instances it has failed, and those go again
  Key key() const { return project + "/" + zone + "/" + group; }
};

}  // namespace fireweed::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<compute::BulkRecord> = "BulkRecord";
template <>
inline constexpr auto kFields<compute::BulkRecord> = [](auto...) {
  return Fields{F("project", &compute::BulkRecord::project), F("zone", &compute::BulkRecord::zone),
                F("group", &compute::BulkRecord::group),
                F("operations", &compute::BulkRecord::operations),
                F("least", &compute::BulkRecord::least)};
};
template <>
inline constexpr std::string_view kRecordKind<compute::BulkRecord> = "compute.bulk";
}  // namespace fireweed
