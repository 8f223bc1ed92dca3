// Training jobs: the API of the ml service that is about them, their queue and their controller.
#pragma once

#include "bin/compute_services.h"
#include "bin/machines.h"
#include "bin/people.h"
#include "bin/stores.h"
#include "bin/training_runs.h"
#include "control/action_pool.h"
#include "control/control_loop.h"
#include "ml/account_objects.h"
#include "ml/job_controller.h"
#include "ml/job_metrics.h"
#include "ml/jobs_service.h"
#include "ml/projects_service.h"
#include "ml/queue_controller.h"
#include "ml/tuning/trial_metrics.h"
#include "net/router.h"

namespace fireweed {

struct TrainingJobs {
  TrainingJobs(Ground& ground, People& people, Stores& stores, ComputeServices& compute,
               Machines& machines, TrainingRuns& runs, ControlLoop& loop, ActionPool& actions);

  void Serve(net::Router& router);
  void AddTo(ControlLoop& loop);

  ml::JobsService jobs_service;
  ml::ProjectsService projects_service;
  ml::QueueController queue;
  ml::HttpAccountObjects objects;
  ml::TrialMetrics trial_metrics;
  ml::JobController jobs;
  ml::JobMetrics metrics;
};

}  // namespace fireweed
