// The routes of a project as Compute Engine knows it.
#pragma once

#include <string>

#include "api/compute/operation.h"
#include "api/compute/requests.h"
#include "api/compute/resources.h"

namespace fireweed::api::compute {

struct SetProjectMetadata {
  std::string project, requestId;
  Metadata body;
};

inline constexpr Method<ProjectRequest, Project> kGetProject{kCompute,
                                                             Verb::kGet,
                                                             "/compute/v1/projects/{project}",
                                                             "compute.projects.get",
                                                             "compute.projects.get",
                                                             kProjectResource};
inline constexpr Method<SetProjectMetadata, Operation> kSetProjectMetadata{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/setCommonInstanceMetadata",
    "compute.projects.setCommonInstanceMetadata",
    "compute.projects.setCommonInstanceMetadata",
    kProjectResource};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr auto kFields<api::compute::SetProjectMetadata> = [](auto...) {
  return Fields{F("project", &api::compute::SetProjectMetadata::project, kPath),
                F("requestId", &api::compute::SetProjectMetadata::requestId, kQuery),
                F("body", &api::compute::SetProjectMetadata::body, kBody)};
};
}  // namespace fireweed
