#include "bin/stores.h"

#include <algorithm>

#include "client/endpoint.h"
#include "storage/backup.h"
#include "storage/fsck.h"

namespace fireweed {
namespace {

// Each keeps a thread of the pool while it waits for git: half of them at most.
int MostGitRequests(const Config& config) { return std::max(1, config.http.pool_threads / 2); }

}  // namespace

Stores::Stores(Ground& given, People& people, net::Router& router)
    : ground(given),
      log_store(*ground.disk, ground.state.Path("logs")),
      logging({log_store, ground.catalog, people.access, ground.ids, ground.clock,
               [&people](const std::string& name, const net::Caller& caller) {
                 return people.ProjectId(name, caller);
               }}),
      storage({ground.catalog,
               *ground.blobs,
               people.projects,
               people.access,
               ground.clock,
               ground.random,
               ground.log,
               {.hot_bytes = int64_t{ground.options.config.storage.cache_mb} << 20,
                .quotas = QuotaLimitsOf(ground.options.config)}}),
      repo_store(ground.state.Path("source")),
      source_repos(ground.catalog, repo_store, people.projects, people.access, ground.ids,
                   ground.clock, ground.log),
      git(ground.catalog, repo_store, people.access, ground.log,
          {.most_at_once = MostGitRequests(ground.options.config)}),
      retry_tests(ground.random),
      faulty(router, retry_tests),
      maintenance(Work(), ground.clock, ground.log),
      stored_metrics(ground.catalog, ground.clock) {}

void Stores::Serve(net::Router& router) {
  logging.Serve(router);
  storage.Serve(router);
  source_repos.Serve(router);
  git.Serve(router);
  if (ground.options.config.storage.faults) retry_tests.Serve(router);
  maintenance.Serve(router);
}

std::vector<Chore> Stores::Chores() {
  auto expire_logs = [this] {
    auto kept = std::chrono::hours(24) * ground.options.config.logs.retention_days;
    int removed =
        log_store.Expire(ground.clock.Now() - kept, ground.options.config.logs.most_bytes);
    if (removed > 0) ground.log.Info("logs expired", {{"segments", removed}});
  };
  return {{"sweep blobs", [this] { storage.Sweep(); }}, {"expire logs", expire_logs}};
}

// What a daemon needs besides catalog and blobs to be the same one for its clients.
std::vector<std::string> Stores::FilesToBackUp() {
  std::vector<std::string> files = {"config.yaml", "daemon-id", kOwnerFile, kProxySecretFile};
  Result<std::vector<std::string>> names = ground.disk->List(ground.state.Path("ca"));
  if (!names.ok()) return files;
  for (const std::string& name : *names) files.push_back("ca/" + name);
  return files;
}

MaintenanceWork Stores::Work() {
  MaintenanceWork work;
  work.fsck = [this](const auto& progress, const storage::Pace& pace) {
    return storage::Fsck(ground.catalog, *ground.blobs, progress, pace);
  };
  work.backup = [this](const std::string& directory, const auto& progress,
                       const storage::Pace& pace) {
    storage::BackupSource source{*ground.blobs,
                                 [this](const std::string& path) { ground.catalog.CopyTo(path); },
                                 ground.state.path(), FilesToBackUp()};
    return storage::MakeBackup(source, directory,
                               {*ground.disk, ground.clock, ground.log, progress, pace});
  };
  return work;
}

}  // namespace fireweed
