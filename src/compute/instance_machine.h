// Between an instance's record and its machine: the spec a boot is started from, and what a driver's report means.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compute/instance_plan.h"
#include "compute/records.h"
#include "machine/machine_driver.h"

namespace fireweed::compute {

// What an instance boots from: read-only layers, uppermost first, the disk that is written on, what is put over them
// at every boot, and the data disks.
struct BootImage {
  std::vector<std::string> layers;
  std::string disk;  // empty: the driver keeps one for as long as the machine is there
  std::vector<MachineVolume> volumes;
  std::vector<MachineFile> files;
  std::vector<MachineBind> binds;
};

// Called on an action thread before each boot; may block while an image is being built. A failure is the
// instance's: tried again, then shown in its operation.
using BootImages = std::function<Result<BootImage>(const InstanceRecord&)>;

// A data disk as the machine is to see it. Called and failing as BootImages.
using DataVolumes =
    std::function<Result<MachineVolume>(const InstanceRecord&, const api::compute::AttachedDisk&)>;

// "NAME.ZONE.c.PROJECT.internal", unless the instance asked for another.
std::string FullHostname(const InstanceRecord& record);
// Where the serial port's output of an instance lies.
std::string ConsolePath(const std::string& directory, const InstanceRecord& record);

// Labels of the resource go along, so that the fake driver finds its script there ("fake_run-seconds" stands for
// "fake.run-seconds": labels of the API have no dots).
// `own_root`: the machine has one, so mounts of a workload have to be made; plain processes see the host's directories.
MachineSpec SpecOf(const InstanceRecord& record, const BootImage& image,
                   const std::string& console_directory, bool own_root = true);
// The end of a machine with a workload is the workload's, whatever its exit code.
MachineSighting SightingOf(const MachineStatus& status, const InstanceRecord& record);

}  // namespace fireweed::compute
