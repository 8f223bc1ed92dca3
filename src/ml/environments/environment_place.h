// Where environments lie on the host, and the few things done to their directories.
//
//   DIRECTORY/KEY/ready            it is complete: written last, after everything else is on the disk
//   DIRECTORY/KEY/upper/           what the builder sees and writes: venv/, tree/, result.json
//   RUNTIMES/KEY/…                 the same for a runtime, shared by the daemons of this host
//   RUNTIMES/KEY.DAEMON/…          one that this daemon is building: renamed when it is complete
//
// Action threads. May block. A failure: Error with the path.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "ml/environments/environment_record.h"

namespace fireweed::ml {

struct BuildResult {
  std::vector<std::string> warnings;
  std::string error;
};

class EnvironmentPlace {
 public:
  struct Settings {
    std::string directory;  // of this daemon's package sets
    std::string runtimes;   // shared
    std::string scripts;    // build_environment.py, shims/
    std::string daemon_id;
    std::string
        interpreter;  // a link to the newest runtime's, for programs beside the daemon; empty: none
  };
  explicit EnvironmentPlace(Settings settings) : settings_(std::move(settings)) {}

  const std::string& scripts() const { return settings_.scripts; }
  // Of a complete one.
  std::string PathOf(const EnvironmentRecord& record) const;
  // Where it is built: the same, unless it is shared.
  std::string BuildPathOf(const EnvironmentRecord& record) const;
  bool IsReady(const EnvironmentRecord& record) const;

  // An empty directory to build in, whatever an interrupted build has left, with packages/ in it.
  Result<> MakeEmpty(const EnvironmentRecord& record) const;
  Result<> WriteOrder(const EnvironmentRecord& record, const std::string& base) const;
  // What the builder said. The directory is the builder's: no link in it is followed.
  Result<BuildResult> ReadResult(const EnvironmentRecord& record) const;
  // Puts it in place for good; returns its size in bytes.
  Result<int64_t> Complete(const EnvironmentRecord& record) const;
  // Makes the link point to this runtime. Best effort.
  void ShowInterpreter(const EnvironmentRecord& record) const;
  // To remove it: aside first, at once, since what is half removed must not look complete and somebody may want to
  // build there.
  Result<> SetAside(const EnvironmentRecord& record) const;
  Result<> RemoveAside(const EnvironmentRecord& record) const;

 private:
  const Settings settings_;
};

}  // namespace fireweed::ml

namespace fireweed {
template <>
inline constexpr auto kFields<ml::BuildResult> = [](auto...) {
  return Fields{F("warnings", &ml::BuildResult::warnings), F("error", &ml::BuildResult::error)};
};
}  // namespace fireweed
