// The one place where concrete classes meet. Read it from top to bottom: each part uses those above.
#include <unistd.h>

#include <optional>
#include <thread>

#include <fmt/format.h>

#include "api/admin/server.h"
#include "base/bytes.h"
#include "base/disk.h"
#include "base/ids.h"
#include "base/log.h"
#include "bin/boot_images.h"
#include "bin/daemon.h"
#include "bin/drivers.h"
#include "bin/health.h"
#include "bin/image_import.h"
#include "bin/maintenance.h"
#include "bin/ports.h"
#include "bin/scrubber.h"
#include "bin/sweeper.h"
#include "bin/upstream.h"
#include "blob/file_blob_store.h"
#include "catalog/sqlite_catalog.h"
#include "catalog/state_directory.h"
#include "client/endpoint.h"
#include "compute/boot_disks.h"
#include "compute/catalog_identity.h"
#include "compute/catalogue.h"
#include "compute/disk_controller.h"
#include "compute/disks_service.h"
#include "compute/group_controller.h"
#include "compute/group_managers_service.h"
#include "compute/guest_attributes.h"
#include "compute/image_controller.h"
#include "compute/images_service.h"
#include "compute/instance_controller.h"
#include "compute/instance_groups_service.h"
#include "compute/instance_life_service.h"
#include "compute/instance_settings.h"
#include "compute/instance_templates.h"
#include "compute/instances_service.h"
#include "compute/metadata_server.h"
#include "compute/name_server.h"
#include "compute/networks_service.h"
#include "compute/operations_service.h"
#include "compute/projects_service.h"
#include "compute/served_sockets.h"
#include "control/action_pool.h"
#include "control/control_loop.h"
#include "control/control_thread.h"
#include "control/operation_expiry.h"
#include "control/operation_waiters.h"
#include "describe/json_codec.h"
#include "identity/access.h"
#include "identity/account_service.h"
#include "identity/admin_service.h"
#include "identity/credentials_service.h"
#include "identity/oauth_service.h"
#include "identity/project_service.h"
#include "identity/projects.h"
#include "identity/service_usage.h"
#include "identity/signing_keys.h"
#include "identity/tokens.h"
#include "logs/log_store.h"
#include "logs/logging_service.h"
#include "net/batch.h"
#include "net/certificate_authority.h"
#include "net/discovery.h"
#include "net/errors.h"
#include "net/google_connect_policy.h"
#include "net/http_server.h"
#include "net/minted_certificates.h"
#include "net/router.h"
#include "source/git_service.h"
#include "source/repos_service.h"
#include "storage/backup.h"
#include "storage/faulty_dispatcher.h"
#include "storage/fsck.h"
#include "storage/lifecycle_controller.h"
#include "storage/service.h"

namespace fireweed {
namespace {

constexpr std::chrono::seconds kDrainLimit{30};
constexpr int kActionThreads = 8;  // slow calls of drivers at once: boots, stops, image builds

LogLevel LevelByName(const std::string& name) {
  for (LogLevel level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError}) {
    if (LogLevelName(level) == name) return level;
  }
  return LogLevel::kInfo;
}

std::string ReadIfThere(Disk& disk, const std::string& path) {
  Result<std::unique_ptr<File>> file = disk.Open(path, OpenMode::kRead);
  if (!file.ok()) return "";
  std::string text(static_cast<size_t>((*file)->Size().value()), '\0');
  text.resize((*file)->ReadAt(0, std::as_writable_bytes(std::span(text))).value());
  return text;
}

// What this machine has for instances.
compute::HostCapacity HostCapacityHere() {
  compute::HostCapacity host;
  host.cpus = static_cast<int32_t>(std::max(1u, std::thread::hardware_concurrency()));
  host.memory_mb = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE) >> 20;
  return host;
}

BaseImageSettings ImageSettings(const DaemonOptions& options) {
  BaseImageSettings settings;
  settings.script = FindImageScript(options.program_directory).value_or("");
  settings.images_directory = options.config.instances.image_directory;
  return settings;
}

