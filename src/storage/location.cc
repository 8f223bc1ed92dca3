#include "storage/location.h"

#include <algorithm>
#include <iterator>

namespace fireweed::storage {
namespace {

constexpr std::string_view kMulti[] = {"US", "EU", "ASIA"};
constexpr std::string_view kDual[] = {"NAM4", "EUR4", "EUR5", "EUR7", "EUR8", "ASIA1"};
constexpr std::string_view kRegions[] = {"AFRICA-SOUTH1",
                                         "ASIA-EAST1",
                                         "ASIA-EAST2",
                                         "ASIA-NORTHEAST1",
                                         "ASIA-NORTHEAST2",
                                         "ASIA-NORTHEAST3",
                                         "ASIA-SOUTH1",
                                         "ASIA-SOUTH2",
                                         "ASIA-SOUTHEAST1",
                                         "ASIA-SOUTHEAST2",
                                         "AUSTRALIA-SOUTHEAST1",
                                         "AUSTRALIA-SOUTHEAST2",
                                         "EUROPE-CENTRAL2",
                                         "EUROPE-NORTH1",
                                         "EUROPE-NORTH2",
                                         "EUROPE-SOUTHWEST1",
                                         "EUROPE-WEST1",
                                         "EUROPE-WEST10",
                                         "EUROPE-WEST12",
                                         "EUROPE-WEST2",
                                         "EUROPE-WEST3",
                                         "EUROPE-WEST4",
                                         "EUROPE-WEST6",
                                         "EUROPE-WEST8",
                                         "EUROPE-WEST9",
                                         "ME-CENTRAL1",
                                         "ME-CENTRAL2",
                                         "ME-WEST1",
                                         "NORTHAMERICA-NORTHEAST1",
                                         "NORTHAMERICA-NORTHEAST2",
                                         "NORTHAMERICA-SOUTH1",
                                         "SOUTHAMERICA-EAST1",
                                         "SOUTHAMERICA-WEST1",
                                         "US-CENTRAL1",
                                         "US-EAST1",
                                         "US-EAST4",
                                         "US-EAST5",
                                         "US-SOUTH1",
                                         "US-WEST1",
                                         "US-WEST2",
                                         "US-WEST3",
                                         "US-WEST4"};

template <size_t N>
bool Has(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

std::string_view LocationType(std::string_view location) {
  if (Has(kMulti, location)) return "multi-region";
  if (Has(kDual, location)) return "dual-region";
  return Has(kRegions, location) ? "region" : "";
}

bool MayPair(std::string_view around, std::string_view one, std::string_view other) {
  std::string_view head = around == "EU" ? "EUROPE-" : (around == "ASIA" ? "ASIA-" : "US-");
  return one != other && Has(kRegions, one) && Has(kRegions, other) && one.starts_with(head) &&
         other.starts_with(head);
}

}  // namespace fireweed::storage
