#include "bin/training_jobs.h"

#include <filesystem>

#include "ml/last_lines.h"

namespace fireweed {
namespace {

std::function<void(const ml::JobRecord&, const ml::JobLine&)> Say(ml::JobLog& log) {
  return [&log](const ml::JobRecord& job, const ml::JobLine& line) {
    log.Write({job.project, job.job.jobId, line.task, line.trial, line.waits_since}, line.severity,
              line.message);
  };
}

ml::TrialMetrics::Warn WarnOfTrial(ml::JobLog& log) {
  return [&log](const Key& key, const std::string& message) {
    // "PROJECT/JOB/TRIAL": a job's id and a trial's number hold no slash.
    size_t trial = key.rfind('/'), job = key.rfind('/', trial - 1);
    log.Write({key.substr(0, job), key.substr(job + 1, trial - job - 1), "service",
               key.substr(trial + 1)},
              api::logging::Severity::kWarning, message);
  };
}

ml::QueueCapacity Capacity(const compute::Catalogue& catalogue, double overcommit) {
  const compute::HostCapacity& host = catalogue.host();
  ml::CardCounts cards;  // never given out twice
  for (const std::string& type : host.accelerators) ++cards[type];
  return {.cpus = host.cpus * overcommit,
          .memory_mb = static_cast<int64_t>(static_cast<double>(host.memory_mb) * overcommit),
          .cards = std::move(cards)};
}

std::string MetricRoot(Ground& ground) {
  std::string root = ground.state.Path("trials");
  std::filesystem::create_directories(root);
  return root;
}

ml::JobWorld World(Ground& ground, Stores& stores, ComputeServices& compute, Machines& machines,
                   TrainingRuns& runs) {
  const Config& config = ground.options.config;
  return {.replicas = {.catalogue = compute.catalogue,
                       .ids = ground.ids,
                       .strict = config.strict_instances(),
                       .own_network = machines.driver->capabilities().own_network,
                       .preemptible = config.ml.jobs.preemptible,
                       .metric_root = MetricRoot(ground)},
          .environments = runs.environments,
          .collector = runs.collector,
          .say = Say(runs.job_log),
          .last_lines =
              [&store = stores.log_store](const ml::JobRecord& job, const std::string& trial,
                                          const std::string& task) {
                return ml::LastLines(store, {job.project, job.job.jobId, task, trial});
              },
          .seal = [&log = runs.job_log](
                      const ml::JobRecord& job) { log.Seal(job.project, job.job.jobId); },
          .rules = {.most_restarts = config.ml.jobs.most_restarts},
          .strict = config.strict};
}

}  // namespace

TrainingJobs::TrainingJobs(Ground& ground, People& people, Stores& stores, ComputeServices& compute,
                           Machines& machines, TrainingRuns& runs, ControlLoop& loop,
                           ActionPool& actions)
    : jobs_service(
          {ground.catalog,
           people.projects,
           people.access,
           compute.catalogue,
           ground.ids,
           ground.clock,
           ground.random,
           ground.log,
           Say(runs.job_log),
           &runs.environments.runtimes(),
           [&logging = stores.logging](const net::Call& call, const ml::JobRecord& job, Time end) {
             return logging.IsBehind(call, job.project, job.job.jobId, end);
           },
           {.machines = ground.options.config.strict_instances(),
            .runtimes = ground.options.config.strict},
           compute.quotas.limits(),
           ground.options.config.ml.jobs.preemptible}),
      projects_service(ground.catalog, people.projects, compute.catalogue, ground.clock,
                       ground.random),
      queue(ground.catalog, loop,
            {.capacity = Capacity(compute.catalogue, ground.options.config.ml.jobs.overcommit),
             .catalogue = compute.catalogue,
             .quotas = compute.quotas.limits(),
             .preemptible = ground.options.config.ml.jobs.preemptible,
             .say = Say(runs.job_log)},
            ground.clock, ground.log),
      objects(
          [&accounts = compute.accounts](const std::string& account) -> Result<std::string> {
            Result<compute::InstanceToken> token = accounts.MintToken(
                account, {"https://www.googleapis.com/auth/devstorage.read_only"});
            if (!token.ok()) return token.error();
            return token->token;
          },
          [&ground] { return ground.sockets.http_address; }),
      trial_metrics(ground.catalog, actions, objects, ground.clock, WarnOfTrial(runs.job_log)),
      jobs(ground.catalog, World(ground, stores, compute, machines, runs), ground.clock,
           ground.log),
      metrics(ground.catalog, ground.clock) {
  runs.collector.OnDrained([&loop](const std::string& project, const std::string& job) {
    loop.Wake(kRecordKind<ml::JobRecord>, project + "/" + job);
  });
}

void TrainingJobs::Serve(net::Router& router) {
  jobs_service.Serve(router);
  projects_service.Serve(router);
}

void TrainingJobs::AddTo(ControlLoop& loop) {
  loop.Add(queue);
  loop.Add(trial_metrics);
  loop.Add(jobs);
}

}  // namespace fireweed