// Each keeps a thread of the pool while it waits for git: half of them at most.
int MostGitRequests(const Config& config) { return std::max(1, config.http.pool_threads / 2); }

// A small secret or name that is made once and kept.
std::string Keep(Disk& disk, const std::string& path, const std::function<std::string()>& make) {
  std::string kept(Trim(ReadIfThere(disk, path)));
  if (!kept.empty()) return kept;
  kept = make();
  WriteDurably(disk, path, kept + "\n");
  return kept;
}

SqliteCatalogOptions CatalogOptions(Disk& disk, const StateDirectory& state) {
  if (disk.Exists(state.Path(storage::kRestoringFile)).value()) {
    throw Failure(
        Code::kPrecondition,
        fmt::format("A restore into {} was cut off: run `fireweed restore` again.", state.path()));
  }
  return {.path = state.Path("catalog.db")};
}

}  // namespace

// Everything of the daemon, in the order in which it is made; it ends in the reverse order.
struct Daemon::Parts {
  explicit Parts(DaemonOptions given);

  void PrepareOwner();
  void Route();
  void Listen();
  net::Response DescribeServer() const;
  void WriteEndpoint();
  void CheckReady();
  void CollectMetrics(std::vector<Metric>& metrics);
  MaintenanceWork StorageWork();
  std::vector<std::string> FilesToBackUp();
  net::GoogleConnectPolicy::Options ConnectOptions();
  std::string ProjectId(const std::string& name, const net::Caller& caller);
  std::vector<Chore> Chores();
  compute::InstanceWorld World();

  // The ground.
  DaemonOptions options;
  SystemClock clock;
  SystemRandom random;
  FdLogger log;
  std::unique_ptr<Disk> disk;
  StateDirectory state;
  std::string daemon_id;
  ListeningSockets sockets;
  IdSource ids;
  SqliteCatalog catalog;
  std::unique_ptr<FileBlobStore> blobs;

  // Who may do what.
  identity::Access access;
  identity::Tokens tokens;
  identity::Projects projects;
  identity::SigningKeys signing_keys;
  identity::ProjectService project_service;
  identity::AccountService account_service;
  identity::CredentialsService credentials_service;
  identity::OAuthService oauth_service;
  identity::ServiceUsage service_usage;
  identity::AdminService admin_service;

  // The way in.
  std::unique_ptr<net::CertificateAuthority> authority;
  std::shared_ptr<net::MintedCertificates> certificates;
  std::string proxy_secret;
  net::GoogleConnectPolicy connect_policy;
  net::Router router;
  net::Discovery discovery;
  net::Batch batch;
  Health health;

  // Services.
  logs::LogStore log_store;
  logs::LoggingService logging;
  storage::StorageService storage;
  source::RepoStore repo_store;
  source::ReposService source_repos;
  source::GitService git;
  storage::RetryTests retry_tests;
  storage::FaultyDispatcher faulty;
  Maintenance maintenance;
  compute::CatalogIdentity accounts;
  compute::Catalogue catalogue;
  compute::ImagesService images_service;
  compute::DisksService disks_service;
  compute::NetworksService networks_service;
  compute::ProjectsService compute_projects;
  compute::CatalogueService catalogue_service;
  compute::InstancesService instances_service;
  compute::InstanceLifeService instance_life;
  compute::InstanceTemplatesService instance_templates;
  compute::GroupManagersService group_managers;
  compute::InstanceGroupsService instance_groups;
  compute::GuestAttributesService guest_attributes;
  compute::InstanceSettings instance_settings;
  compute::MetadataServer metadata;

