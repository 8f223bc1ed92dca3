// Resources beside instances: images, disks, networks and the project itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/catalogue.h"
#include "api/compute/instance.h"
#include "api/compute/service.h"

namespace fireweed::api::compute {

struct Deprecation {
  std::string state, replacement, deprecated, obsolete, deleted;
};
struct Image {
  std::string kind = "compute#image";
  int64_t id = 0;
  std::string creationTimestamp, name, description, family, status = "READY", sourceType = "RAW",
                                                            sourceImage, sourceDisk, architecture;
  int64_t diskSizeGb = 10, archiveSizeBytes = 0;
  std::map<std::string, std::string> labels;
  Bytes labelFingerprint;
  std::optional<Deprecation> deprecated;
  std::string selfLink;
};
struct ImageFamilyView {
  Image image;
};

struct Disk {
  std::string kind = "compute#disk";
  int64_t id = 0;
  std::string creationTimestamp, name, description, zone, status = "READY", sourceImage, type;
  int64_t sizeGb = 10;
  std::vector<std::string> users;
  std::map<std::string, std::string> labels;
  Bytes labelFingerprint;
  std::string lastAttachTimestamp, lastDetachTimestamp, selfLink;
};
struct DisksScopedList {
  std::vector<Disk> disks;
  std::optional<Warning> warning;
};

struct RoutingConfig {
  std::string routingMode;
};
struct Network {
  std::string kind = "compute#network";
  int64_t id = 0;
  std::string creationTimestamp, name, description;
  bool autoCreateSubnetworks = true;
  std::vector<std::string> subnetworks;
  RoutingConfig routingConfig;
  std::string selfLink;
};

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
inline constexpr std::string_view kTypeName<api::compute::Deprecation> = "DeprecationStatus";
template <>
inline constexpr auto kFields<api::compute::Deprecation> =
    std::tuple{F("state", &api::compute::Deprecation::state),
               F("replacement", &api::compute::Deprecation::replacement),
               F("deprecated", &api::compute::Deprecation::deprecated),
               F("obsolete", &api::compute::Deprecation::obsolete),
               F("deleted", &api::compute::Deprecation::deleted)};
template <>
inline constexpr std::string_view kTypeName<api::compute::Image> = "Image";
template <>
inline constexpr auto kFields<api::compute::Image> =
    std::tuple{F("kind", &api::compute::Image::kind, kOutput),
               F("id", &api::compute::Image::id, kOutput),
               F("creationTimestamp", &api::compute::Image::creationTimestamp, kOutput),
               F("name", &api::compute::Image::name, kRequired | kImmutable),
               F("description", &api::compute::Image::description),
               F("family", &api::compute::Image::family),
               F("status", &api::compute::Image::status, kOutput),
               F("sourceType", &api::compute::Image::sourceType),
               F("sourceImage", &api::compute::Image::sourceImage),
               F("sourceDisk", &api::compute::Image::sourceDisk),
               F("architecture", &api::compute::Image::architecture),
               F("diskSizeGb", &api::compute::Image::diskSizeGb),
               F("archiveSizeBytes", &api::compute::Image::archiveSizeBytes, kOutput),
               F("labels", &api::compute::Image::labels),
               F("labelFingerprint", &api::compute::Image::labelFingerprint),
               F("deprecated", &api::compute::Image::deprecated),
               F("selfLink", &api::compute::Image::selfLink, kOutput)};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::Image>> =
    "ImageList";
template <>
inline constexpr std::string_view kTypeName<api::compute::ImageFamilyView> = "ImageFamilyView";
template <>
inline constexpr auto kFields<api::compute::ImageFamilyView> =
    std::tuple{F("image", &api::compute::ImageFamilyView::image)};

template <>
inline constexpr std::string_view kTypeName<api::compute::Disk> = "Disk";
template <>
inline constexpr auto kFields<api::compute::Disk> =
    std::tuple{F("kind", &api::compute::Disk::kind, kOutput),
               F("id", &api::compute::Disk::id, kOutput),
               F("creationTimestamp", &api::compute::Disk::creationTimestamp, kOutput),
               F("name", &api::compute::Disk::name, kRequired | kImmutable),
               F("description", &api::compute::Disk::description),
               F("zone", &api::compute::Disk::zone, kOutput),
               F("status", &api::compute::Disk::status, kOutput),
               F("sourceImage", &api::compute::Disk::sourceImage),
               F("type", &api::compute::Disk::type),
               F("sizeGb", &api::compute::Disk::sizeGb),
               F("users", &api::compute::Disk::users, kOutput),
               F("labels", &api::compute::Disk::labels),
               F("labelFingerprint", &api::compute::Disk::labelFingerprint),
               F("lastAttachTimestamp", &api::compute::Disk::lastAttachTimestamp, kOutput),
               F("lastDetachTimestamp", &api::compute::Disk::lastDetachTimestamp, kOutput),
               F("selfLink", &api::compute::Disk::selfLink, kOutput)};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::Disk>> = "DiskList";
template <>
inline constexpr std::string_view kTypeName<api::compute::DisksScopedList> = "DisksScopedList";
template <>
inline constexpr auto kFields<api::compute::DisksScopedList> =
    std::tuple{F("disks", &api::compute::DisksScopedList::disks),
               F("warning", &api::compute::DisksScopedList::warning)};
template <>
inline constexpr std::string_view
    kTypeName<api::compute::AggregatedListOf<api::compute::DisksScopedList>> = "DiskAggregatedList";

template <>
inline constexpr std::string_view kTypeName<api::compute::RoutingConfig> = "NetworkRoutingConfig";
template <>
inline constexpr auto kFields<api::compute::RoutingConfig> =
    std::tuple{F("routingMode", &api::compute::RoutingConfig::routingMode)};
template <>
inline constexpr std::string_view kTypeName<api::compute::Network> = "Network";
template <>
inline constexpr auto kFields<api::compute::Network> =
    std::tuple{F("kind", &api::compute::Network::kind, kOutput),
               F("id", &api::compute::Network::id, kOutput),
               F("creationTimestamp", &api::compute::Network::creationTimestamp, kOutput),
               F("name", &api::compute::Network::name, kRequired | kImmutable),
               F("description", &api::compute::Network::description),
               F("autoCreateSubnetworks", &api::compute::Network::autoCreateSubnetworks),
               F("subnetworks", &api::compute::Network::subnetworks, kOutput),
               F("routingConfig", &api::compute::Network::routingConfig),
               F("selfLink", &api::compute::Network::selfLink, kOutput)};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::Network>> =
    "NetworkList";

template <>
inline constexpr std::string_view kTypeName<api::compute::Project> = "Project";
template <>
inline constexpr auto kFields<api::compute::Project> =
    std::tuple{F("kind", &api::compute::Project::kind),
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
}  // namespace fireweed
