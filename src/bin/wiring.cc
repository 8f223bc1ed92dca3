// The one place where concrete classes meet. Read it from top to bottom: each part uses those above.
#include <unistd.h>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/disk.h"
#include "base/ids.h"
#include "base/log.h"
#include "bin/daemon.h"
#include "bin/health.h"
#include "bin/ports.h"
#include "blob/file_blob_store.h"
#include "catalog/sqlite_catalog.h"
#include "catalog/state_directory.h"
#include "client/endpoint.h"
#include "describe/json_codec.h"
#include "identity/access.h"
#include "identity/projects.h"
#include "identity/tokens.h"
#include "net/certificate_authority.h"
#include "net/discovery.h"
#include "net/google_connect_policy.h"
#include "net/http_server.h"
#include "net/minted_certificates.h"
#include "net/router.h"

namespace fireweed {
namespace {

constexpr std::chrono::seconds kDrainLimit{30};

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

// A small secret or name that is made once and kept.
std::string Keep(Disk& disk, const std::string& path, const std::function<std::string()>& make) {
  std::string kept(Trim(ReadIfThere(disk, path)));
  if (!kept.empty()) return kept;
  kept = make();
  WriteDurably(disk, path, kept + "\n");
  return kept;
}

// "http://user:secret@host:port", or HOST:PORT from the settings. Other schemes are no proxies that
// CONNECT can be sent to in the clear, and are left alone.
std::optional<net::Upstream> ParseUpstream(std::string_view text) {
  if (text.starts_with("http://")) text.remove_prefix(7);
  if (text.empty() || text.find("://") != std::string_view::npos) return std::nullopt;
  while (text.ends_with('/')) text.remove_suffix(1);
  net::Upstream upstream;
  size_t at = text.rfind('@');
  if (at != std::string_view::npos) {
    std::optional<std::string> credential = PercentDecode(text.substr(0, at));
    upstream.authorization =
        "Basic " + Base64Encode(credential.value_or(std::string(text.substr(0, at))));
    text.remove_prefix(at + 1);
  }
  upstream.address =
      text.find(':') == std::string_view::npos ? fmt::format("{}:80", text) : std::string(text);
  return upstream;
}

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    size_t comma = text.find(',');
    std::string_view word = Trim(text.substr(0, comma));
    if (!word.empty()) words.emplace_back(word);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return words;
}

}  // namespace

struct Daemon::Parts {
  explicit Parts(DaemonOptions given)
      : options(std::move(given)),
        log(STDERR_FILENO, clock, LevelByName(options.config.log.level)),
        disk(MakeRealDisk()),
        state(*disk, options.state),
        daemon_id(Keep(*disk, state.Path("daemon-id"), [&] { return random.Hex(4); })),
        sockets(OpenSockets(options.config.listen.http, options.config.listen.https, *disk,
                            state.Path("ports.json"), random)),
        ids(clock, random),
        catalog({.path = state.Path("catalog.db")}, log),
        blobs(FileBlobStore::Open(*disk, state.Path("blobs"), ids,
                                  {.reserve_bytes = options.config.storage.reserve_bytes})
                  .value()),
        access(catalog, clock, random),
        tokens(catalog, clock, random),
        projects(clock, random, {.auto_create = options.config.projects.automatic}),
        authority(net::CertificateAuthority::Open(*disk, state.Path("ca"), clock.Now())),
        certificates(std::make_shared<net::MintedCertificates>(*authority, clock, log)),
        proxy_secret(Keep(*disk, state.Path(kProxySecretFile), [&] { return random.Hex(16); })),
        connect_policy(ConnectOptions()),
        router(access),
        discovery(router),
        health([this] { CheckReady(); }),
        server({.io_threads = options.config.http.io_threads,
                .pool_threads = options.config.http.pool_threads,
                .limits = {.max_connections = options.config.http.max_connections}},
               clock, log) {
    PrepareOwner();
    Route();
    Listen();
    WriteEndpoint();
  }

  void PrepareOwner();
  void Route();
  void Listen();
  void WriteEndpoint();
  void CheckReady();
  void CollectMetrics(std::vector<Metric>& metrics);
  net::GoogleConnectPolicy::Options ConnectOptions();

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
  identity::Access access;
  identity::Tokens tokens;
  identity::Projects projects;
  std::unique_ptr<net::CertificateAuthority> authority;
  std::shared_ptr<net::MintedCertificates> certificates;
  std::string proxy_secret;
  net::GoogleConnectPolicy connect_policy;
  net::Router router;
  net::Discovery discovery;
  Health health;
  net::HttpServer server;
};

net::GoogleConnectPolicy::Options Daemon::Parts::ConnectOptions() {
  net::GoogleConnectPolicy::Options policy;
  policy.knows_secret = [this](std::string_view user, std::string_view secret) {
    return user == "fireweed" && EqualConstantTime(secret, proxy_secret);
  };
  const std::string& configured = options.config.proxy.upstream;
  policy.upstream = ParseUpstream(configured.empty() ? options.upstream_proxy : configured);
  policy.not_upstream = SplitList(options.no_proxy);
  return policy;
}

// Leaves a credential for the local user: whoever can read this file is the owner.
void Daemon::Parts::PrepareOwner() {
  std::string path = state.Path(kOwnerFile);
  std::string old = ReadIfThere(*disk, path);
  std::string now = tokens.EnsureOwner(old);
  if (now != old) WriteDurably(*disk, path, now);
}

void Daemon::Parts::Route() {
  health.AddSource([this](std::vector<Metric>& metrics) { CollectMetrics(metrics); });
  health.Serve(router);
  discovery.Serve();
}

void Daemon::Parts::Listen() {
  net::ListenerConfig plain;
  plain.socket = std::move(sockets.http);
  plain.dispatcher = &router;
  plain.certificates = certificates;
  plain.connect = &connect_policy;
  server.Open(std::move(plain));
  net::ListenerConfig tls;
  tls.socket = std::move(sockets.https);
  tls.dispatcher = &router;
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
  if (!parts_->server.Drain(kDrainLimit)) {
    parts_->log.Warning("requests were still running", {{"after_s", kDrainLimit.count()}});
  }
}

void PurgeMachines(const DaemonOptions&) {}

}  // namespace fireweed
