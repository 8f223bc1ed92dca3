// Names of resources: full URLs as replies carry them, and any of the forms clients send.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fireweed::compute {

inline constexpr std::string_view kLinkRoot = "https://www.googleapis.com/compute/v1/";

std::string ProjectLink(std::string_view project);  // no trailing slash: clients GET it as it is
std::string ZoneLink(std::string_view project, std::string_view zone);
std::string RegionLink(std::string_view project, std::string_view region);
// `scope`: "global", "zones/Z" or "regions/R".
std::string ScopedLink(std::string_view project, std::string_view scope,
                       std::string_view collection, std::string_view name);
// "us-central1" of "us-central1-a"; empty when there is no dash.
std::string_view RegionOf(std::string_view zone);

// A reference as sent: a URL on any host and API version, "projects/P/...", "zones/Z/...", or a bare name.
struct ResourceRef {
  std::string project;            // empty when the reference names none
  std::vector<std::string> path;  // what follows the project: {"zones","z","machineTypes","m"}
  const std::string& name() const { return path.back(); }
};
// REQUIRES: nothing; a broken reference has an empty name.
ResourceRef ParseRef(std::string_view text);
// The last word of a reference, the way clients name machine types, zones and networks.
std::string LastWord(std::string_view text);

// A valid resource name: a letter, then letters, digits and dashes, at most 63, no dash at the end.
bool IsResourceName(std::string_view name);

}  // namespace fireweed::compute
