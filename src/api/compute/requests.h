// What the methods of every kind of resource take alike: `project` and the scope come from the path; lists
// take filter, paging and order from the query.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/compute/service.h"

namespace fireweed::api::compute {

struct ProjectRequest {
  std::string project;
};
struct ListProject {
  std::string project, filter, pageToken, orderBy;
  int32_t maxResults = 500;
  bool includeAllScopes = false;
};
struct GetGlobal {
  std::string project, name;
};
struct ListZonal {
  std::string project, zone, filter, pageToken, orderBy;
  int32_t maxResults = 500;
};
struct GetZonal {
  std::string project, zone, name;
};
struct ListRegional {
  std::string project, region, filter, pageToken, orderBy;
  int32_t maxResults = 500;
};
struct GetRegional {
  std::string project, region, name;
};

inline constexpr std::string_view kProjectResource = "projects/{project}";

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr auto kFields<api::compute::ProjectRequest> =
    std::tuple{F("project", &api::compute::ProjectRequest::project, kPath)};
template <>
inline constexpr auto kFields<api::compute::ListProject> =
    std::tuple{F("project", &api::compute::ListProject::project, kPath),
               F("filter", &api::compute::ListProject::filter, kQuery),
               F("pageToken", &api::compute::ListProject::pageToken, kQuery),
               F("orderBy", &api::compute::ListProject::orderBy, kQuery),
               F("maxResults", &api::compute::ListProject::maxResults, kQuery),
               F("includeAllScopes", &api::compute::ListProject::includeAllScopes, kQuery)};
template <>
inline constexpr auto kFields<api::compute::GetGlobal> =
    std::tuple{F("project", &api::compute::GetGlobal::project, kPath),
               F("name", &api::compute::GetGlobal::name, kPath)};
template <>
inline constexpr auto kFields<api::compute::ListZonal> =
    std::tuple{F("project", &api::compute::ListZonal::project, kPath),
               F("zone", &api::compute::ListZonal::zone, kPath),
               F("filter", &api::compute::ListZonal::filter, kQuery),
               F("pageToken", &api::compute::ListZonal::pageToken, kQuery),
               F("orderBy", &api::compute::ListZonal::orderBy, kQuery),
               F("maxResults", &api::compute::ListZonal::maxResults, kQuery)};
template <>
inline constexpr auto kFields<api::compute::GetZonal> =
    std::tuple{F("project", &api::compute::GetZonal::project, kPath),
               F("zone", &api::compute::GetZonal::zone, kPath),
               F("name", &api::compute::GetZonal::name, kPath)};
template <>
inline constexpr auto kFields<api::compute::ListRegional> =
    std::tuple{F("project", &api::compute::ListRegional::project, kPath),
               F("region", &api::compute::ListRegional::region, kPath),
               F("filter", &api::compute::ListRegional::filter, kQuery),
               F("pageToken", &api::compute::ListRegional::pageToken, kQuery),
               F("orderBy", &api::compute::ListRegional::orderBy, kQuery),
               F("maxResults", &api::compute::ListRegional::maxResults, kQuery)};
template <>
inline constexpr auto kFields<api::compute::GetRegional> =
    std::tuple{F("project", &api::compute::GetRegional::project, kPath),
               F("region", &api::compute::GetRegional::region, kPath),
               F("name", &api::compute::GetRegional::name, kPath)};
}  // namespace fireweed
