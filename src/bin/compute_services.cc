#include "bin/compute_services.h"

#include <unistd.h>

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "bin/cards.h"
#include "storage/stored_bytes.h"

namespace fireweed {
namespace {

// What this machine has for instances.
compute::HostCapacity HostCapacityHere(const std::vector<HostCard>& cards) {
  compute::HostCapacity host;
  for (const HostCard& card : cards) host.accelerators.push_back(card.type);
  host.cpus = static_cast<int32_t>(std::max(1u, std::thread::hardware_concurrency()));
  host.memory_mb = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE) >> 20;
  return host;
}

// Objects that a project holds, while they are counted.
identity::QuotaAmounts StorageUse(Txn& txn, const identity::Projects& projects,
                                  const std::string& id) {
  auto project = projects.Find(txn, id);
  int64_t bytes = project ? storage::StoredBytesOf(txn, project->projectNumber) : 0;
  if (bytes == 0) return {};
  return {{identity::kStorageMetric, static_cast<double>(bytes) / (1 << 30)}};
}

}  // namespace

ComputeServices::ComputeServices(Ground& ground, People& people)
    : accounts(ground.catalog, people.projects, people.tokens, people.signing_keys),
      cards(CardsHere(ground.options.config.compute, ground.log)),
      catalogue(HostCapacityHere(cards)),
      quotas(ground.catalog, catalogue, QuotaLimitsOf(ground.options.config),
             [&people](Txn& txn, const std::string& project) {
               return StorageUse(txn, people.projects, project);
             }),
      images_service(ground.catalog, people.access, accounts, ground.ids, ground.clock,
                     ground.options.config.strict_instances()),
      disks_service(ground.catalog, people.access, accounts, catalogue, quotas.limits(), ground.ids,
                    ground.clock, ground.options.config.strict_instances()),
      networks_service(ground.catalog, ground.ids, ground.clock),
      compute_projects(ground.catalog, accounts, quotas, ground.ids, ground.clock),
      catalogue_service(catalogue, quotas),
      instances_service(ground.catalog, people.access, catalogue, accounts, ground.ids,
                        ground.clock,
                        {.console_directory = ground.state.Path("consoles"),
                         .strict = ground.options.config.strict_instances(),
                         .quotas = quotas.limits()}),
      bulk_insert(ground.catalog, {people.access, accounts}, catalogue, ground.ids, ground.clock,
                  {.console_directory = ground.state.Path("consoles"),
                   .strict = ground.options.config.strict_instances(),
                   .quotas = quotas.limits()}),
      instance_life(ground.catalog, catalogue, quotas.limits(), ground.ids, ground.clock),
      instance_templates(ground.catalog, {people.access, accounts}, catalogue, ground.ids,
                         ground.clock),
      group_managers(ground.catalog, {people.access, accounts}, ground.ids, ground.clock),
      instance_groups(ground.catalog, ground.ids, ground.clock),
      guest_attributes(ground.catalog),
      instance_settings(ground.catalog, people.access, catalogue, accounts, ground.ids,
                        ground.clock, ground.options.config.strict_instances()),
      tunnels(ground.catalog, people.access, accounts, ground.random),
      metadata(ground.catalog, accounts, ground.clock) {}

void ComputeServices::Serve(net::Router& router) {
  images_service.Serve(router);
  disks_service.Serve(router);
  networks_service.Serve(router);
  compute_projects.Serve(router);
  catalogue_service.Serve(router);
  instances_service.Serve(router);
  bulk_insert.Serve(router);
  instance_settings.Serve(router);
  instance_life.Serve(router);
  instance_templates.Serve(router);
  group_managers.Serve(router);
  instance_groups.Serve(router);
  guest_attributes.Serve(router);
  tunnels.Serve(router);
  for (const char* version : {"beta", "alpha"}) {
    router.Alias(fmt::format("/compute/{}/", version), "/compute/v1/");
  }
}

}  // namespace fireweed
