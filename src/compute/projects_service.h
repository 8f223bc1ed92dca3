// A project as compute sees it, its common metadata, and the tables every project finds: zones, regions, machine,
// disk and accelerator types.
#pragma once

#include <functional>
#include <string>

#include "api/compute/methods.h"
#include "base/clock.h"
#include "base/ids.h"
#include "catalog/catalog.h"
#include "compute/catalogue.h"
#include "compute/instance_identity.h"
#include "compute/quota.h"
#include "net/router.h"

namespace fireweed::compute {

// Handlers run on pool threads.
class ProjectsService {
 public:
  ProjectsService(Catalog& catalog, InstanceIdentity& identity, const ProjectQuotas& quotas,
                  IdSource& ids, const Clock& clock)
      : catalog_(catalog), identity_(identity), quotas_(quotas), ids_(ids), clock_(clock) {}
  void Serve(net::Router& router);

  api::compute::Project Get(const api::compute::ProjectRequest& request, const net::Call& call);
  api::compute::Operation SetMetadata(const api::compute::SetProjectMetadata& request,
                                      const net::Call& call);

 private:
  Catalog& catalog_;
  InstanceIdentity& identity_;
  const ProjectQuotas& quotas_;
  IdSource& ids_;
  const Clock& clock_;
};

class CatalogueService {
 public:
  CatalogueService(const Catalogue& catalogue, const ProjectQuotas& quotas)
      : catalogue_(catalogue), quotas_(quotas) {}
  void Serve(net::Router& router);

  api::compute::ListOf<api::compute::Zone> ListZones(const api::compute::ListProject& request,
                                                     const net::Call& call);
  api::compute::Zone GetZone(const api::compute::GetGlobal& request, const net::Call& call);
  api::compute::ListOf<api::compute::Region> ListRegions(const api::compute::ListProject& request,
                                                         const net::Call& call);
  api::compute::Region GetRegion(const api::compute::GetGlobal& request, const net::Call& call);
  api::compute::ListOf<api::compute::MachineType> ListMachineTypes(
      const api::compute::ListZonal& request, const net::Call& call);
  api::compute::MachineType GetMachineType(const api::compute::GetZonal& request,
                                           const net::Call& call);
  api::compute::AggregatedListOf<api::compute::MachineTypesScopedList> AggregateMachineTypes(
      const api::compute::ListProject& request, const net::Call& call);
  api::compute::ListOf<api::compute::DiskType> ListDiskTypes(const api::compute::ListZonal& request,
                                                             const net::Call& call);
  api::compute::DiskType GetDiskType(const api::compute::GetZonal& request, const net::Call& call);
  api::compute::AggregatedListOf<api::compute::DiskTypesScopedList> AggregateDiskTypes(
      const api::compute::ListProject& request, const net::Call& call);
  api::compute::ListOf<api::compute::AcceleratorType> ListAcceleratorTypes(
      const api::compute::ListZonal& request, const net::Call& call);
  api::compute::AcceleratorType GetAcceleratorType(const api::compute::GetZonal& request,
                                                   const net::Call& call);
  api::compute::AggregatedListOf<api::compute::AcceleratorTypesScopedList>
  AggregateAcceleratorTypes(const api::compute::ListProject& request, const net::Call& call);

 private:
  const Catalogue& catalogue_;
  const ProjectQuotas& quotas_;
};

}  // namespace fireweed::compute
