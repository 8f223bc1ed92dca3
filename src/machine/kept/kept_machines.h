// Machines that a shim keeps: what the container driver and the process driver have in common. Everything there is to
// know about one lies in its directory (docs/formats/machine-state.md), so a restarted daemon knows as much as before.
//
//   ROOT/ID/BOOT/{order,lock,running,stop,exit,...}     one directory a boot; the newest one counts
//   ROOT/ID/...                                         what survives boots: the driver's business
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "machine/handle.h"
#include "machine/kept/end_watch.h"
#include "machine/machine_driver.h"
#include "machine/shim/shim_order.h"

namespace fireweed {

// How a machine ended, from what its keeper wrote. Pure.
MachineExit ExitFrom(const ShimExit& seen);

// Any number of threads, one machine at a time each. All calls may block.
class KeptMachines {
 public:
  struct Settings {
    std::string root;
    std::string shim;  // path of fireweed-shim
    // Ends what a keeper that was itself killed has left running. Idempotent.
    std::function<void(const MachineKey&)> bury;
    // How long a machine may take to start or end without a word: on a machine that swaps, and while the kernel frees
    // the memory of a killed one.
    Duration patience = std::chrono::seconds(30);
  };
  explicit KeptMachines(Settings settings);

  std::string MachineDirectory(const std::string& id) const;
  std::string BootDirectory(const MachineKey& key) const;
  // nullopt: nothing of this name has ever run here, or it was removed.
  std::optional<int64_t> NewestBoot(const std::string& id) const;

  // Whether this boot has happened already. kPrecondition: an earlier one still runs, or a later one has been.
  // Clears away what an interrupted start of this boot or an earlier one left.
  Result<bool> HasBooted(const MachineKey& key);

  // Starts the keeper on the order in the boot's directory. `before_boot` runs when the keeper has made its
  // namespaces, with its pid. On failure nothing runs, and the boot's directory is gone; where the directory is still
  // there (kUnavailable), so is a keeper that may get the machine going yet, and HasBooted finds out.
  Result<> Boot(const MachineKey& key, const ShimOrder& order,
                const std::function<Result<>(pid_t keeper)>& before_boot);

  // Phase, exit and times.
  Result<MachineStatus> Observe(const MachineKey& key);
  Result<> Stop(const MachineKey& key, Duration grace);
  // The keeper of a boot that has not ended.
  std::optional<pid_t> Keeper(const MachineKey& key) const;
  // Process 1 as the host numbers it.
  std::optional<pid_t> FirstProcess(const MachineKey& key) const;

  // Kills it where it runs, waits for its end, and deletes its directory. False: this boot is not the newest, and
  // nothing was done.
  Result<bool> Remove(const MachineKey& key);
  std::vector<MachineKey> List() const;

  void OnStopped(std::function<void(const std::string& id)> sink);

 private:
  std::vector<int64_t> Boots(const std::string& id) const;
  // Readable once the keeper has ended; empty where there is none.
  UniqueFd OpenKeeper(const MachineKey& key) const;
  Result<> WaitForKeeper(const MachineKey& key) const;
  // Whether a start that was cut off has got its machine going. kUnavailable: its keeper is still at it.
  Result<bool> AwaitStart(const MachineKey& key) const;
  // Of a start without a keeper whose machine does not run, or is not known to.
  Result<> ClearStart(const MachineKey& key);
  void Bury(const MachineKey& key);
  // Where the keeper is gone without a word: buries the machine and writes its exit down.
  void SettleOrphan(const MachineKey& key);
  Result<> Converse(const MachineKey& key,
                    const std::function<Result<>(pid_t keeper)>& before_boot);

  const Settings settings_;
  EndWatch watch_;
};

}  // namespace fireweed
