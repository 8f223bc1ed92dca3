// A project as Compute Engine shows it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/catalogue.h"
#include "api/compute/instance.h"
#include "api/compute/service.h"

namespace fireweed::api::compute {

struct Project {
  std::string kind = "compute#project";
  int64_t id = 0;
  std::string creationTimestamp, name, description;
  Metadata commonInstanceMetadata;
  std::vector<Quota> quotas;
  std::string defaultServiceAccount, defaultNetworkTier = "PREMIUM", xpnProjectStatus, selfLink;
};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::compute::Project> = "Project";
template <>
inline constexpr auto kFields<api::compute::Project> = [](auto...) {
  return Fields{F("kind", &api::compute::Project::kind),
                F("id", &api::compute::Project::id),
                F("creationTimestamp", &api::compute::Project::creationTimestamp),
                F("name", &api::compute::Project::name),
                F("description", &api::compute::Project::description),
                F("commonInstanceMetadata", &api::compute::Project::commonInstanceMetadata),
                F("quotas", &api::compute::Project::quotas),
                F("defaultServiceAccount", &api::compute::Project::defaultServiceAccount),
                F("defaultNetworkTier", &api::compute::Project::defaultNetworkTier),
                F("xpnProjectStatus", &api::compute::Project::xpnProjectStatus),
                F("selfLink", &api::compute::Project::selfLink)};
};
}  // namespace fireweed
