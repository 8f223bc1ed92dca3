// projects.getConfig and projects.locations of the ml API.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/ml/service.h"

namespace fireweed::api::ml {

struct NameProject {
  std::string project;
};
struct ProjectSettings {
  std::string tpuServiceAccount;
};
// Who acts for jobs and models of the project, so that buckets can be opened to it.
struct ProjectConfig {
  std::string serviceAccount;
  int64_t serviceAccountProject = 0;
  std::optional<ProjectSettings> config;
};

struct LocationCapability {
  std::string type;  // TRAINING, BATCH_PREDICTION, ONLINE_PREDICTION
  std::vector<std::string> availableAccelerators;
};
struct Location {
  std::string name;
  std::vector<LocationCapability> capabilities;
};
struct ListLocations {
  std::string project, pageToken;
  int32_t pageSize = 0;
};
struct LocationList {
  std::vector<Location> locations;
  std::string nextPageToken;
};
struct NameLocation {
  std::string project, location;
};

inline constexpr Method<NameProject, ProjectConfig> kGetConfig{kService,
                                                               Verb::kGet,
                                                               "/v1/projects/{project}:getConfig",
                                                               "ml.projects.getConfig",
                                                               "ml.projects.getConfig",
                                                               kProjectResource};
inline constexpr Method<ListLocations, LocationList> kListLocations{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/locations",
    "ml.projects.locations.list",
    "ml.locations.list",
    kProjectResource};
inline constexpr Method<NameLocation, Location> kGetLocation{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/locations/{location}",
    "ml.projects.locations.get",
    "ml.locations.get",
    kProjectResource};

}  // namespace fireweed::api::ml

namespace fireweed {
template <>
inline constexpr auto kFields<api::ml::NameProject> =
    [](auto...) { return Fields{F("project", &api::ml::NameProject::project, kPath)}; };
template <>
inline constexpr std::string_view kTypeName<api::ml::ProjectSettings> = "Config";
template <>
inline constexpr auto kFields<api::ml::ProjectSettings> = [](auto...) {
  return Fields{F("tpuServiceAccount", &api::ml::ProjectSettings::tpuServiceAccount)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::ProjectConfig> = "GetConfigResponse";
template <>
inline constexpr auto kFields<api::ml::ProjectConfig> = [](auto...) {
  return Fields{F("serviceAccount", &api::ml::ProjectConfig::serviceAccount),
                F("serviceAccountProject", &api::ml::ProjectConfig::serviceAccountProject),
                F("config", &api::ml::ProjectConfig::config)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::LocationCapability> = "Capability";
template <>
inline constexpr auto kFields<api::ml::LocationCapability> = [](auto...) {
  return Fields{F("type", &api::ml::LocationCapability::type),
                F("availableAccelerators", &api::ml::LocationCapability::availableAccelerators)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::Location> = "Location";
template <>
inline constexpr auto kFields<api::ml::Location> = [](auto...) {
  return Fields{F("name", &api::ml::Location::name),
                F("capabilities", &api::ml::Location::capabilities)};
};
template <>
inline constexpr auto kFields<api::ml::ListLocations> = [](auto...) {
  return Fields{F("project", &api::ml::ListLocations::project, kPath),
                F("pageSize", &api::ml::ListLocations::pageSize, kQuery),
                F("pageToken", &api::ml::ListLocations::pageToken, kQuery)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::LocationList> = "ListLocationsResponse";
template <>
inline constexpr auto kFields<api::ml::LocationList> = [](auto...) {
  return Fields{F("locations", &api::ml::LocationList::locations),
                F("nextPageToken", &api::ml::LocationList::nextPageToken)};
};
template <>
inline constexpr auto kFields<api::ml::NameLocation> = [](auto...) {
  return Fields{F("project", &api::ml::NameLocation::project, kPath),
                F("location", &api::ml::NameLocation::location, kPath)};
};
}  // namespace fireweed
