// Operations of resource manager and service usage: both hosts use the same path.
#pragma once

#include <string>

#include "api/long_running_operation.h"
#include "api/method.h"

namespace fireweed::api::crm {

inline constexpr std::string_view kOperationHosts[] = {"cloudresourcemanager.googleapis.com",
                                                       "serviceusage.googleapis.com"};
inline constexpr Service kOperationService{.name = "operations",
                                           .version = "v1",
                                           .title = "Operations of projects and services",
                                           .hosts = kOperationHosts,
                                           .documented = false};

struct GetOperation {
  std::string operation;
};

// Permission inside: the operation names the project.
inline constexpr Method<GetOperation, LongRunningOperation> kGetOperation{
    kOperationService, Verb::kGet, "/v1/operations/{operation}", "operations.get"};

}  // namespace fireweed::api::crm

namespace fireweed {
template <>
inline constexpr auto kFields<api::crm::GetOperation> =
    [](auto...) { return Fields{F("operation", &api::crm::GetOperation::operation, kPath)}; };
}  // namespace fireweed
