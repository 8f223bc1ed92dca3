// Verbs of an instance's life beyond start and stop. `preempt` is Fireweed's own: what the weather does, on request.
#pragma once

#include "api/compute/instance_methods.h"

namespace fireweed::api::compute {

inline constexpr Method<ChangeInstance, Operation> kSuspendInstance{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/suspend",
    "compute.instances.suspend",
    "compute.instances.suspend",
    kProjectResource};
inline constexpr Method<ChangeInstance, Operation> kResumeInstance{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/resume",
    "compute.instances.resume",
    "compute.instances.resume",
    kProjectResource};
inline constexpr Method<ChangeInstance, Operation> kSimulateMaintenance{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/simulateMaintenanceEvent",
    "compute.instances.simulateMaintenanceEvent",
    "compute.instances.simulateMaintenanceEvent",
    kProjectResource};
inline constexpr Method<ChangeInstance, Operation> kPreemptInstance{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/preempt",
    "compute.instances.preempt",
    "compute.instances.simulateMaintenanceEvent",
    kProjectResource};

}  // namespace fireweed::api::compute
