// Machines as containers: an OCI runtime (crun, else runc) under a shim, an overlay over an image, a user namespace where
// the kernel can shift ids, an address on this daemon's bridge. Needs root on the host.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "machine/cpu/cgroups.h"
#include "machine/cpu/cpu_board.h"
#include "machine/kept/kept_machines.h"
#include "machine/machine_driver.h"
#include "machine/network/host_network.h"

namespace fireweed {

struct BundleSpec;

struct CrunSettings {
  std::string daemon_id;  // [a-z0-9], at least 8 characters; in every name on the host
  std::string
      state_directory;  // machines' directories and disks; on a file system an overlay can write to
  std::string run_directory;  // on a tmpfs; empty: /run/fireweed-DAEMON_ID
  std::string shared_directory = "/run/fireweed-host";
  std::string shim;             // path of fireweed-shim
  std::string init;             // path of fireweed-init
  std::string runtime;          // path of crun or runc
  std::vector<Subnet> subnets;  // to choose from; empty: 10.128.0.0/20 and its like
  bool user_namespace =
      true;  // false: root inside is root outside, for kernels and file systems that cannot shift ids
  int64_t most_pids = 8192;  // where a spec has no limit
};

// The first of crun and runc on this host; empty when there is neither.
std::string FindRuntime();
// Why containers cannot run here; empty when they can: no root, no runtime, no shim.
std::string WhyNoContainers(const CrunSettings& settings);

class CrunDriver final : public MachineDriver {
 public:
  explicit CrunDriver(CrunSettings settings);

  DriverCapabilities capabilities() const override;
  Result<MachineHandle> Start(const MachineSpec& spec) override;
  Result<MachineStatus> Observe(const MachineHandle& handle) override;
  Result<> Stop(const MachineHandle& handle, Duration grace) override;
  Result<> Freeze(const MachineHandle& handle, bool frozen) override;
  Result<> PlaceVolume(const MachineHandle& handle, const MachineVolume& volume,
                       bool there) override;
  Result<std::unique_ptr<ExecStream>> Exec(const MachineHandle& handle,
                                           const ExecSpec& spec) override;
  Result<UniqueFd> ListenInside(const MachineHandle& handle, std::string_view address,
                                uint16_t port, Transport transport) override;
  Result<> Remove(const MachineHandle& handle) override;
  Result<std::vector<std::pair<std::string, MachineHandle>>> List() override;
  void OnStopped(std::function<void(const std::string& id)> sink) override;
  Result<> Purge() override;

  const HostNetwork& network() const { return network_; }

 private:
  using Leases = std::map<std::string, uint32_t>;  // host number by machine id

  Result<uint32_t> Lease(const MachineSpec& spec, const Subnet& subnet);
  std::optional<uint32_t> LeaseOf(const std::string& id) const;
  Result<> Prepare(const MachineSpec& spec, const Subnet& subnet, uint32_t host, ShimOrder& order);
  Result<> WriteFiles(const MachineSpec& spec, Ipv4 address, const std::string& boot_directory,
                      ShimOrder& order);
  // Makes a data disk's directories and adds it to the order.
  static Result<> AddVolume(const MachineVolume& volume, ShimOrder& order);
  // Limits only what the host has controllers for, picks processors, and shows the machine its own size.
  void AddLimits(const MachineSpec& spec, ShimOrder& order, BundleSpec& bundle);
  // Adds what is lent to the order, and the devices to the bundle. kUnavailable: a device is not there.
  static Result<> AddCards(const MachineCards& cards, ShimOrder& order, BundleSpec& bundle);
  // What is noted about the freezing of a boot: nothing, "" while it is being done, kFrozen.
  std::optional<std::string> FrozenNote(const MachineKey& key) const;
  void ForgetFailedStart(const MachineKey& key);
  void Bury(const MachineKey& key);
  int64_t IdBase(const Subnet& subnet, uint32_t host) const;
  std::string ContainerId(const std::string& id) const;
  std::string CgroupParent() const;
  std::string CgroupPath(const std::string& id) const;
  // Controllers that limits need and the host does not have.
  std::vector<std::string> MissingControllers() const;
  std::string StageDirectory(const std::string& id) const;
  // argv that runs the OCI runtime where it can work, in the network of a machine's keeper (0: the host's).
  std::vector<std::string> RuntimeCommand(pid_t keeper, std::vector<std::string> rest) const;
  Result<> RunRuntime(std::vector<std::string> rest) const;

  const CrunSettings settings_;
  const bool shifts_ids_;
  const Cgroups cgroups_;
  CpuBoard cpus_;
  HostNetwork network_;
  Guarded<Leases> leases_;
  KeptMachines machines_;
};

}  // namespace fireweed