  // What acts: the loop, the server, and the machines' sockets in between.
  ControlLoop loop;
  OperationWaiters waiters;
  OperationExpiry operation_expiry;
  compute::OperationsService operations_service;
  std::unique_ptr<MachineDriver> driver;
  BootImageSource boot_images;
  DiskStore disk_store;
  compute::BootDisks boot_disks;
  net::HttpServer server;
  compute::NameServer names;
  compute::ServedSockets instance_sockets;
  ThreadActionPool actions;
  compute::InstanceController instance_controller;
  compute::GroupController group_controller;
  compute::ImageController image_controller;
  compute::DiskController disk_controller;
  storage::LifecycleController lifecycle;
  Sweeper sweeper;
  Scrubber scrubber;
  std::optional<ControlThread> control;
};

Daemon::Parts::Parts(DaemonOptions given)
    : options(std::move(given)),
      log(STDERR_FILENO, clock, LevelByName(options.config.log.level)),
      disk(MakeRealDisk()),
      state(*disk, options.state),
      daemon_id(Keep(*disk, state.Path("daemon-id"), [&] { return random.Hex(4); })),
      sockets(OpenSockets(options.config.listen.http, options.config.listen.https, *disk,
                          state.Path("ports.json"), random)),
      ids(clock, random),
      catalog(CatalogOptions(*disk, state), log),
      blobs(FileBlobStore::Open(*disk, state.Path("blobs"), ids,
                                {.reserve_bytes = options.config.storage.reserve_bytes})
                .value()),
      access(catalog, clock, random),
      tokens(catalog, clock, random),
      projects(clock, random, {.auto_create = options.config.projects.automatic}),
      signing_keys(catalog, clock, random),
      project_service(catalog, projects, access, log),
      account_service(catalog, clock, random, projects, access, log),
      credentials_service(catalog, tokens, signing_keys, log),
      oauth_service(catalog, clock, tokens, signing_keys, log),
      service_usage(catalog, projects, log),
      admin_service(catalog, clock, random, tokens, log),
      authority(net::CertificateAuthority::Open(*disk, state.Path("ca"), clock.Now())),
      certificates(std::make_shared<net::MintedCertificates>(*authority, clock, log)),
      proxy_secret(Keep(*disk, state.Path(kProxySecretFile), [&] { return random.Hex(16); })),
      connect_policy(ConnectOptions()),
      router(access),
      discovery(router),
      batch(router),
      health([this] { CheckReady(); }),
      log_store(*disk, state.Path("logs")),
      logging({log_store, catalog, access, ids, clock,
               [this](const std::string& name, const net::Caller& caller) {
                 return ProjectId(name, caller);
               }}),
      storage({catalog,
               *blobs,
               projects,
               access,
               clock,
               random,
               log,
               {.hot_bytes = int64_t{options.config.storage.cache_mb} << 20}}),
      repo_store(state.Path("source")),
      source_repos(catalog, repo_store, projects, access, ids, clock, log),
      git(catalog, repo_store, access, log, {.most_at_once = MostGitRequests(options.config)}),
      retry_tests(random),
      faulty(router, retry_tests),
      maintenance(StorageWork(), clock, log),
      accounts(catalog, projects, tokens, signing_keys),
      catalogue(HostCapacityHere()),
      images_service(catalog, access, accounts, ids, clock),
      disks_service(catalog, access, accounts, ids, clock),
      networks_service(catalog, ids, clock),
      compute_projects(catalog, accounts, ids, clock),
      catalogue_service(catalog, catalogue, {options.config.compute.quotas}),
      instances_service(catalog, access, catalogue, accounts, ids, clock,
                        {.console_directory = state.Path("consoles"),
                         .strict = options.config.instances.strict,
                         .quotas = {options.config.compute.quotas}}),
      instance_life(catalog, ids, clock),
      instance_templates(catalog, {access, accounts}, catalogue, ids, clock),
      group_managers(catalog, {access, accounts}, ids, clock),
      instance_groups(catalog, ids, clock),
      guest_attributes(catalog),
      instance_settings(catalog, access, catalogue, accounts, ids, clock,
                        options.config.instances.strict),
      metadata(catalog, accounts, clock),
      loop(catalog, clock, log),
      waiters(catalog),
      operation_expiry(catalog, clock),
      operations_service(catalog, waiters),
      driver(MakeDriver(options.config.instances,
                        {daemon_id, state.Path("machines"), options.program_directory}, clock,
                        log)),
      boot_images(ImageSettings(options), authority->certificate_pem(), log),
      disk_store(state.Path("compute")),
      boot_disks(catalog, disk_store,
                 [this](const std::vector<std::string>& own) { return boot_images.Find(own); }),
      server({.io_threads = options.config.http.io_threads,
              .pool_threads = options.config.http.pool_threads,
              .limits = {.max_connections = options.config.http.max_connections}},
             clock, log),
      names(catalog, {.resolvers = [] { return compute::HostResolvers("/etc/resolv.conf"); }},
            clock, random, log),
      instance_sockets(*driver, {server, metadata, router, certificates, names}),
      actions(kActionThreads, loop),
      instance_controller(catalog, loop, actions, World(), clock, log),
      group_controller(
          catalog, catalogue, accounts, ids, clock, log,
          {.strict = options.config.instances.strict, .quotas = {options.config.compute.quotas}}),
      image_controller(
          catalog, actions, disk_store,
          [this](const std::string& source, const std::string& directory) {
            return ImportRootTree(storage.store(), source, directory);
          },
          clock, log),
      disk_controller(catalog, actions, disk_store, log),
      lifecycle(catalog, storage.store(), clock, log),
      sweeper(Chores(), std::chrono::minutes(options.config.storage.sweep_minutes), log),
      scrubber(storage.scrub(), options.config.storage.scrub_mb_per_second, log) {
  PrepareOwner();
  Route();
  loop.Add(waiters);
  loop.Add(operation_expiry);
  loop.Add(metadata);
  loop.Add(instance_controller);
  loop.Add(group_controller);
  loop.Add(image_controller);
  loop.Add(disk_controller);
  loop.Add(lifecycle);
  instance_controller.RemoveForgotten();
  Listen();
  control.emplace(loop, actions, log);
  WriteEndpoint();
}

