// What a project finds without having made it: zones, regions, machine types, disk types, accelerator types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/service.h"

namespace fireweed::api::compute {

struct Zone {
  std::string kind = "compute#zone";
  int64_t id = 0;
  std::string creationTimestamp, name, description, status = "UP", region, selfLink;
};

struct Quota {
  std::string metric;
  double limit = 0, usage = 0;
};
struct Region {
  std::string kind = "compute#region";
  int64_t id = 0;
  std::string creationTimestamp, name, description, status = "UP";
  std::vector<std::string> zones;
  std::vector<Quota> quotas;
  std::string selfLink;
};

struct MachineTypeCards {  // cards that come with a type
  std::string guestAcceleratorType;
  int32_t guestAcceleratorCount = 0;
};
struct MachineType {
  std::string kind = "compute#machineType";
  int64_t id = 0;
  std::string creationTimestamp, name, description;
  int32_t guestCpus = 0, memoryMb = 0;
  int32_t maximumPersistentDisks = 128;
  int64_t maximumPersistentDisksSizeGb = 263168;
  bool isSharedCpu = false;
  std::string zone;  // the bare name
  std::string selfLink;
  std::vector<MachineTypeCards> accelerators;
};
struct MachineTypesScopedList {
  std::vector<MachineType> machineTypes;
  std::optional<Warning> warning;
};

struct DiskType {
  std::string kind = "compute#diskType";
  int64_t id = 0;
  std::string creationTimestamp, name, description, validDiskSize, zone, selfLink;
  int64_t defaultDiskSizeGb = 0;
};
struct DiskTypesScopedList {
  std::vector<DiskType> diskTypes;
  std::optional<Warning> warning;
};

struct AcceleratorType {
  std::string kind = "compute#acceleratorType";
  int64_t id = 0;
  std::string creationTimestamp, name, description, zone, selfLink;
  int32_t maximumCardsPerInstance = 8;
};
struct AcceleratorTypesScopedList {
  std::vector<AcceleratorType> acceleratorTypes;
  std::optional<Warning> warning;
};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::compute::Zone> = "Zone";
template <>
inline constexpr auto kFields<api::compute::Zone> = [](auto...) {
  return Fields{F("kind", &api::compute::Zone::kind),
                F("id", &api::compute::Zone::id),
                F("creationTimestamp", &api::compute::Zone::creationTimestamp),
                F("name", &api::compute::Zone::name),
                F("description", &api::compute::Zone::description),
                F("status", &api::compute::Zone::status),
                F("region", &api::compute::Zone::region),
                F("selfLink", &api::compute::Zone::selfLink)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::Zone>> = "ZoneList";
template <>
inline constexpr std::string_view kTypeName<api::compute::Quota> = "Quota";
template <>
inline constexpr auto kFields<api::compute::Quota> = [](auto...) {
  return Fields{F("metric", &api::compute::Quota::metric), F("limit", &api::compute::Quota::limit),
                F("usage", &api::compute::Quota::usage)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::Region> = "Region";
template <>
inline constexpr auto kFields<api::compute::Region> = [](auto...) {
  return Fields{F("kind", &api::compute::Region::kind),
                F("id", &api::compute::Region::id),
                F("creationTimestamp", &api::compute::Region::creationTimestamp),
                F("name", &api::compute::Region::name),
                F("description", &api::compute::Region::description),
                F("status", &api::compute::Region::status),
                F("zones", &api::compute::Region::zones),
                F("quotas", &api::compute::Region::quotas),
                F("selfLink", &api::compute::Region::selfLink)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::Region>> =
    "RegionList";
template <>
inline constexpr std::string_view kTypeName<api::compute::MachineTypeCards> =
    "MachineTypeAccelerators";
template <>
inline constexpr auto kFields<api::compute::MachineTypeCards> = [](auto...) {
  return Fields{F("guestAcceleratorType", &api::compute::MachineTypeCards::guestAcceleratorType),
                F("guestAcceleratorCount", &api::compute::MachineTypeCards::guestAcceleratorCount)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::MachineType> = "MachineType";
template <>
inline constexpr auto kFields<api::compute::MachineType> = [](auto...) {
  return Fields{
      F("kind", &api::compute::MachineType::kind),
      F("id", &api::compute::MachineType::id),
      F("creationTimestamp", &api::compute::MachineType::creationTimestamp),
      F("name", &api::compute::MachineType::name),
      F("description", &api::compute::MachineType::description),
      F("guestCpus", &api::compute::MachineType::guestCpus),
      F("memoryMb", &api::compute::MachineType::memoryMb),
      F("maximumPersistentDisks", &api::compute::MachineType::maximumPersistentDisks),
      F("maximumPersistentDisksSizeGb", &api::compute::MachineType::maximumPersistentDisksSizeGb),
      F("isSharedCpu", &api::compute::MachineType::isSharedCpu),
      F("zone", &api::compute::MachineType::zone),
      F("selfLink", &api::compute::MachineType::selfLink),
      F("accelerators", &api::compute::MachineType::accelerators)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::MachineType>> =
    "MachineTypeList";
template <>
inline constexpr std::string_view kTypeName<api::compute::MachineTypesScopedList> =
    "MachineTypesScopedList";
template <>
inline constexpr auto kFields<api::compute::MachineTypesScopedList> = [](auto...) {
  return Fields{F("machineTypes", &api::compute::MachineTypesScopedList::machineTypes),
                F("warning", &api::compute::MachineTypesScopedList::warning)};
};
template <>
inline constexpr std::string_view
    kTypeName<api::compute::AggregatedListOf<api::compute::MachineTypesScopedList>> =
        "MachineTypeAggregatedList";
template <>
inline constexpr std::string_view kTypeName<api::compute::DiskType> = "DiskType";
template <>
inline constexpr auto kFields<api::compute::DiskType> = [](auto...) {
  return Fields{F("kind", &api::compute::DiskType::kind),
                F("id", &api::compute::DiskType::id),
                F("creationTimestamp", &api::compute::DiskType::creationTimestamp),
                F("name", &api::compute::DiskType::name),
                F("description", &api::compute::DiskType::description),
                F("validDiskSize", &api::compute::DiskType::validDiskSize),
                F("defaultDiskSizeGb", &api::compute::DiskType::defaultDiskSizeGb),
                F("zone", &api::compute::DiskType::zone),
                F("selfLink", &api::compute::DiskType::selfLink)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::DiskType>> =
    "DiskTypeList";
template <>
inline constexpr std::string_view kTypeName<api::compute::DiskTypesScopedList> =
    "DiskTypesScopedList";
template <>
inline constexpr auto kFields<api::compute::DiskTypesScopedList> = [](auto...) {
  return Fields{F("diskTypes", &api::compute::DiskTypesScopedList::diskTypes),
                F("warning", &api::compute::DiskTypesScopedList::warning)};
};
template <>
inline constexpr std::string_view
    kTypeName<api::compute::AggregatedListOf<api::compute::DiskTypesScopedList>> =
        "DiskTypeAggregatedList";
template <>
inline constexpr std::string_view kTypeName<api::compute::AcceleratorType> = "AcceleratorType";
template <>
inline constexpr auto kFields<api::compute::AcceleratorType> = [](auto...) {
  return Fields{
      F("kind", &api::compute::AcceleratorType::kind),
      F("id", &api::compute::AcceleratorType::id),
      F("creationTimestamp", &api::compute::AcceleratorType::creationTimestamp),
      F("name", &api::compute::AcceleratorType::name),
      F("description", &api::compute::AcceleratorType::description),
      F("maximumCardsPerInstance", &api::compute::AcceleratorType::maximumCardsPerInstance),
      F("zone", &api::compute::AcceleratorType::zone),
      F("selfLink", &api::compute::AcceleratorType::selfLink)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::AcceleratorType>> =
    "AcceleratorTypeList";
template <>
inline constexpr std::string_view kTypeName<api::compute::AcceleratorTypesScopedList> =
    "AcceleratorTypesScopedList";
template <>
inline constexpr auto kFields<api::compute::AcceleratorTypesScopedList> = [](auto...) {
  return Fields{F("acceleratorTypes", &api::compute::AcceleratorTypesScopedList::acceleratorTypes),
                F("warning", &api::compute::AcceleratorTypesScopedList::warning)};
};
template <>
inline constexpr std::string_view
    kTypeName<api::compute::AggregatedListOf<api::compute::AcceleratorTypesScopedList>> =
        "AcceleratorTypeAggregatedList";
}  // namespace fireweed
