#include "bin/compute_services.h"

#include <unistd.h>

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "bin/cards.h"

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

}  // namespace

ComputeServices::ComputeServices(Ground& ground, People& people)
    : accounts(ground.catalog, people.projects, people.tokens, people.signing_keys),
      cards(CardsHere(ground.options.config.compute, ground.log)),
      catalogue(HostCapacityHere(cards)),
      images_service(ground.catalog, people.access, accounts, ground.ids, ground.clock,
                     ground.options.config.strict_instances()),
      disks_service(ground.catalog, people.access, accounts, catalogue,
                    {ground.options.config.compute.quotas}, ground.ids, ground.clock,
                    ground.options.config.strict_instances()),
      networks_service(ground.catalog, ground.ids, ground.clock),
      compute_projects(ground.catalog, accounts, ground.ids, ground.clock),
      catalogue_service(ground.catalog, catalogue, {ground.options.config.compute.quotas}),
      instances_service(ground.catalog, people.access, catalogue, accounts, ground.ids,
                        ground.clock,
                        {.console_directory = ground.state.Path("consoles"),
                         .strict = ground.options.config.strict_instances(),
                         .quotas = {ground.options.config.compute.quotas}}),
      bulk_insert(ground.catalog, {people.access, accounts}, catalogue, ground.ids, ground.clock,
                  {.console_directory = ground.state.Path("consoles"),
                   .strict = ground.options.config.strict_instances(),
                   .quotas = {ground.options.config.compute.quotas}}),
      instance_life(ground.catalog, catalogue, {ground.options.config.compute.quotas}, ground.ids,
                    ground.clock),
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
