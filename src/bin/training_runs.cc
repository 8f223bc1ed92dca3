#include "bin/training_runs.h"

#include <unistd.h>

#include <filesystem>

namespace fireweed {
namespace {

namespace fs = std::filesystem;

// Of an installed program (../share/fireweed/runtimes) or of the source tree that the program was built in.
std::string FindRuntimes(const std::string& program_directory) {
  std::error_code ignored;
  fs::path here = fs::weakly_canonical(program_directory, ignored);
  fs::path installed = here.parent_path() / "share/fireweed/runtimes";
  if (fs::exists(installed / "table.yaml", ignored)) return installed.string();
  for (fs::path up = here; up.has_relative_path(); up = up.parent_path()) {
    if (fs::exists(up / "runtimes/table.yaml", ignored)) return (up / "runtimes").string();
  }
  return "";
}

ml::RuntimeTable Runtimes(Ground& ground, const std::string& directory) {
  ml::RuntimeTable table;
  if (directory.empty()) {
    ground.log.Warning("no table of runtimes beside the program: jobs have plain Python only");
  } else {
    table = ml::ParseRuntimes(ReadIfThere(*ground.disk, directory + "/table.yaml"));
  }
  for (const ml::Runtime& row : ground.options.config.ml.runtimes) table.runtimes.push_back(row);
  return table;
}

ml::EnvironmentPlace Place(Ground& ground) {
  std::string runtimes = ground.options.config.ml.runtime_directory;
  std::error_code failed;
  fs::create_directories(runtimes, failed);
  if (failed || access(runtimes.c_str(), W_OK) != 0) runtimes = ground.state.Path("runtimes");
  return ml::EnvironmentPlace({.directory = ground.state.Path("environments"),
                               .runtimes = runtimes,
                               .scripts = FindRuntimes(ground.options.program_directory),
                               .daemon_id = ground.daemon_id,
                               .interpreter = ground.state.Path("python")});
}

ml::EnvironmentRules Rules(Ground& ground, bool own_root) {
  const MlConfig& config = ground.options.config.ml;
  return {.world = {.own_root = own_root,
                    .python = own_root ? "/usr/bin/python3" : "python3",
                    .zone = ground.options.config.projects.zone},
          .runtimes = Runtimes(ground, FindRuntimes(ground.options.program_directory)),
          .keep = std::chrono::hours(24) * config.environment_days,
          .most_bytes = config.environment_bytes};
}

}  // namespace

TrainingRuns::TrainingRuns(Ground& ground, Stores& stores, ComputeServices& compute,
                           Machines& machines, ControlLoop& loop, ActionPool& actions)
    : job_log(stores.log_store, ground.clock),
      collector({ground.catalog,
                 stores.log_store,
                 ground.clock,
                 ground.log,
                 ground.state.Path("consoles"),
                 {.lines_per_second = ground.options.config.ml.lines_per_second,
                  .burst_lines = 4 * ground.options.config.ml.lines_per_second,
                  .most_bytes = ground.options.config.ml.line_bytes}}),
      packages(stores.storage.access()),
      environments({ground.catalog, loop, actions, compute.catalogue, packages, ground.ids,
                    ground.clock, ground.log},
                   Place(ground), Rules(ground, machines.driver->capabilities().own_root)) {}

Chore TrainingRuns::Sweep() {
  return {"sweep environments", [this] { environments.Sweep(); }};
}

}  // namespace fireweed