net::GoogleConnectPolicy::Options Daemon::Parts::ConnectOptions() {
  net::GoogleConnectPolicy::Options policy;
  policy.knows_secret = [this](std::string_view user, std::string_view secret) {
    return user == "fireweed" && EqualConstantTime(secret, proxy_secret);
  };
  policy.principal = identity::kOwnerPrincipal;
  const std::string& configured = options.config.proxy.upstream;
  policy.upstream = ParseUpstream(configured.empty() ? options.upstream_proxy : configured);
  policy.not_upstream = SplitList(options.no_proxy);
  return policy;
}

std::string Daemon::Parts::ProjectId(const std::string& name, const net::Caller& caller) {
  auto known = Query(catalog, [&](Txn& txn) { return projects.Find(txn, name); });
  if (known) return known->projectId;
  return fireweed::Update(catalog, "project first use",
                          [&](Txn& txn) { return projects.Ensure(txn, name, caller).projectId; });
}

std::vector<Chore> Daemon::Parts::Chores() {
  auto expire_logs = [this] {
    auto kept = std::chrono::hours(24) * options.config.logs.retention_days;
    int removed = log_store.Expire(clock.Now() - kept, options.config.logs.most_bytes);
    if (removed > 0) log.Info("logs expired", {{"segments", removed}});
  };
  return {{"sweep blobs", [this] { storage.Sweep(); }}, {"expire logs", expire_logs}};
}

compute::InstanceWorld Daemon::Parts::World() {
  disk->MakeDirectories(state.Path("consoles")).value();
  const PreemptionConfig& weather = options.config.compute.preemption;
  return {.driver = *driver,
          .sockets = instance_sockets,
          .images = [this](const compute::InstanceRecord& record) -> Result<compute::BootImage> {
            // Plain processes live on the host's own files.
            if (!driver->capabilities().own_root) return compute::BootImage{};
            return boot_disks.Find(record);
          },
          .console_directory = state.Path("consoles"),
          .ids = ids,
          .preemption = {.seed = static_cast<uint64_t>(weather.seed),
                         .mean = std::chrono::minutes(weather.mean_minutes)}};
}

