// Disks as the API shows them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/service.h"

namespace fireweed::api::compute {

struct Disk {
  std::string kind = "compute#disk";
  int64_t id = 0;
  std::string creationTimestamp, name, description, zone, status = "READY", type;
  std::string sourceImage, sourceImageId, sourceDisk, sourceSnapshot;
  int64_t sizeGb = 0, physicalBlockSizeBytes = 4096;
  std::vector<std::string> users, licenses;
  std::map<std::string, std::string> labels;
  Bytes labelFingerprint;
  std::string lastAttachTimestamp, lastDetachTimestamp, selfLink;
};
struct DisksScopedList {
  std::vector<Disk> disks;
  std::optional<Warning> warning;
};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::compute::Disk> = "Disk";
template <>
inline constexpr auto kFields<api::compute::Disk> = [](auto...) {
  return Fields{F("kind", &api::compute::Disk::kind, kOutput),
                F("id", &api::compute::Disk::id, kOutput),
                F("creationTimestamp", &api::compute::Disk::creationTimestamp, kOutput),
                F("name", &api::compute::Disk::name, kRequired | kImmutable),
                F("description", &api::compute::Disk::description),
                F("zone", &api::compute::Disk::zone, kOutput),
                F("status", &api::compute::Disk::status, kOutput),
                F("sourceImage", &api::compute::Disk::sourceImage, kImmutable),
                F("sourceImageId", &api::compute::Disk::sourceImageId, kOutput),
                F("sourceDisk", &api::compute::Disk::sourceDisk, kImmutable),
                F("sourceSnapshot", &api::compute::Disk::sourceSnapshot, kImmutable),
                F("type", &api::compute::Disk::type),
                F("sizeGb", &api::compute::Disk::sizeGb),
                F("physicalBlockSizeBytes", &api::compute::Disk::physicalBlockSizeBytes),
                F("users", &api::compute::Disk::users, kOutput),
                F("licenses", &api::compute::Disk::licenses),
                F("labels", &api::compute::Disk::labels),
                F("labelFingerprint", &api::compute::Disk::labelFingerprint),
                F("lastAttachTimestamp", &api::compute::Disk::lastAttachTimestamp, kOutput),
                F("lastDetachTimestamp", &api::compute::Disk::lastDetachTimestamp, kOutput),
                F("selfLink", &api::compute::Disk::selfLink, kOutput)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::Disk>> = "DiskList";
template <>
inline constexpr std::string_view kTypeName<api::compute::DisksScopedList> = "DisksScopedList";
template <>
inline constexpr auto kFields<api::compute::DisksScopedList> = [](auto...) {
  return Fields{F("disks", &api::compute::DisksScopedList::disks),
                F("warning", &api::compute::DisksScopedList::warning)};
};
template <>
inline constexpr std::string_view
    kTypeName<api::compute::AggregatedListOf<api::compute::DisksScopedList>> = "DiskAggregatedList";
}  // namespace fireweed
