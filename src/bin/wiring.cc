// The one place where the parts meet. Read it from top to bottom: each part uses those above.
#include <unistd.h>

#include <optional>

#include <fmt/format.h>

#include "base/bytes.h"
#include "bin/batch_jobs.h"
#include "bin/compute_services.h"
#include "bin/daemon.h"
#include "bin/drivers.h"
#include "bin/ground.h"
#include "bin/machines.h"
#include "bin/people.h"
#include "bin/prediction.h"
#include "bin/scrubber.h"
#include "bin/stores.h"
#include "bin/sweeper.h"
#include "bin/training_jobs.h"
#include "bin/training_runs.h"
#include "bin/way_in.h"
#include "client/endpoint.h"
#include "compute/instance_metrics.h"
#include "compute/name_server.h"
#include "compute/operations_service.h"
#include "compute/served_sockets.h"
#include "compute/stop_all.h"
#include "control/action_pool.h"
#include "control/control_loop.h"
#include "control/control_thread.h"
#include "control/operation_expiry.h"
#include "control/operation_waiters.h"
#include "describe/json_codec.h"
#include "ml/cancel_all.h"
#include "net/http_server.h"
#include "net/project_numbers.h"
#include "storage/lifecycle_controller.h"

namespace fireweed {
namespace {

constexpr std::chrono::seconds kDrainLimit{30};
constexpr int kActionThreads = 8;  // slow calls of drivers at once: boots, stops, image builds

}  // namespace

// Everything of the daemon, in the order in which it is made; it ends in the reverse order.
struct Daemon::Parts {
  explicit Parts(DaemonOptions given);

  void Route();
  void WriteEndpoint();
  void Prepare();
  void CheckReady();
  void CollectMetrics(std::vector<Metric>& metrics);
  std::vector<Chore> Chores();
  // Outside requests pass this before the router; it injects faults if they are enabled.
  net::Dispatcher& Front();
  net::ProjectIdOf ProjectIds();

  Ground ground;
  People people;
  WayIn way_in;
  Stores stores;
  net::ProjectNumbers front, guest_front;  // for clients and for instances
  ComputeServices compute;

