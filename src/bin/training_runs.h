// What makes a replica run and its lines visible: environments with their runtimes, the job log and its collector.
#pragma once

#include "bin/compute_services.h"
#include "bin/machines.h"
#include "bin/object_packages.h"
#include "bin/stores.h"
#include "bin/sweeper.h"
#include "control/action_pool.h"
#include "control/control_loop.h"
#include "ml/environments/environment_controller.h"
#include "ml/job_log.h"
#include "ml/lines/console_collector.h"

namespace fireweed {

struct TrainingRuns {
  TrainingRuns(Ground& ground, Stores& stores, ComputeServices& compute, Machines& machines,
               ControlLoop& loop, ActionPool& actions);

  void AddTo(ControlLoop& loop) { loop.Add(environments); }
  Chore Sweep();

  ml::JobLog job_log;
  ml::ConsoleCollector collector;
  ObjectPackages packages;
  ml::EnvironmentController environments;
};

}  // namespace fireweed
