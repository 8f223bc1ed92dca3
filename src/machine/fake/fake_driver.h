// A driver without machines: each one lives in memory by a script in its labels, on the clock it is
// given. Shipped, not only tested with: it is how a control plane is tried out and simulated.
//
//   fake.start-failures  the first N calls of Start fail with kUnavailable
//   fake.start-seconds   time in kStarting
//   fake.run-seconds     ends by itself after this long; for ever when absent
//   fake.exit            how it then ends: off (default), reboot, killed, or a number: a crash with that code
//   fake.stop-seconds    time it takes to go down after Stop; longer than the grace: killed
//   fake.exec-output     what every Exec prints
//   fake.busy-disk       the last part of the mount point of a data disk that cannot be taken away
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "machine/machine_driver.h"

namespace fireweed {

// Any thread. ListenInside gives a loopback socket on a free port, whatever port was asked for.
class FakeDriver final : public MachineDriver {
 public:
  explicit FakeDriver(const Clock& clock) : clock_(clock) {}

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

  // Where data disks are mounted in a machine; for tests.
  std::vector<std::string> MountPoints(const std::string& id) const;
  // The devices lent to machines that have not stopped, sorted; one that two have is there twice. For tests.
  std::vector<std::string> LentDevices() const;

 private:
  struct Machine {
    MachineSpec spec;
    Time started;
    std::string address;
    bool frozen = false;
    // Set by Start from the script and by Stop; the earlier end wins. Absent: runs for ever.
    std::optional<std::pair<Time, MachineExit>> end;
    bool told = false;  // the sink knows that it has stopped
  };
  struct State {
    std::map<std::string, Machine> machines;
    std::map<std::string, int> failed_starts;  // by id, of the current boot's script
    int next_address = 2;
    std::function<void(const std::string&)> sink;
  };

  // Start up to before_boot; `booted` says whether this call did it.
  Result<MachineHandle> Boot(const MachineSpec& spec, bool& booted);
  MachineStatus StatusOf(const Machine& machine) const;
  // Looks at one machine as of now, tells the sink where it has just stopped. kNotFound as Observe.
  Result<MachineStatus> Look(const MachineHandle& handle);

  const Clock& clock_;
  mutable Guarded<State> state_;
};

}  // namespace fireweed