  // What acts: the loop, the server, and the machines' sockets in between.
  ControlLoop loop;
  OperationWaiters waiters;
  OperationExpiry operation_expiry;
  compute::OperationsService operations_service;
  PredictionServices prediction;
  Machines machines;
  net::HttpServer server;
  compute::NameServer names;
  compute::ServedSockets instance_sockets;
  ThreadActionPool actions;
  ComputeControllers compute_controllers;
  TrainingRuns training_runs;
  TrainingJobs training_jobs;
  PredictionController prediction_controller;
  BatchJobs batch_jobs;
  storage::LifecycleController lifecycle;
  Sweeper sweeper;
  Scrubber scrubber;
  std::optional<ControlThread> control;
};

Daemon::Parts::Parts(DaemonOptions given)
    : ground(std::move(given)),
      people(ground),
      way_in(ground, people, [this] { CheckReady(); }),
      stores(ground, people, way_in.router),
      front(way_in.router, Front(), ProjectIds()),
      guest_front(way_in.router, way_in.router, ProjectIds()),
      compute(ground, people),
      loop(ground.catalog, ground.clock, ground.log),
      waiters(ground.catalog),
      operation_expiry(ground.catalog, ground.clock),
      operations_service(ground.catalog, waiters),
      prediction(ground, people, waiters, loop),
      machines(ground, way_in.authority->certificate_pem()),
      server({.io_threads = ground.options.config.http.io_threads,
              .pool_threads = ground.options.config.http.pool_threads,
              .limits = {.max_connections = ground.options.config.http.max_connections}},
             ground.clock, ground.log),
      names(ground.catalog,
            {.resolvers = [] { return compute::HostResolvers("/etc/resolv.conf"); }}, ground.clock,
            ground.random, ground.log),
      instance_sockets(*machines.driver,
                       {server, compute.metadata, guest_front, way_in.certificates, names}),
      actions(kActionThreads, loop),
      compute_controllers(ground, compute, machines, stores.storage.store(), instance_sockets, loop,
                          actions),
      training_runs(ground, stores, compute, machines, loop, actions),
      training_jobs(ground, people, stores, compute, machines, training_runs, loop, actions),
      prediction_controller({ground, people, stores, machines, training_runs.environments},
                            prediction, loop, actions),
      batch_jobs(ground, people, prediction, actions),
      lifecycle(ground.catalog, stores.storage.store(), stores.storage.part_uploads(), actions,
                ground.clock, ground.log),
      sweeper(Chores(), std::chrono::minutes(ground.options.config.storage.sweep_minutes),
              ground.log),
      scrubber(stores.storage.scrub(), ground.options.config.storage.scrub_mb_per_second,
               ground.log) {
  people.PrepareOwner();
  Route();
  loop.Add(waiters);
  loop.Add(operation_expiry);
  loop.Add(compute.metadata);
  compute_controllers.AddTo(loop);
  training_runs.AddTo(loop);
  training_jobs.AddTo(loop);
  prediction_controller.AddTo(loop);
  batch_jobs.AddTo(loop);
  loop.Add(lifecycle);
  way_in.Listen(server, front);
  control.emplace(loop, actions, ground.log);
  WriteEndpoint();
  actions.Submit("daemon", "prepare", [this] { Prepare(); });
}

net::Dispatcher& Daemon::Parts::Front() {
  if (ground.options.config.storage.faults) return stores.faulty;
  return way_in.router;
}

net::ProjectIdOf Daemon::Parts::ProjectIds() {
  return [this](const std::string& number) -> std::optional<std::string> {
    auto project =
        Query(ground.catalog, [&](Txn& txn) { return people.projects.Find(txn, number); });
    if (!project) return std::nullopt;
    return project->projectId;
  };
}

std::vector<Chore> Daemon::Parts::Chores() {
  std::vector<Chore> chores = stores.Chores();
  chores.push_back(training_runs.Sweep());
  return chores;
}

void Daemon::Parts::Route() {
  way_in.health.AddSource([this](std::vector<Metric>& metrics) { CollectMetrics(metrics); });
  way_in.Serve();
  people.Serve(way_in.router);
  stores.Serve(way_in.router);
  compute.Serve(way_in.router);
  operations_service.Serve(way_in.router);
  training_jobs.Serve(way_in.router);
  way_in.health.AddSource(
      [this](std::vector<Metric>& metrics) { prediction.CollectMetrics(metrics); });
  way_in.health.AddSource([this](std::vector<Metric>& metrics) {
    compute::CollectInstanceMetrics(ground.catalog, compute.cards, metrics);
    training_jobs.metrics.Collect(metrics);
    stores.stored_metrics.Collect(metrics);
  });
  prediction.Serve(way_in.router);
}

void Daemon::Parts::WriteEndpoint() {
  Endpoint endpoint;
  endpoint.http = ground.sockets.http_address;
  endpoint.https = ground.sockets.https_address;
  endpoint.pid = getpid();
  endpoint.version = FIREWEED_VERSION;
  endpoint.daemon_id = ground.daemon_id;
  endpoint.started = FormatTime(ground.clock.Now());
  endpoint.default_project = ground.options.config.projects.default_project;
  endpoint.zone = ground.options.config.projects.zone;
  endpoint.owner = identity::kOwnerEmail;
  endpoint.driver = machines.driver->capabilities().driver;
  WriteDurably(*ground.disk, ground.state.Path(kEndpointFile), EncodeJson(endpoint));
  ground.log.Info("daemon serves", {{"version", FIREWEED_VERSION},
                                    {"http", endpoint.http},
                                    {"https", endpoint.https},
                                    {"state", ground.options.state}});
}

// What the first boot and the first version would have to wait for. What fails here is told to whoever needs it.
void Daemon::Parts::Prepare() {
  if (!machines.driver->capabilities().own_root) return;
  machines.boot_images.Look();
  machines.boot_images.Settle(machines.boot_disks.Bases());
  bool found = prediction_controller.libraries.Find().ok();
  ground.log.Debug("first boot prepared", {{"serving", found}});
}

void Daemon::Parts::CheckReady() {
  ground.catalog.Read([](Txn& txn) { txn.FindRaw("ready", "ready"); });
  ground.state.RequireFreeBytes(ground.options.config.storage.reserve_bytes);
}

void Daemon::Parts::CollectMetrics(std::vector<Metric>& metrics) {
  net::HttpServer::Counters http = server.counters();
  auto add = [&](const char* name, const char* help, const char* kind, int64_t value) {
    metrics.push_back({name, help, kind, "", static_cast<double>(value)});
  };
  add("fireweed_http_connections", "Open connections.", "gauge", http.open);
  add("fireweed_http_connections_total", "Connections taken and refused.", "counter",
      http.connections);
  add("fireweed_http_requests_total", "Requests answered.", "counter", http.requests);
  add("fireweed_http_inline_requests_total", "Requests answered on I/O threads.", "counter",
      http.inline_requests);
  add("fireweed_http_received_bytes_total", "Bytes received.", "counter", http.bytes_in);
  add("fireweed_http_sent_bytes_total", "Bytes sent.", "counter", http.bytes_out);
  add("fireweed_http_refused_total", "Connections and requests refused.", "counter", http.refused);
  add("fireweed_disk_free_bytes", "Free bytes of the disk that holds the state.", "gauge",
      ground.state.FreeBytes());
  add("fireweed_disk_reserve_bytes", "Free bytes below which uploads are refused.", "gauge",
      ground.options.config.storage.reserve_bytes);
  add("fireweed_storage_full_total", "Writes refused because the disk is full.", "counter",
      ground.blobs->refused());
  SqliteCatalog::Counters rows = ground.catalog.counters();
  add("fireweed_catalog_writes_total", "Transactions committed.", "counter", rows.bodies);
  add("fireweed_catalog_syncs_total", "Group commits, each with one sync.", "counter",
      rows.commits);
  storage::ScrubCounters scrub = stores.storage.scrub().counters();
  add("fireweed_storage_scrub_passes_total", "Complete readings of everything stored.", "counter",
      scrub.passes);
  add("fireweed_storage_scrubbed_objects_total", "Objects compared with their checksums.",
      "counter", scrub.objects);
  add("fireweed_storage_scrubbed_bytes_total", "Bytes compared with their checksums.", "counter",
      scrub.bytes);
  add("fireweed_storage_mismatches_total", "Objects found damaged.", "counter", scrub.mismatches);
  add("fireweed_storage_damaged_blobs", "Blobs known to be damaged now.", "gauge", scrub.damaged);
  for (const net::Router::RouteCounters& route : way_in.router.counters()) {
    if (route.requests == 0) continue;
    std::string labels = fmt::format("method=\"{}\"", route.id);
    metrics.push_back({"fireweed_api_requests_total", "Requests by API method.", "counter", labels,
                       static_cast<double>(route.requests)});
    metrics.push_back({"fireweed_api_errors_total", "Failed requests by API method.", "counter",
                       labels, static_cast<double>(route.errors)});
  }
}

Daemon::Daemon(DaemonOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}

Daemon::~Daemon() {
  parts_->ground.log.Info("daemon stops");
  parts_->stores.faulty.EndStalls();
  parts_->prediction.requests.Flush();  // goes through the server, which ends now
  parts_->machines.disk_store.Stop();
  if (!parts_->server.Drain(kDrainLimit)) {
    parts_->ground.log.Warning("requests were still running", {{"after_s", kDrainLimit.count()}});
  }
}

std::string Daemon::Discovery(const std::string& service) const {
  std::string document = parts_->way_in.discovery.Document(service, "v1");
  return document.empty() ? parts_->way_in.discovery.Document(service, "v2") : document;
}

namespace {

// Before the machines go: a daemon that is killed in between starts none of them again.
void StopEverything(const StateDirectory& state, Disk& disk, Logger& log) {
  if (!disk.Exists(state.Path("catalog.db")).value()) return;
  try {
    SqliteCatalog catalog({.path = state.Path("catalog.db")}, log);
    catalog.Write("purge", [](Txn& txn) {
      ml::CancelAllJobs(txn);
      compute::StopAllInstances(txn);
    });
  } catch (const Failure& failure) {
    // The host is cleaned in any case: a full disk or a damaged catalog must not leave mounts and networks behind.
    log.Warning("instances could not be recorded as stopped; the next start runs them again",
                {{"why", failure.error().message}});
  }
}

}  // namespace

void PurgeMachines(const DaemonOptions& options) {
  SystemClock clock;
  FdLogger log(STDERR_FILENO, clock, LogLevel::kWarning);
  auto disk = MakeRealDisk();
  StateDirectory state(*disk, options.state);  // throws while a daemon runs
  std::string daemon_id(Trim(ReadIfThere(*disk, state.Path("daemon-id"))));
  if (daemon_id.empty()) return;
  StopEverything(state, *disk, log);
  auto driver =
      MakeDriver(options.config.instances,
                 {daemon_id, state.Path("machines"), options.program_directory}, clock, log);
  driver->Purge().value();
}

}  // namespace fireweed
