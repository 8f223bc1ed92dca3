// `fireweed ai-platform local train`: a trainer on this machine, in the process environment of a job. The plan is pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fireweed::cli {

struct LocalTrain {
  std::string package_path, module, job_dir;
  std::vector<std::string> args;
  std::string interpreter;
  bool distributed = false;
  int worker_count = 2, ps_count = 2, evaluator_count = 0;
};

// A process of the run.
struct LocalTask {
  std::string name;  // "chief-0"
  std::vector<std::string> argv;
  std::string tf_config;
  std::string directory;  // where the package lies
};

// The first is the one whose end is the run's. `ports`: one for each task of the cluster, in the order chief, ps,
// workers.
std::vector<LocalTask> PlanLocalTrain(const LocalTrain& train, const std::vector<uint16_t>& ports);
size_t PortsFor(const LocalTrain& train);

// Runs them with this process's own streams; ends the others when the first has ended. Its exit code, as the shell
// shows it. May take as long as training does.
int RunLocalTasks(const std::vector<LocalTask>& tasks);

}  // namespace fireweed::cli
