// What the cloud has before anyone made anything: zones and regions, machine families with their sizes, disk and
// accelerator types, and how a machine type is cut down to this machine. Pure: tables and arithmetic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/catalogue.h"

namespace fireweed::compute {

// What there is to give to instances.
struct HostCapacity {
  int32_t cpus = 1;
  int64_t memory_mb = 1024;
  std::vector<std::string> accelerators;  // types present, one entry per card
};

struct MachineShape {
  std::string name;
  int32_t cpus = 1;  // as the guest sees it; shared-core types have a fraction of one
  double cpu_share = 1;
  int64_t memory_mb = 1024;
  bool shared_core = false;
  std::string description;
  std::string card;   // the type of its own cards
  int32_t cards = 0;  // how many come with it
};

// The shape after clipping to the host, and what to tell the user about it (ADR 57).
struct ClippedShape {
  double cpus = 0;
  int32_t visible_cpus = 0;  // as the guest counts them
  int64_t memory_mb = 0;
  std::vector<std::string> warnings;
};

class Catalogue {
 public:
  explicit Catalogue(HostCapacity host) : host_(std::move(host)) {}

  static std::vector<std::string> RegionNames();
  static std::vector<std::string> ZoneNames();
  static bool HasZone(std::string_view zone);
  static bool HasRegion(std::string_view region);

  // A predefined name, "n1-standard-4"; a custom one, "custom-4-8192" or "n2-custom-6-12288-ext"; or "local", the
  // whole machine. nullopt when there is none, or a custom type's numbers are not allowed.
  std::optional<MachineShape> FindShape(std::string_view name) const;
  std::vector<MachineShape> Shapes() const;
  ClippedShape Clip(const MachineShape& shape) const;
  // What to say of accelerators that were asked for and are not here; empty when all are.
  std::vector<std::string> AcceleratorWarnings(std::string_view type, int32_t count) const;

  api::compute::Zone ZoneResource(std::string_view project, std::string_view zone) const;
  api::compute::Region RegionResource(std::string_view project, std::string_view region) const;
  api::compute::MachineType MachineTypeResource(std::string_view project, std::string_view zone,
                                                const MachineShape& shape) const;
  std::vector<api::compute::DiskType> DiskTypes(std::string_view project,
                                                std::string_view zone) const;
  std::vector<api::compute::AcceleratorType> AcceleratorTypes(std::string_view project,
                                                              std::string_view zone) const;
  const HostCapacity& host() const { return host_; }

 private:
  const HostCapacity host_;
};

}  // namespace fireweed::compute
