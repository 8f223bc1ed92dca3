// How the drivers here write their opaque handles:
// {"version":1,"driver":"crun","id":"i-4711","boot":3}.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/machine_driver.h"

namespace fireweed {

struct MachineKey {
  std::string id;
  int64_t boot = 1;
};

MachineHandle EncodeHandle(std::string_view driver, const MachineKey& key);
// kInvalid for text of another driver, a newer version, or no handle at all.
Result<MachineKey> DecodeHandle(std::string_view driver, const MachineHandle& handle);

// kInvalid with what is wrong: the id's alphabet, a boot below 1, relative paths.
Result<> CheckSpec(const MachineSpec& spec);

// The order for process 1 of a machine with a workload, and the variable by which it finds it when the machine's root
// is at `root`. Nothing for a machine without.
struct WorkloadPlacement {
  MachineFile file;
  std::string name, value;  // of the variable
};
std::optional<WorkloadPlacement> PlaceWorkload(const MachineSpec& spec, const std::string& root);

}  // namespace fireweed
