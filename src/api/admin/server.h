// What a daemon tells everybody who reaches it: enough for another machine to use it, and no secret.
#pragma once

#include <string>

#include "api/admin/service.h"

namespace fireweed::api::admin {

struct ServerDescription {
  std::string authority;  // PEM of the certificate authority; judged by its fingerprint
  std::string version, daemonId, project, zone;
};

// Open to everybody: who asks here has no credential yet, and checks the answer by its fingerprint.
inline constexpr Method<Empty, ServerDescription> kDescribeServer{
    kService, Verb::kGet, "/fireweed/v1/server", "fireweed.server.describe"};

}  // namespace fireweed::api::admin

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::admin::ServerDescription> = "ServerDescription";
template <>
inline constexpr auto kFields<api::admin::ServerDescription> = [](auto...) {
  return Fields{F("authority", &api::admin::ServerDescription::authority),
                F("version", &api::admin::ServerDescription::version),
                F("daemonId", &api::admin::ServerDescription::daemonId),
                F("project", &api::admin::ServerDescription::project),
                F("zone", &api::admin::ServerDescription::zone)};
};
}  // namespace fireweed
