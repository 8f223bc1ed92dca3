// Looks at what a crash left, and says what is wrong with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/memory_disk.h"
#include "crash/depot.h"
#include "crash/promises.h"

namespace fireweed::crash {

enum class Depth {
  kOneLife,   // restart, check, sweep, check
  kTwoLives,  // then write, cut the power again and check once more
};

// One line per broken promise; none is what is wanted. Restarts on `disk` and changes it. `life` is larger than
// that of whoever wrote it.
std::vector<std::string> Inspect(const DepotMaker& make, MemoryDisk& disk, const Promises& promises,
                                 uint64_t life, Depth depth);

}  // namespace fireweed::crash
