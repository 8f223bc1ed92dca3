// The tables of the catalogue as lists and single resources.
#include <fmt/format.h>

#include "compute/links.h"
#include "compute/paging.h"
#include "compute/projects_service.h"
#include "compute/refusals.h"

namespace fireweed::compute {
namespace {

namespace c = api::compute;

template <class T, class List>
c::ListOf<T> Page(const List& request, std::string kind, const std::string& path,
                  std::vector<T> all) {
  std::map<Key, T> by_name;
  for (T& item : all) by_name.emplace(item.name, std::move(item));
  PageOf<T> page = PageOfTable<T>(PageRequest(request), {by_name.begin(), by_name.end()});
  return {.kind = std::move(kind),
          .id = "projects/" + request.project + "/" + path,
          .items = page.TakeValues(),
          .nextPageToken = page.next,
          .selfLink = ProjectLink(request.project) + "/" + path};
}

template <class T>
T Pick(const std::string& project, const std::string& path, const std::string& name,
       std::vector<T> all) {
  for (T& item : all) {
    if (item.name == name) return std::move(item);
  }
  Missing(project, path + "/" + name);
}

// A table that is the same in every zone, over all zones. The page key is the zone and the name.
template <class Scoped, class T>
c::AggregatedListOf<Scoped> Aggregated(
    const c::ListProject& request, const std::string& collection, std::string kind,
    std::vector<T> Scoped::*items, const std::function<std::vector<T>(const std::string&)>& in) {
  PageRequest wanted(request);
  std::vector<std::pair<Key, T>> all;
  for (const std::string& zone : Catalogue::ZoneNames()) {
    for (T& item : in(zone)) {
      std::string key = zone + "/" + item.name;
      all.emplace_back(std::move(key), std::move(item));
    }
  }
  std::ranges::sort(all, {}, &std::pair<Key, T>::first);
  PageOf<T> page = PageOfTable<T>(wanted, std::move(all));
  c::AggregatedListOf<Scoped> reply{
      .kind = std::move(kind),
      .id = "projects/" + request.project + "/aggregated/" + collection,
      .nextPageToken = page.next,
      .selfLink = ProjectLink(request.project) + "/aggregated/" + collection};
  for (auto& [key, item] : page.items) {
    (reply.items["zones/" + key.substr(0, key.find('/'))].*items).push_back(std::move(item));
  }
  return reply;
}

}  // namespace

void CatalogueService::Serve(net::Router& router) {
  using Self = CatalogueService;
  router.On(c::kListZones, this, &Self::ListZones);
  router.On(c::kGetZone, this, &Self::GetZone);
  router.On(c::kListRegions, this, &Self::ListRegions);
  router.On(c::kGetRegion, this, &Self::GetRegion);
  router.On(c::kListMachineTypes, this, &Self::ListMachineTypes);
  router.On(c::kGetMachineType, this, &Self::GetMachineType);
  router.On(c::kAggregateMachineTypes, this, &Self::AggregateMachineTypes);
  router.On(c::kListDiskTypes, this, &Self::ListDiskTypes);
  router.On(c::kGetDiskType, this, &Self::GetDiskType);
  router.On(c::kAggregateDiskTypes, this, &Self::AggregateDiskTypes);
  router.On(c::kListAcceleratorTypes, this, &Self::ListAcceleratorTypes);
  router.On(c::kGetAcceleratorType, this, &Self::GetAcceleratorType);
  router.On(c::kAggregateAcceleratorTypes, this, &Self::AggregateAcceleratorTypes);
}

c::ListOf<c::Zone> CatalogueService::ListZones(const c::ListProject& request, const net::Call&) {
  std::vector<c::Zone> zones;
  for (const std::string& zone : Catalogue::ZoneNames()) {
    zones.push_back(catalogue_.ZoneResource(request.project, zone));
  }
  return Page(request, "compute#zoneList", "zones", std::move(zones));
}

c::Zone CatalogueService::GetZone(const c::GetGlobal& request, const net::Call&) {
  RequireZone(request.project, request.name);
  return catalogue_.ZoneResource(request.project, request.name);
}

c::ListOf<c::Region> CatalogueService::ListRegions(const c::ListProject& request,
                                                   const net::Call&) {
  std::vector<c::Region> regions;
  std::vector<c::Quota> quotas = quotas_.Show(request.project);
  for (const std::string& region : Catalogue::RegionNames()) {
    regions.push_back(catalogue_.RegionResource(request.project, region));
    regions.back().quotas = quotas;
  }
  return Page(request, "compute#regionList", "regions", std::move(regions));
}

c::Region CatalogueService::GetRegion(const c::GetGlobal& request, const net::Call&) {
  if (!Catalogue::HasRegion(request.name)) Missing(request.project, "regions/" + request.name);
  c::Region region = catalogue_.RegionResource(request.project, request.name);
  region.quotas = quotas_.Show(request.project);
  return region;
}

c::ListOf<c::MachineType> CatalogueService::ListMachineTypes(const c::ListZonal& request,
                                                             const net::Call&) {
  RequireZone(request.project, request.zone);
  std::vector<c::MachineType> types;
  for (const MachineShape& shape : catalogue_.Shapes()) {
    types.push_back(catalogue_.MachineTypeResource(request.project, request.zone, shape));
  }
  return Page(request, "compute#machineTypeList", "zones/" + request.zone + "/machineTypes",
              std::move(types));
}

c::MachineType CatalogueService::GetMachineType(const c::GetZonal& request, const net::Call&) {
  RequireZone(request.project, request.zone);
  std::optional<MachineShape> shape = catalogue_.FindShape(request.name);
  if (!shape) {
    Missing(request.project, "zones/" + request.zone + "/machineTypes/" + request.name);
  }
  return catalogue_.MachineTypeResource(request.project, request.zone, *shape);
}

c::AggregatedListOf<c::MachineTypesScopedList> CatalogueService::AggregateMachineTypes(
    const c::ListProject& request, const net::Call&) {
  return Aggregated<c::MachineTypesScopedList, c::MachineType>(
      request, "machineTypes", "compute#machineTypeAggregatedList",
      &c::MachineTypesScopedList::machineTypes, [&](const std::string& zone) {
        std::vector<c::MachineType> types;
        for (const MachineShape& shape : catalogue_.Shapes()) {
          types.push_back(catalogue_.MachineTypeResource(request.project, zone, shape));
        }
        return types;
      });
}

c::ListOf<c::DiskType> CatalogueService::ListDiskTypes(const c::ListZonal& request,
                                                       const net::Call&) {
  RequireZone(request.project, request.zone);
  return Page(request, "compute#diskTypeList", "zones/" + request.zone + "/diskTypes",
              catalogue_.DiskTypes(request.project, request.zone));
}

c::DiskType CatalogueService::GetDiskType(const c::GetZonal& request, const net::Call&) {
  RequireZone(request.project, request.zone);
  return Pick(request.project, "zones/" + request.zone + "/diskTypes", request.name,
              catalogue_.DiskTypes(request.project, request.zone));
}

c::AggregatedListOf<c::DiskTypesScopedList> CatalogueService::AggregateDiskTypes(
    const c::ListProject& request, const net::Call&) {
  return Aggregated<c::DiskTypesScopedList, c::DiskType>(
      request, "diskTypes", "compute#diskTypeAggregatedList", &c::DiskTypesScopedList::diskTypes,
      [&](const std::string& zone) { return catalogue_.DiskTypes(request.project, zone); });
}

c::ListOf<c::AcceleratorType> CatalogueService::ListAcceleratorTypes(const c::ListZonal& request,
                                                                     const net::Call&) {
  RequireZone(request.project, request.zone);
  return Page(request, "compute#acceleratorTypeList", "zones/" + request.zone + "/acceleratorTypes",
              catalogue_.AcceleratorTypes(request.project, request.zone));
}

c::AcceleratorType CatalogueService::GetAcceleratorType(const c::GetZonal& request,
                                                        const net::Call&) {
  RequireZone(request.project, request.zone);
  return Pick(request.project, "zones/" + request.zone + "/acceleratorTypes", request.name,
              catalogue_.AcceleratorTypes(request.project, request.zone));
}

c::AggregatedListOf<c::AcceleratorTypesScopedList> CatalogueService::AggregateAcceleratorTypes(
    const c::ListProject& request, const net::Call&) {
  return Aggregated<c::AcceleratorTypesScopedList, c::AcceleratorType>(
      request, "acceleratorTypes", "compute#acceleratorTypeAggregatedList",
      &c::AcceleratorTypesScopedList::acceleratorTypes,
      [&](const std::string& zone) { return catalogue_.AcceleratorTypes(request.project, zone); });
}

}  // namespace fireweed::compute
