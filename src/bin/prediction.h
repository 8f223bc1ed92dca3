// Models and prediction: the services and the gateway, which requests use, and the controller that keeps the processes
// behind them.
#pragma once

#include <string>
#include <vector>

#include "bin/account_writer.h"
#include "bin/health.h"
#include "bin/machines.h"
#include "bin/people.h"
#include "bin/program_libraries.h"
#include "bin/stores.h"
#include "bin/sweeper.h"
#include "control/action_pool.h"
#include "control/control_loop.h"
#include "control/operation_waiters.h"
#include "ml/environments.h"
#include "ml/models/deploy_controller.h"
#include "ml/models/models_service.h"
#include "ml/models/predict_gateway.h"
#include "ml/models/request_log.h"
#include "ml/models/versions_service.h"

namespace fireweed {

struct PredictionServices {
  PredictionServices(Ground& ground, People& people, OperationWaiters& waiters, ControlLoop& loop);

  void Serve(net::Router& router);
  void CollectMetrics(std::vector<Metric>& metrics) const;

  AccountWriter writer;
  ml::RequestLog requests;
  ml::ServingTable table;
  ml::ModelsService models;
  ml::VersionsService versions;
  ml::PredictGateway gateway;
};

struct PredictionController {
  // What serving processes are made of.
  struct Means {
    Ground& ground;
    People& people;
    Stores& stores;
    Machines& machines;
    ml::Environments& environments;
  };
  PredictionController(const Means& means, PredictionServices& services, ControlLoop& loop,
                       ActionPool& actions);

  void AddTo(ControlLoop& loop);

  LibraryCache libraries;  // of the serving program
  ml::DeployController deploy;
  Sweeper request_writer;
};

}  // namespace fireweed
