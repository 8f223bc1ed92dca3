#include "compute/refusals.h"

#include <fmt/format.h>

#include "base/error.h"
#include "compute/catalogue.h"
#include "compute/links.h"

namespace fireweed::compute {

void Missing(std::string_view project, std::string_view path) {
  throw Failure(Code::kNotFound,
                fmt::format("The resource 'projects/{}/{}' was not found", project, path));
}

void InvalidField(std::string_view field, std::string_view value, std::string_view why) {
  throw Failure(Code::kInvalid,
                fmt::format("Invalid value for field '{}': '{}'. {}", field, value, why));
}

void AlreadyThere(std::string_view project, std::string_view path) {
  throw Failure(Code::kExists, "alreadyExists",
                fmt::format("The resource 'projects/{}/{}' already exists", project, path));
}

void NotReady(std::string_view project, std::string_view path) {
  throw Failure(Code::kInvalid, "resourceNotReady",
                fmt::format("The resource 'projects/{}/{}' is not ready", project, path));
}

void InUse(std::string_view kind, std::string_view link, std::string_view user) {
  auto path = [](std::string_view url) {
    return url.starts_with(kLinkRoot) ? url.substr(kLinkRoot.size()) : url;
  };
  throw Failure(Code::kInvalid, "resourceInUseByAnotherResource",
                fmt::format("The {} resource '{}' is already being used by '{}'", kind, path(link),
                            path(user)));
}

void RequireResourceName(std::string_view name) {
  if (IsResourceName(name)) return;
  InvalidField("resource.name", name,
               "Must be a match of regex '(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)'");
}

void RequireZone(std::string_view project, std::string_view zone) {
  if (!Catalogue::HasZone(zone)) Missing(project, fmt::format("zones/{}", zone));
}

void RequireRegion(std::string_view project, std::string_view region) {
  if (!Catalogue::HasRegion(region)) Missing(project, fmt::format("regions/{}", region));
}

}  // namespace fireweed::compute
