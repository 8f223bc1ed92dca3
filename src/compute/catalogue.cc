#include "compute/catalogue.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/checksum.h"
#include "compute/links.h"

namespace fireweed::compute {
namespace {

struct RegionLetters {
  std::string_view region, zones;
};
constexpr RegionLetters kRegions[] = {
    {"africa-south1", "abc"},
    {"asia-east1", "abc"},
    {"asia-east2", "abc"},
    {"asia-northeast1", "abc"},
    {"asia-northeast2", "abc"},
    {"asia-northeast3", "abc"},
    {"asia-south1", "abc"},
    {"asia-south2", "abc"},
    {"asia-southeast1", "abc"},
    {"asia-southeast2", "abc"},
    {"australia-southeast1", "abc"},
    {"australia-southeast2", "abc"},
    {"europe-central2", "abc"},
    {"europe-north1", "abc"},
    {"europe-southwest1", "abc"},
    {"europe-west1", "bcd"},
    {"europe-west10", "abc"},
    {"europe-west12", "abc"},
    {"europe-west2", "abc"},
    {"europe-west3", "abc"},
    {"europe-west4", "abc"},
    {"europe-west6", "abc"},
    {"europe-west8", "abc"},
    {"europe-west9", "abc"},
    {"me-central1", "abc"},
    {"me-west1", "abc"},
    {"northamerica-northeast1", "abc"},
    {"northamerica-northeast2", "abc"},
    {"southamerica-east1", "abc"},
    {"southamerica-west1", "abc"},
    {"us-central1", "abcf"},
    {"us-east1", "bcd"},
    {"us-east4", "abc"},
    {"us-east5", "abc"},
    {"us-south1", "abc"},
    {"us-west1", "abc"},
    {"us-west2", "abc"},
    {"us-west3", "abc"},
    {"us-west4", "abc"},
};

// vCPU counts are a list of numbers; memory follows from a ratio.
struct Family {
  std::string_view prefix;  // "n1-standard"
  double mb_per_cpu;
  std::string_view cpus;
};
constexpr Family kFamilies[] = {
    {"n1-standard", 3840, "1 2 4 8 16 32 64 96"},
    {"n1-highmem", 6656, "2 4 8 16 32 64 96"},
    {"n1-highcpu", 921.6, "2 4 8 16 32 64 96"},
    {"n2-standard", 4096, "2 4 8 16 32 48 64 80 96 128"},
    {"n2-highmem", 8192, "2 4 8 16 32 48 64 80 96 128"},
    {"n2-highcpu", 1024, "2 4 8 16 32 48 64 80 96"},
    {"n2d-standard", 4096, "2 4 8 16 32 48 64 80 96 128 224"},
    {"n2d-highmem", 8192, "2 4 8 16 32 48 64 80 96"},
    {"n2d-highcpu", 1024, "2 4 8 16 32 48 64 80 96 128 224"},
    {"e2-standard", 4096, "2 4 8 16 32"},
    {"e2-highmem", 8192, "2 4 8 16"},
    {"e2-highcpu", 1024, "2 4 8 16 32"},
    {"c2-standard", 4096, "4 8 16 30 60"},
    {"c2d-standard", 4096, "2 4 8 16 32 56 112"},
    {"c2d-highmem", 8192, "2 4 8 16 32 56 112"},
    {"c2d-highcpu", 2048, "2 4 8 16 32 56 112"},
    {"c3-standard", 4096, "4 8 22 44 88 176"},
    {"c3-highmem", 8192, "4 8 22 44 88 176"},
    {"c3-highcpu", 2048, "4 8 22 44 88 176"},
    {"t2d-standard", 4096, "1 2 4 8 16 32 48 60"},
    {"t2a-standard", 4096, "1 2 4 8 16 32 48"},
    {"g2-standard", 4096, "4 8 12 16 24 32 48 96"},
};

struct Special {
  std::string_view name;
  int32_t cpus;
  double share;
  int64_t memory_mb;
};
constexpr Special kSpecials[] = {
    {"f1-micro", 1, 0.2, 614},
    {"g1-small", 1, 0.5, 1740},
    {"e2-micro", 2, 0.25, 1024},
    {"e2-small", 2, 0.5, 2048},
    {"e2-medium", 2, 1, 4096},
    {"a2-highgpu-1g", 12, 12, 87040},
    {"a2-highgpu-2g", 24, 24, 174080},
    {"a2-highgpu-4g", 48, 48, 348160},
    {"a2-highgpu-8g", 96, 96, 696320},
    {"a2-megagpu-16g", 96, 96, 1392640},
    {"a2-ultragpu-1g", 12, 12, 174080},
    {"a2-ultragpu-2g", 24, 24, 348160},
    {"a2-ultragpu-4g", 48, 48, 696320},
    {"a2-ultragpu-8g", 96, 96, 1392640},
    {"a3-highgpu-8g", 208, 208, 1916928},
    {"m1-megamem-96", 96, 96, 1468006},
    {"m1-ultramem-40", 40, 40, 984064},
    {"m1-ultramem-80", 80, 80, 1968128},
    {"m1-ultramem-160", 160, 160, 3936256},
};

// Types whose cards come with them.
struct OwnCards {
  std::string_view machine, card;
  int32_t count;
};
constexpr OwnCards kOwnCards[] = {
    {"a2-highgpu-1g", "nvidia-tesla-a100", 1},   {"a2-highgpu-2g", "nvidia-tesla-a100", 2},
    {"a2-highgpu-4g", "nvidia-tesla-a100", 4},   {"a2-highgpu-8g", "nvidia-tesla-a100", 8},
    {"a2-megagpu-16g", "nvidia-tesla-a100", 16}, {"a2-ultragpu-1g", "nvidia-a100-80gb", 1},
    {"a2-ultragpu-2g", "nvidia-a100-80gb", 2},   {"a2-ultragpu-4g", "nvidia-a100-80gb", 4},
    {"a2-ultragpu-8g", "nvidia-a100-80gb", 8},   {"a3-highgpu-8g", "nvidia-h100-80gb", 8},
    {"g2-standard-4", "nvidia-l4", 1},           {"g2-standard-8", "nvidia-l4", 1},
    {"g2-standard-12", "nvidia-l4", 1},          {"g2-standard-16", "nvidia-l4", 1},
    {"g2-standard-24", "nvidia-l4", 2},          {"g2-standard-32", "nvidia-l4", 1},
    {"g2-standard-48", "nvidia-l4", 4},          {"g2-standard-96", "nvidia-l4", 8},
};

constexpr std::string_view kCustomFamilies[] = {"n1", "n2", "n2d", "e2"};
constexpr std::string_view kAccelerators[] = {
    "nvidia-tesla-k80", "nvidia-tesla-p4",   "nvidia-tesla-p100", "nvidia-tesla-v100",
    "nvidia-tesla-t4",  "nvidia-tesla-a100", "nvidia-a100-80gb",  "nvidia-l4",
    "nvidia-h100-80gb", "nvidia-h200-141gb",
};

// The same id for the same name, always: clients keep ids.
int64_t StableId(std::string_view text) {
  return 1'000 + static_cast<int64_t>(Crc32c(std::as_bytes(std::span(text.data(), text.size()))));
}

constexpr std::string_view kEpoch = "1969-12-31T16:00:00.000-08:00";  // as Google shows it

std::optional<int64_t> ReadNumber(std::string_view text) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<int32_t> Counts(std::string_view text) {
  std::vector<int32_t> counts;
  while (!text.empty()) {
    size_t space = text.find(' ');
    counts.push_back(static_cast<int32_t>(ReadNumber(text.substr(0, space)).value_or(0)));
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
  }
  return counts;
}

MachineShape WithOwnCards(MachineShape shape) {
  auto own = std::ranges::find(kOwnCards, std::string_view(shape.name), &OwnCards::machine);
  if (own == std::end(kOwnCards)) return shape;
  shape.card = own->card;
  shape.cards = own->count;
  shape.description += fmt::format(", {} x {}", own->count, own->card);
  return shape;
}

MachineShape FamilyShape(const Family& family, int32_t cpus) {
  int64_t memory = std::llround(family.mb_per_cpu * cpus);
  return WithOwnCards(
      {.name = fmt::format("{}-{}", family.prefix, cpus),
       .cpus = cpus,
       .cpu_share = static_cast<double>(cpus),
       .memory_mb = memory,
       .description = fmt::format("{} vCPUs, {:g} GB RAM", cpus, std::round(memory / 102.4) / 10)});
}

MachineShape SpecialShape(const Special& special) {
  return WithOwnCards(
      {.name = std::string(special.name),
       .cpus = special.cpus,
       .cpu_share = special.share,
       .memory_mb = special.memory_mb,
       .shared_core = special.share < special.cpus,
       .description = fmt::format("{} vCPUs, {} MB RAM", special.cpus, special.memory_mb)});
}

// "custom-CPUS-MB", "n2-custom-CPUS-MB", either with "-ext".
std::optional<MachineShape> CustomShape(std::string_view name) {
  std::string_view rest = name;
  if (!rest.starts_with("custom-")) {
    size_t at = rest.find("-custom-");
    if (at == std::string_view::npos) return std::nullopt;
    if (std::ranges::find(kCustomFamilies, rest.substr(0, at)) == std::end(kCustomFamilies)) {
      return std::nullopt;
    }
    rest.remove_prefix(at + 1);
  }
  rest.remove_prefix(std::string_view("custom-").size());
  if (rest.ends_with("-ext")) rest.remove_suffix(4);
  size_t dash = rest.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  std::optional<int64_t> cpus = ReadNumber(rest.substr(0, dash));
  std::optional<int64_t> memory = ReadNumber(rest.substr(dash + 1));
  bool sound = cpus && memory && *cpus >= 1 && *cpus <= 224 && (*cpus == 1 || *cpus % 2 == 0) &&
               *memory >= 256 && *memory % 256 == 0 && *memory <= 8 << 20;
  if (!sound) return std::nullopt;
  return MachineShape{.name = std::string(name),
                      .cpus = static_cast<int32_t>(*cpus),
                      .cpu_share = static_cast<double>(*cpus),
                      .memory_mb = *memory,
                      .description = fmt::format("Custom: {} vCPUs, {} MB RAM", *cpus, *memory)};
}

}  // namespace

std::vector<std::string> Catalogue::RegionNames() {
  std::vector<std::string> names;
  for (const RegionLetters& region : kRegions) names.emplace_back(region.region);
  return names;
}

std::vector<std::string> Catalogue::ZoneNames() {
  std::vector<std::string> names;
  for (const RegionLetters& region : kRegions) {
    for (char letter : region.zones) names.push_back(fmt::format("{}-{}", region.region, letter));
  }
  return names;
}

bool Catalogue::HasZone(std::string_view zone) {
  for (const RegionLetters& region : kRegions) {
    if (zone.size() == region.region.size() + 2 && zone.starts_with(region.region) &&
        zone[region.region.size()] == '-') {
      return region.zones.find(zone.back()) != std::string_view::npos;
    }
  }
  return false;
}

bool Catalogue::HasRegion(std::string_view region) {
  return std::ranges::any_of(kRegions, [&](const auto& known) { return known.region == region; });
}

std::optional<MachineShape> Catalogue::FindShape(std::string_view name) const {
  if (name == "local") {
    return MachineShape{.name = "local",
                        .cpus = host_.cpus,
                        .cpu_share = static_cast<double>(host_.cpus),
                        .memory_mb = host_.memory_mb,
                        .description = "The whole machine"};
  }
  for (const Special& special : kSpecials) {
    if (special.name == name) return SpecialShape(special);
  }
  size_t dash = name.rfind('-');
  if (dash != std::string_view::npos) {
    std::optional<int64_t> cpus = ReadNumber(name.substr(dash + 1));
    for (const Family& family : kFamilies) {
      if (!cpus || family.prefix != name.substr(0, dash)) continue;
      std::vector<int32_t> counts = Counts(family.cpus);
      if (std::ranges::find(counts, *cpus) == counts.end()) return std::nullopt;
      return FamilyShape(family, static_cast<int32_t>(*cpus));
    }
  }
  return CustomShape(name);
}

std::vector<MachineShape> Catalogue::Shapes() const {
  std::vector<MachineShape> shapes;
  for (const Special& special : kSpecials) shapes.push_back(SpecialShape(special));
  for (const Family& family : kFamilies) {
    for (int32_t cpus : Counts(family.cpus)) shapes.push_back(FamilyShape(family, cpus));
  }
  shapes.push_back(*FindShape("local"));
  std::ranges::sort(shapes, {}, &MachineShape::name);
  return shapes;
}

ClippedShape Catalogue::Clip(const MachineShape& shape) const {
  ClippedShape clipped{.cpus = std::min(shape.cpu_share, static_cast<double>(host_.cpus)),
                       .visible_cpus = std::min(shape.cpus, host_.cpus),
                       .memory_mb = std::min(shape.memory_mb, host_.memory_mb)};
  if (clipped.cpus < shape.cpu_share || clipped.memory_mb < shape.memory_mb) {
    clipped.warnings.push_back(fmt::format(
        "Machine type {} asks for {} vCPUs and {} MB of memory; this machine gives {:g} and {}.",
        shape.name, shape.cpus, shape.memory_mb, clipped.cpus, clipped.memory_mb));
  }
  return clipped;
}

std::vector<std::string> Catalogue::AcceleratorWarnings(std::string_view type,
                                                        int32_t count) const {
  int64_t here = std::ranges::count(host_.accelerators, type);
  if (here >= count) return {};
  std::string instead = here == 0 ? "none is used" : fmt::format("{} will be used", here);
  return {fmt::format("{} x {} requested; this host has {}, so {}.", count, type, here, instead)};
}

api::compute::Zone Catalogue::ZoneResource(std::string_view project, std::string_view zone) const {
  return {.id = StableId(zone),
          .creationTimestamp = std::string(kEpoch),
          .name = std::string(zone),
          .description = std::string(zone),
          .region = RegionLink(project, RegionOf(zone)),
          .selfLink = ZoneLink(project, zone)};
}

api::compute::Region Catalogue::RegionResource(std::string_view project,
                                               std::string_view region) const {
  api::compute::Region shown{.id = StableId(region),
                             .creationTimestamp = std::string(kEpoch),
                             .name = std::string(region),
                             .description = std::string(region),
                             .selfLink = RegionLink(project, region)};
  for (const std::string& zone : ZoneNames()) {
    if (RegionOf(zone) == region) shown.zones.push_back(ZoneLink(project, zone));
  }
  return shown;
}

api::compute::MachineType Catalogue::MachineTypeResource(std::string_view project,
                                                         std::string_view zone,
                                                         const MachineShape& shape) const {
  api::compute::MachineType type{
      .id = StableId(shape.name),
      .creationTimestamp = std::string(kEpoch),
      .name = shape.name,
      .description = shape.description,
      .guestCpus = shape.cpus,
      .memoryMb = static_cast<int32_t>(shape.memory_mb),
      .isSharedCpu = shape.shared_core,
      .zone = std::string(zone),
      .selfLink = ScopedLink(project, fmt::format("zones/{}", zone), "machineTypes", shape.name)};
  if (shape.cards > 0) type.accelerators = {{shape.card, shape.cards}};
  return type;
}

std::vector<api::compute::DiskType> Catalogue::DiskTypes(std::string_view project,
                                                         std::string_view zone) const {
  std::vector<api::compute::DiskType> types;
  for (std::string_view name : {"local-ssd", "pd-balanced", "pd-ssd", "pd-standard"}) {
    types.push_back(
        {.id = StableId(name),
         .creationTimestamp = std::string(kEpoch),
         .name = std::string(name),
         .description = std::string(name),
         .validDiskSize = name == "local-ssd" ? "375GB-375GB" : "10GB-65536GB",
         .zone = ZoneLink(project, zone),
         .selfLink = ScopedLink(project, fmt::format("zones/{}", zone), "diskTypes", name),
         .defaultDiskSizeGb = name == "local-ssd" ? 375 : 100});
  }
  return types;
}

std::vector<api::compute::AcceleratorType> Catalogue::AcceleratorTypes(
    std::string_view project, std::string_view zone) const {
  std::vector<api::compute::AcceleratorType> types;
  // The public ones, and what else this machine has.
  std::set<std::string_view> names(std::begin(kAccelerators), std::end(kAccelerators));
  names.insert(host_.accelerators.begin(), host_.accelerators.end());
  for (std::string_view name : names) {
    types.push_back(
        {.id = StableId(name),
         .creationTimestamp = std::string(kEpoch),
         .name = std::string(name),
         .description = std::string(name),
         .zone = ZoneLink(project, zone),
         .selfLink = ScopedLink(project, fmt::format("zones/{}", zone), "acceleratorTypes", name)});
  }
  return types;
}

}  // namespace fireweed::compute