// What a daemon needs besides catalog and blobs to be the same one for its clients.
std::vector<std::string> Daemon::Parts::FilesToBackUp() {
  std::vector<std::string> files = {"config.yaml", "daemon-id", kOwnerFile, kProxySecretFile};
  Result<std::vector<std::string>> names = disk->List(state.Path("ca"));
  if (!names.ok()) return files;
  for (const std::string& name : *names) files.push_back("ca/" + name);
  return files;
}

MaintenanceWork Daemon::Parts::StorageWork() {
  MaintenanceWork work;
  work.fsck = [this](const auto& progress, const storage::Pace& pace) {
    return storage::Fsck(catalog, *blobs, progress, pace);
  };
  work.backup = [this](const std::string& directory, const auto& progress,
                       const storage::Pace& pace) {
    storage::BackupSource source{*blobs, [this](const std::string& path) { catalog.CopyTo(path); },
                                 state.path(), FilesToBackUp()};
    return storage::MakeBackup(source, directory, {*disk, clock, log, progress, pace});
  };
  return work;
}

// Leaves a credential for the local user: whoever can read this file is the owner.
void Daemon::Parts::PrepareOwner() {
  std::string path = state.Path(kOwnerFile);
  std::string old = ReadIfThere(*disk, path);
  std::string now = tokens.EnsureOwner(old);
  if (now != old) WriteDurably(*disk, path, now);
  net::Caller owner;
  owner.principal = identity::kOwnerPrincipal;
  owner.email = identity::kOwnerEmail;
  const std::string& id = options.config.projects.default_project;
  auto there = Query(catalog, [&](Txn& txn) { return projects.Find(txn, id); });
  if (there) return;
  catalog.Write("default project", [&](Txn& txn) { projects.Create(txn, id, id, {}, owner); });
}

void Daemon::Parts::Route() {
  health.AddSource([this](std::vector<Metric>& metrics) { CollectMetrics(metrics); });
  health.Serve(router);
  discovery.Serve();
  batch.Serve();
  project_service.Serve(router);
  account_service.Serve(router);
  credentials_service.Serve(router);
  oauth_service.Serve(router);
  service_usage.Serve(router);
  admin_service.Serve(router);
  logging.Serve(router);
  router.OnRaw(api::admin::kDescribeServer.entry(),
               [this](const net::Call&) -> net::Answer { return DescribeServer(); });
  storage.Serve(router);
  source_repos.Serve(router);
  git.Serve(router);
  if (options.config.storage.faults) retry_tests.Serve(router);
  maintenance.Serve(router);
  images_service.Serve(router);
  disks_service.Serve(router);
  networks_service.Serve(router);
  compute_projects.Serve(router);
  catalogue_service.Serve(router);
  instances_service.Serve(router);
  instance_settings.Serve(router);
  instance_life.Serve(router);
  instance_templates.Serve(router);
  group_managers.Serve(router);
  instance_groups.Serve(router);
  guest_attributes.Serve(router);
  operations_service.Serve(router);
  for (const char* version : {"beta", "alpha"}) {
    router.Alias(fmt::format("/compute/{}/", version), "/compute/v1/");
  }
}

net::Response Daemon::Parts::DescribeServer() const {
  api::admin::ServerDescription server{authority->certificate_pem(), FIREWEED_VERSION, daemon_id,
                                       options.config.projects.default_project,
                                       options.config.projects.zone};
  return net::JsonResponse(200, EncodeJson(server));
}

void Daemon::Parts::Listen() {
  net::Dispatcher* front = &router;
  if (options.config.storage.faults) front = &faulty;
  net::ListenerConfig plain;
  plain.socket = std::move(sockets.http);
  plain.dispatcher = front;
  plain.certificates = certificates;
  plain.connect = &connect_policy;
  server.Open(std::move(plain));
  net::ListenerConfig tls;
  tls.socket = std::move(sockets.https);
  tls.dispatcher = front;
  tls.certificates = certificates;
  tls.tls = true;
  server.Open(std::move(tls));
}

