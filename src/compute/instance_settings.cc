#include "compute/instance_settings.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/disk_changes.h"
#include "compute/disks.h"
#include "compute/instance_disks.h"
#include "compute/instance_request.h"
#include "compute/instance_templates.h"
#include "compute/links.h"
#include "compute/refusals.h"
#include "compute/scheduling.h"

namespace fireweed::compute {
namespace {

namespace c = api::compute;

void RequireStopped(const InstanceRecord& record, std::string_view what) {
  if (record.resource.status == c::InstanceStatus::kTerminated &&
      record.want == InstanceWant::kStopped) {
    return;
  }
  throw Failure(Code::kInvalid, "invalidResourceUsage",
                fmt::format("Invalid resource usage: '{} can be changed only while the instance is "
                            "stopped.'.",
                            what));
}

// Whether a machine runs that disks have to come to or go from; else they are only noted. On its way up or down it
// is neither.
bool RunsSettled(const InstanceRecord& record) {
  using Status = c::InstanceStatus;
  bool settled = record.boot == record.wanted_boot && !record.frozen && !record.notice;
  Status status = record.resource.status;
  if (record.want == InstanceWant::kRunning && status == Status::kRunning && settled) return true;
  if (record.want != InstanceWant::kStopped || status != Status::kTerminated) RefuseUnready(record);
  return false;
}

// Notes a change of the data disks. True when the machine has to follow.
bool ChangeDisk(InstanceRecord& record, DiskChange change) {
  if (!RunsSettled(record)) {
    ApplyDiskChange(record, change);
    return false;
  }
  Wish(record, InstanceWant::kRunning);
  change.generation = record.generation;
  record.disk_changes.push_back(std::move(change));
  return true;
}

// Names the disk inside, beside those that are on their way.
void NameDisk(const InstanceRecord& record, c::AttachedDisk& disk) {
  InstanceRecord with = record;
  for (const DiskChange& change : record.disk_changes) {
    if (change.attach) with.resource.disks.push_back(change.disk);
  }
  std::vector<c::AttachedDisk>& disks = with.resource.disks;
  size_t number = disks.size();
  auto taken = [&] {
    std::string name = fmt::format("persistent-disk-{}", number);
    return std::ranges::find(disks, name, &c::AttachedDisk::deviceName) != disks.end();
  };
  while (disk.deviceName.empty() && taken()) ++number;
  disks.push_back(disk);
  FitDeviceName(with, disks.back(), number);
  disk.deviceName = disks.back().deviceName;
}

c::AttachedDisk& DiskByDevice(InstanceRecord& record, const std::string& device) {
  auto found = std::ranges::find(record.resource.disks, device, &c::AttachedDisk::deviceName);
  if (found == record.resource.disks.end()) {
    InvalidField("deviceName", device, "No attached disk found with device name.");
  }
  return *found;
}

c::NetworkInterface& InterfaceByName(InstanceRecord& record, const std::string& name) {
  for (c::NetworkInterface& nic : record.resource.networkInterfaces) {
    if (nic.name == name) return nic;
  }
  InvalidField("networkInterface", name, "The instance has no such network interface.");
}

void Complete(c::AccessConfig& access, const std::string& address) {
  if (access.type.empty()) access.type = "ONE_TO_ONE_NAT";
  if (access.name.empty()) access.name = "external-nat";
  if (access.networkTier.empty()) access.networkTier = "PREMIUM";
  access.natIP = address;  // both addresses are the one on the bridge (ADR 57)
}

}  // namespace

void InstanceSettings::Serve(net::Router& router) {
  using Self = InstanceSettings;
  router.On(c::kSetMachineType, this, &Self::SetMachineType);
  router.On(c::kSetMachineResources, this, &Self::SetMachineResources);
  router.On(c::kSetScheduling, this, &Self::SetScheduling);
  router.On(c::kSetServiceAccount, this, &Self::SetServiceAccount);
  router.On(c::kSetMinCpuPlatform, this, &Self::SetMinCpuPlatform);
  router.On(c::kSetDeletionProtection, this, &Self::SetDeletionProtection);
  router.On(c::kSetDiskAutoDelete, this, &Self::SetDiskAutoDelete);
  router.On(c::kAttachDisk, this, &Self::AttachDisk);
  router.On(c::kDetachDisk, this, &Self::DetachDisk);
  router.On(c::kAddAccessConfig, this, &Self::AddAccessConfig);
  router.On(c::kUpdateAccessConfig, this, &Self::UpdateAccessConfig);
  router.On(c::kDeleteAccessConfig, this, &Self::DeleteAccessConfig);
  router.On(c::kUpdateInstance, this, &Self::Update);
  router.On(c::kGetScreenshot, this, &Self::Screenshot);
}

template <class Request>
c::Operation InstanceSettings::Change(const Request& request, const net::Call& call,
                                      std::string verb, const InstanceTxnChange& change) {
  InstanceVerb named{request.project, request.zone, request.name, request.requestId,
                     std::move(verb)};
  auto guarded = [&](Txn& txn, InstanceRecord& record) {
    RefuseDoomed(record);
    return change(txn, record);
  };
  return ChangeStoredInstance(catalog_, ids_, clock_.Now(), call.caller, named,
                              InstanceTxnChange(guarded));
}

c::Operation InstanceSettings::SetMachineType(const Edit<c::MachineTypeBody>& request,
                                              const net::Call& call) {
  return Change(request, call, "setMachineType", [&](Txn&, InstanceRecord& record) {
    RequireStopped(record, "The machine type");
    // Cards that came with the old type go with it.
    std::optional<MachineShape> old = catalogue_.FindShape(LastWord(record.resource.machineType));
    if (old && old->cards > 0) record.resource.guestAccelerators.clear();
    record.resource.machineType = request.body.machineType;
    FitMachineType(record, catalogue_, strict_);
    return false;
  });
}

c::Operation InstanceSettings::SetMachineResources(const Edit<c::AcceleratorsBody>& request,
                                                   const net::Call& call) {
  return Change(request, call, "setMachineResources", [&](Txn&, InstanceRecord& record) {
    RequireStopped(record, "Accelerators");
    record.resource.guestAccelerators = request.body.guestAccelerators;
    FitMachineType(record, catalogue_, strict_);
    return false;
  });
}

c::Operation InstanceSettings::SetScheduling(const Edit<c::Scheduling>& request,
                                             const net::Call& call) {
  return Change(request, call, "setScheduling", [&](Txn&, InstanceRecord& record) {
    c::Scheduling& present = record.resource.scheduling;
    c::Scheduling wanted = present;
    const c::Scheduling& sent = request.body;
    if (sent.automaticRestart) wanted.automaticRestart = sent.automaticRestart;
    if (!sent.onHostMaintenance.empty()) wanted.onHostMaintenance = sent.onHostMaintenance;
    if (!sent.instanceTerminationAction.empty()) {
      wanted.instanceTerminationAction = sent.instanceTerminationAction;
    }
    if (!sent.terminationTime.empty()) wanted.terminationTime = sent.terminationTime;
    if (sent.maxRunDuration) wanted.maxRunDuration = sent.maxRunDuration;
    bool other_model =
        (sent.preemptible && sent.preemptible != present.preemptible) ||
        (!sent.provisioningModel.empty() && sent.provisioningModel != present.provisioningModel);
    if (other_model) {
      RequireStopped(record, "Whether an instance is preemptible");
      wanted.preemptible = sent.preemptible;
      wanted.provisioningModel = sent.provisioningModel;
    }
    FitScheduling(wanted, !record.resource.guestAccelerators.empty());
    present = wanted;
    return false;
  });
}

c::Operation InstanceSettings::SetServiceAccount(const Edit<c::InstanceServiceAccount>& request,
                                                 const net::Call& call) {
  c::InstanceServiceAccount account = request.body;
  bool none = account.email.empty() && account.scopes.empty();
  if (!none) {
    account.email =
        RequireAccount({access_, identity_}, call.caller, request.project, account.email);
  }
  return Change(request, call, "setServiceAccount", [&](Txn&, InstanceRecord& record) {
    RequireStopped(record, "The service account");
    record.resource.serviceAccounts.clear();
    if (!none) record.resource.serviceAccounts.push_back(account);
    return false;
  });
}

c::Operation InstanceSettings::SetMinCpuPlatform(const Edit<c::CpuPlatformBody>& request,
                                                 const net::Call& call) {
  return Change(request, call, "setMinCpuPlatform", [&](Txn&, InstanceRecord& record) {
    RequireStopped(record, "The minimum CPU platform");
    record.resource.minCpuPlatform = request.body.minCpuPlatform;
    return false;
  });
}

c::Operation InstanceSettings::SetDeletionProtection(const c::SetDeletionProtection& request,
                                                     const net::Call& call) {
  return Change(request, call, "setDeletionProtection", [&](Txn&, InstanceRecord& record) {
    record.resource.deletionProtection = request.deletionProtection;
    return false;
  });
}

c::Operation InstanceSettings::SetDiskAutoDelete(const c::SetDiskAutoDelete& request,
                                                 const net::Call& call) {
  if (!request.autoDelete) InvalidField("autoDelete", "", "The field is required.");
  return Change(request, call, "setDiskAutoDelete", [&](Txn&, InstanceRecord& record) {
    DiskByDevice(record, request.deviceName).autoDelete = *request.autoDelete;
    return false;
  });
}

c::Operation InstanceSettings::AttachDisk(const Edit<c::AttachedDisk>& request,
                                          const net::Call& call) {
  return Change(request, call, "attachDisk", [&](Txn& txn, InstanceRecord& record) {
    c::AttachedDisk disk = request.body;
    if (disk.source.empty()) InvalidField("source", "", "The disk to attach must be named.");
    if (disk.boot) InvalidField("boot", "true", "The instance has a boot disk.");
    DiskRecord there = FindDisk(txn, record.project, record.zone, disk.source);
    if (there.project != record.project || there.zone != record.zone) {
      InvalidField("source", disk.source,
                   "The disk is in another zone or project than the instance.");
    }
    RefuseTaken(txn, there, disk, record);
    disk.source = there.resource.selfLink;
    disk.diskSizeGb = there.resource.sizeGb;
    disk.initializeParams.reset();
    if (disk.interface.empty()) disk.interface = "SCSI";
    NameDisk(record, disk);
    there.resource.users.push_back(record.resource.selfLink);
    there.resource.lastAttachTimestamp = FormatTime(clock_.Now());
    txn.Put(there.key(), there);
    return ChangeDisk(record, {.disk = std::move(disk)});
  });
}

c::Operation InstanceSettings::DetachDisk(const c::DetachDisk& request, const net::Call& call) {
  return Change(request, call, "detachDisk", [&](Txn& txn, InstanceRecord& record) {
    if (IsChanging(record, request.deviceName)) RefuseUnready(record);
    c::AttachedDisk disk = DiskByDevice(record, request.deviceName);
    if (disk.boot) InvalidField("deviceName", request.deviceName, "The boot disk stays attached.");
    const InstanceRecord before = record;
    bool follows = ChangeDisk(record, {.disk = std::move(disk), .attach = false});
    ReleaseDisks(txn, before, record, clock_.Now());
    return follows;
  });
}

c::Operation InstanceSettings::AddAccessConfig(const c::EditAccessConfig& request,
                                               const net::Call& call) {
  return Change(request, call, "addAccessConfig", [&](Txn&, InstanceRecord& record) {
    c::NetworkInterface& nic = InterfaceByName(record, request.networkInterface);
    if (!nic.accessConfigs.empty()) {
      InvalidField("networkInterface", request.networkInterface,
                   "At most one access config currently supported.");
    }
    c::AccessConfig access = request.body;
    Complete(access, nic.networkIP);
    nic.accessConfigs.push_back(std::move(access));
    return false;
  });
}

c::Operation InstanceSettings::UpdateAccessConfig(const c::EditAccessConfig& request,
                                                  const net::Call& call) {
  return Change(request, call, "updateAccessConfig", [&](Txn&, InstanceRecord& record) {
    c::NetworkInterface& nic = InterfaceByName(record, request.networkInterface);
    c::AccessConfig access = request.body;
    Complete(access, nic.networkIP);
    nic.accessConfigs = {std::move(access)};
    return false;
  });
}

c::Operation InstanceSettings::DeleteAccessConfig(const c::DeleteAccessConfig& request,
                                                  const net::Call& call) {
  return Change(request, call, "deleteAccessConfig", [&](Txn&, InstanceRecord& record) {
    c::NetworkInterface& nic = InterfaceByName(record, request.networkInterface);
    size_t gone = std::erase_if(nic.accessConfigs, [&](const c::AccessConfig& access) {
      return access.name == request.accessConfig;
    });
    if (gone == 0) InvalidField("accessConfig", request.accessConfig, "No such access config.");
    return false;
  });
}

c::Operation InstanceSettings::Update(const Edit<Json>& request, const net::Call&) {
  Query(catalog_, [&](Txn& txn) {
    return FindInstance(txn, request.project, request.zone, request.name).generation;
  });
  throw Failure(Code::kInvalid, "unsupportedOperation",
                "Instances are not updated as a whole here; use the method for the setting: "
                "setMachineType, setMetadata, setLabels, setTags, setScheduling, "
                "setServiceAccount, attachDisk.");
}

api::Empty InstanceSettings::Screenshot(const c::GetZonal& request, const net::Call&) {
  Query(catalog_, [&](Txn& txn) {
    return FindInstance(txn, request.project, request.zone, request.name).generation;
  });
  throw Failure(
      Code::kInvalid, "unsupportedOperation",
      "The instance has no display device: there is nothing to take a picture of. See its "
      "serial port.");
}

}  // namespace fireweed::compute
