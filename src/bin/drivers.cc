#include "bin/drivers.h"

#include <fmt/format.h>

#include "machine/crun/crun_driver.h"
#include "machine/fake/fake_driver.h"
#include "machine/network/subnet.h"
#include "machine/process/process_driver.h"

namespace fireweed {
namespace {

// The /20s of the configured network, for the driver to choose one that nobody uses.
std::vector<Subnet> Candidates(const std::string& text) {
  constexpr int kBits = kInstancePrefixLength;
  constexpr size_t kMost = 256;
  std::optional<Subnet> whole = ParseSubnet(text);
  if (!whole || whole->prefix_length > kBits) {
    throw Failure(Code::kInvalid,
                  fmt::format("instances.subnet: '{}' is no network of /20 or larger", text));
  }
  std::vector<Subnet> candidates;
  for (Subnet next{whole->base, kBits}; whole->Contains(next.base) && candidates.size() < kMost;
       next.base += 1u << (32 - kBits)) {
    candidates.push_back(next);
  }
  return candidates;
}

CrunSettings ContainerSettings(const InstancesConfig& config, const DriverPlace& place) {
  CrunSettings settings;
  settings.daemon_id = place.daemon_id;
  settings.state_directory = place.state_directory;
  settings.shim = place.program_directory + "/fireweed-shim";
  settings.init = place.program_directory + "/fireweed-init";
  settings.subnets = Candidates(config.subnet);
  settings.runtime = config.runtime.empty() ? FindRuntime() : config.runtime;
  return settings;
}

}  // namespace

std::unique_ptr<MachineDriver> MakeDriver(const InstancesConfig& config, const DriverPlace& place,
                                          const Clock& clock, Logger& log) {
  if (config.driver == "fake") return std::make_unique<FakeDriver>(clock);
  CrunSettings containers = ContainerSettings(config, place);
  std::string why_not = WhyNoContainers(containers);
  if (config.driver == "container" && !why_not.empty()) {
    throw Failure(Code::kUnavailable,
                  fmt::format("instances.driver: no containers here: {}", why_not));
  }
  if (config.driver != "process" && why_not.empty()) {
    return std::make_unique<CrunDriver>(std::move(containers));
  }
  if (config.driver == "auto") {
    log.Warning("instances run as plain processes, with weaker isolation", {{"why", why_not}});
  }
  return std::make_unique<ProcessDriver>(
      ProcessSettings{place.state_directory, containers.shim, containers.init});
}

}  // namespace fireweed
