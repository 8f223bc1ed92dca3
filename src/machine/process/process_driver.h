// Machines as plain processes of the daemon's own user, under the same shim: for hosts without root. No isolation
// worth the name: a machine sees the host's files, processes and network, and has no limits.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machine/kept/kept_machines.h"
#include "machine/machine_driver.h"

namespace fireweed {

struct ProcessSettings {
  std::string state_directory;
  std::string shim;  // path of fireweed-shim
  std::string init;  // path of fireweed-init
};

// A spec's files are placed under the machine's home directory (path by path), its image and binds are passed over.
// Its metadata server has a loopback address of its own, which the variables that Google's libraries know name. The first
// directory of its PATH holds shutdown, poweroff, halt, reboot and sudo that reach this machine only.
class ProcessDriver final : public MachineDriver {
 public:
  explicit ProcessDriver(ProcessSettings settings);

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

 private:
  std::string HomeOf(const MachineSpec& spec) const;
  // The variable by which everything that a boot has started is known.
  std::string Mark(const MachineKey& key) const;
  std::string PlaceFile(const std::string& id) const;
  Result<ShimOrder> Prepare(const MachineSpec& spec);

  const ProcessSettings settings_;
  KeptMachines machines_;
};

}  // namespace fireweed
