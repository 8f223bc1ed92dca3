// What runs instances: the driver with its disks and images, and the controllers that call it.
#pragma once

#include <memory>

#include "bin/boot_images.h"
#include "bin/compute_services.h"
#include "compute/boot_disks.h"
#include "compute/bulk_controller.h"
#include "compute/disk_controller.h"
#include "compute/group_controller.h"
#include "compute/image_controller.h"
#include "compute/instance_controller.h"
#include "control/action_pool.h"
#include "control/control_loop.h"
#include "machine/driver_split.h"
#include "machine/image/disk_store.h"
#include "machine/machine_driver.h"
#include "storage/service.h"

namespace fireweed {

struct Machines {
  Machines(Ground& ground, const std::string& authority_pem);

  std::unique_ptr<MachineDriver> driver;
  DriverSplit split;  // serving processes, and instances
  BootImageSource boot_images;
  DiskStore disk_store;
  compute::BootDisks boot_disks;
};

struct ComputeControllers {
  ComputeControllers(Ground& ground, ComputeServices& services, Machines& machines,
                     storage::ObjectStore& objects, compute::InstanceSockets& sockets,
                     ControlLoop& loop, ActionPool& actions);

  void AddTo(ControlLoop& loop);

  compute::InstanceController instance_controller;
  compute::BulkController bulk_controller;
  compute::GroupController group_controller;
  compute::ImageController image_controller;
  compute::DiskController disk_controller;
};

}  // namespace fireweed
