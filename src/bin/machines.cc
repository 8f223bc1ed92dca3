#include "bin/machines.h"

#include "bin/base_images.h"
#include "bin/drivers.h"
#include "bin/image_import.h"

namespace fireweed {
namespace {

compute::InstanceWorld World(Ground& ground, Machines& machines, compute::InstanceSockets& sockets,
                             const std::vector<HostCard>& cards) {
  ground.disk->MakeDirectories(ground.state.Path("consoles")).value();
  const PreemptionConfig& weather = ground.options.config.compute.preemption;
  return {
      .driver = machines.split.others(),
      .sockets = sockets,
      .images = [&machines](const compute::InstanceRecord& record) -> Result<compute::BootImage> {
        // Plain processes live on the host's own files.
        if (!machines.driver->capabilities().own_root) return compute::BootImage{};
        return machines.boot_disks.Find(record);
      },
      .volumes =
          [&machines](const compute::InstanceRecord& record,
                      const api::compute::AttachedDisk& disk) {
            return machines.boot_disks.Volume(record, disk);
          },
      .console_directory = ground.state.Path("consoles"),
      .ids = ground.ids,
      .preemption = {.seed = static_cast<uint64_t>(weather.seed),
                     .mean = std::chrono::minutes(weather.mean_minutes)},
      .cards = cards};
}

}  // namespace

Machines::Machines(Ground& ground, const std::string& authority_pem)
    : driver(MakeDriver(
          ground.options.config.instances,
          {ground.daemon_id, ground.state.Path("machines"), ground.options.program_directory},
          ground.clock, ground.log)),
      split(*driver, "serve-"),
      boot_images(ImageSettings(ground.options), ground.options.state, authority_pem, ground.log),
      disk_store(ground.state.Path("compute")),
      boot_disks(ground.catalog, disk_store,
                 [this](const std::vector<std::string>& own) { return boot_images.Find(own); }) {}

ComputeControllers::ComputeControllers(Ground& ground, ComputeServices& services,
                                       Machines& machines, storage::ObjectStore& objects,
                                       compute::InstanceSockets& sockets, ControlLoop& loop,
                                       ActionPool& actions)
    : instance_controller(ground.catalog, loop, actions,
                          World(ground, machines, sockets, services.cards), ground.clock,
                          ground.log),
      bulk_controller(ground.catalog, ground.ids, ground.clock),
      group_controller(
          ground.catalog, services.catalogue, services.accounts, ground.ids, ground.clock,
          ground.log,
          {.strict = ground.options.config.strict_instances(), .quotas = services.quotas.limits()}),
      image_controller(
          ground.catalog, actions, machines.disk_store,
          [&objects](const std::string& source, const std::string& directory) {
            return ImportRootTree(objects, source, directory);
          },
          ground.clock, ground.log),
      disk_controller(ground.catalog, actions, machines.disk_store, ground.log) {}

void ComputeControllers::AddTo(ControlLoop& loop) {
  loop.Add(instance_controller);
  loop.Add(bulk_controller);
  loop.Add(group_controller);
  loop.Add(image_controller);
  loop.Add(disk_controller);
  instance_controller.RemoveForgotten();
}

}  // namespace fireweed
