// A repeatable mix of everything a storage service does to its disk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "crash/depot.h"
#include "crash/promises.h"

namespace fireweed::crash {

struct WorkloadPlan {
  uint64_t seed = 1;
  int steps = 60;
  std::string prefix;  // of object names: threads at work at once get one each
  bool counts = true;  // one thread at most
};

// Does the steps one after another and has the notary write down each promise before and after. A step that fails
// is left as it is, neither done nor undone; the next one is tried all the same. Returns why steps failed.
std::vector<std::string> RunWorkload(Depot& depot, Notary& notary, const WorkloadPlan& plan);

}  // namespace fireweed::crash
