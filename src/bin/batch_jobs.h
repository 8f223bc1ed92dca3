// Batch prediction jobs in the daemon: the controller, and what it does for a job's account.
#pragma once

#include "bin/people.h"
#include "bin/prediction.h"
#include "control/action_pool.h"
#include "control/control_loop.h"
#include "ml/account_objects.h"
#include "ml/models/batch_controller.h"

namespace fireweed {

struct BatchJobs {
  BatchJobs(Ground& ground, People& people, PredictionServices& prediction, ActionPool& actions);

  void AddTo(ControlLoop& loop) { loop.Add(controller); }

  ml::HttpAccountObjects objects;
  ml::BatchController controller;
};

}  // namespace fireweed