void Daemon::Parts::WriteEndpoint() {
  Endpoint endpoint;
  endpoint.http = sockets.http_address;
  endpoint.https = sockets.https_address;
  endpoint.pid = getpid();
  endpoint.version = FIREWEED_VERSION;
  endpoint.daemon_id = daemon_id;
  endpoint.started = FormatTime(clock.Now());
  endpoint.default_project = options.config.projects.default_project;
  endpoint.zone = options.config.projects.zone;
  endpoint.owner = identity::kOwnerEmail;
  endpoint.driver = driver->capabilities().driver;
  WriteDurably(*disk, state.Path(kEndpointFile), EncodeJson(endpoint));
  log.Info("daemon serves", {{"version", FIREWEED_VERSION},
                             {"http", endpoint.http},
                             {"https", endpoint.https},
                             {"state", options.state}});
}

void Daemon::Parts::CheckReady() {
  catalog.Read([](Txn& txn) { txn.FindRaw("ready", "ready"); });
  state.RequireFreeBytes(options.config.storage.reserve_bytes);
}

void Daemon::Parts::CollectMetrics(std::vector<Metric>& metrics) {
  net::HttpServer::Counters http = server.counters();
  auto add = [&](const char* name, const char* help, const char* kind, int64_t value) {
    metrics.push_back({name, help, kind, "", static_cast<double>(value)});
  };
  add("fireweed_http_connections", "Open connections.", "gauge", http.connections);
  add("fireweed_http_requests_total", "Requests answered.", "counter", http.requests);
  add("fireweed_http_inline_requests_total", "Requests answered on I/O threads.", "counter",
      http.inline_requests);
  add("fireweed_http_received_bytes_total", "Bytes received.", "counter", http.bytes_in);
  add("fireweed_http_sent_bytes_total", "Bytes sent.", "counter", http.bytes_out);
  add("fireweed_http_refused_total", "Connections and requests refused.", "counter", http.refused);
  SqliteCatalog::Counters rows = catalog.counters();
  add("fireweed_catalog_writes_total", "Transactions committed.", "counter", rows.bodies);
  add("fireweed_catalog_syncs_total", "Group commits, each with one sync.", "counter",
      rows.commits);
  storage::ScrubCounters scrub = storage.scrub().counters();
  add("fireweed_storage_scrub_passes_total", "Complete readings of everything stored.", "counter",
      scrub.passes);
  add("fireweed_storage_scrubbed_objects_total", "Objects compared with their checksums.",
      "counter", scrub.objects);
  add("fireweed_storage_scrubbed_bytes_total", "Bytes compared with their checksums.", "counter",
      scrub.bytes);
  add("fireweed_storage_mismatches_total", "Objects found damaged.", "counter", scrub.mismatches);
  add("fireweed_storage_damaged_blobs", "Blobs known to be damaged now.", "gauge", scrub.damaged);
  for (const net::Router::RouteCounters& route : router.counters()) {
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
  parts_->log.Info("daemon stops");
  parts_->faulty.EndStalls();
  if (!parts_->server.Drain(kDrainLimit)) {
    parts_->log.Warning("requests were still running", {{"after_s", kDrainLimit.count()}});
  }
}

std::string Daemon::Discovery(const std::string& service) const {
  return parts_->discovery.Document(service, "v1");
}

void PurgeMachines(const DaemonOptions& options) {
  SystemClock clock;
  FdLogger log(STDERR_FILENO, clock, LogLevel::kWarning);
  auto disk = MakeRealDisk();
  StateDirectory state(*disk, options.state);  // throws while a daemon runs
  std::string daemon_id(Trim(ReadIfThere(*disk, state.Path("daemon-id"))));
  if (daemon_id.empty()) return;
  auto driver =
      MakeDriver(options.config.instances,
                 {daemon_id, state.Path("machines"), options.program_directory}, clock, log);
  driver->Purge().value();
}

}  // namespace fireweed
