// What keeps things for users: objects, log entries, source repositories; and the care for them.
#pragma once

#include <string>
#include <vector>

#include "bin/maintenance.h"
#include "bin/people.h"
#include "bin/sweeper.h"
#include "logs/log_store.h"
#include "logs/logging_service.h"
#include "net/router.h"
#include "source/git_service.h"
#include "source/repos_service.h"
#include "storage/faulty_dispatcher.h"
#include "storage/service.h"
#include "storage/stored_metrics.h"

namespace fireweed {

struct Stores {
  Stores(Ground& given, People& people, net::Router& router);

  void Serve(net::Router& router);
  std::vector<Chore> Chores();

  Ground& ground;
  logs::LogStore log_store;
  logs::LoggingService logging;
  storage::StorageService storage;
  source::RepoStore repo_store;
  source::ReposService source_repos;
  source::GitService git;
  storage::RetryTests retry_tests;
  storage::FaultyDispatcher faulty;
  Maintenance maintenance;
  storage::StoredMetrics stored_metrics;

 private:
  MaintenanceWork Work();
  std::vector<std::string> FilesToBackUp();
};

}  // namespace fireweed
