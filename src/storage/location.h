// Where buckets may be: regions, dual- and multi-regions by name. Everything is kept on this machine; the names
// are what clients choose and see. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fireweed::storage {

// "region", "dual-region" or "multi-region"; empty for a name nobody knows. Names are upper case.
std::string_view LocationType(std::string_view location);

// Whether two regions may make a dual-region within the multi-region `around` ("US", "EU", "ASIA").
bool MayPair(std::string_view around, std::string_view one, std::string_view other);

}  // namespace fireweed::storage
