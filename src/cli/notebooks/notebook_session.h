// What for: notebooks made, started, stopped and deleted by the public Compute API.
// Threads: one at a time. May block: until Jupyter answers, which the first time takes as long as its packages take to
//   install. A failure: Failure as the server worded it; kNotFound for an instance that is no notebook; kUnavailable with
//   what the instance says when Jupyter does not come up.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/compute/compute_session.h"
#include "cli/compute/tunnels.h"
#include "cli/notebooks/notebook_plan.h"

namespace fireweed::cli {

class NotebookSession {
 public:
  NotebookSession(const PlaceOptions& place, const Settings& settings);

  // Makes the disk where it is missing, and the instance. Does not wait for Jupyter.
  void Create(const NotebookOptions& options);
  // The URL of the project's source repository `name`, made where it is missing.
  std::string SourceRepository(const std::string& name);
  // Starts it unless it runs.
  void Start(const std::string& name);
  void Stop(const std::string& name);
  // The disk with the notebooks stays unless `with_disk`.
  void Delete(const std::string& name, bool with_disk);
  // Until Jupyter answers; tells on standard error what the instance is doing. The instance as it is then.
  JsonTree Await(const std::string& name);

  JsonTree Get(const std::string& name);
  std::vector<JsonTree> List(bool all_zones);
  void Say(const std::string& text) const { compute_.Say(text); }
  // A connection to the notebook's server, through the daemon if that is on another machine. None where the notebook
  // does not take connections now.
  UniqueFd Dial(const JsonTree& instance);
  // Whether addresses of instances lead nowhere on this machine, because the daemon is on another one.
  bool remote() const { return tunnels_ != nullptr; }

 private:
  struct Progress {
    std::string boot, state;
  };
  // Where the startup script of an instance stands.
  Progress ProgressOf(const ResourceName& resource);
  void MakeDisk(const NotebookOptions& options);
  ResourceName Named(const std::string& name) const {
    return compute_.Resource(Scope::kZone, "instances", name);
  }

  bool Answers(const JsonTree& instance);

  const Settings& settings_;
  ComputeSession compute_;
  std::unique_ptr<Tunnels> tunnels_;  // null where the daemon is on this machine
  std::string old_boot_;              // the boot that Await must not take for this one
};

}  // namespace fireweed::cli
