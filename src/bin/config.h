// The daemon's settings: one described struct, read from YAML and handed down by value. Flags override the file.
// An unknown key or a bad value is refused with the path of the key.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bin/accelerators_config.h"
#include "bin/ml_config.h"
#include "bin/quotas_config.h"
#include "bin/serving_config.h"
#include "describe/type.h"
#include "identity/quota_limits.h"

namespace fireweed {

struct ListenConfig {
  std::string http = "127.0.0.1:0";
  std::string https = "127.0.0.1:0";
};

struct HttpConfig {
  int32_t io_threads = 1;
  int32_t pool_threads = 16;
  int32_t max_connections = 4096;
};

struct ProxyConfig {
  std::string upstream;
};

struct ProjectsConfig {
  bool automatic = true;
  std::string default_project = "fireweed";
  std::string zone = "us-central1-a";
};

struct InstancesConfig {
  std::string driver = "auto";
  std::string subnet = "10.128.0.0/9";
  std::string image_directory = "/var/cache/fireweed/images";
  std::string runtime;
  bool strict = false;
};

struct PreemptionConfig {
  int64_t seed = 1;
  int32_t mean_minutes = 0;
};

struct ComputeConfig {
  PreemptionConfig preemption;
  std::map<std::string, double> quotas;
  std::optional<std::vector<AcceleratorSetting>> accelerators;  // absent: what is found
};

struct StorageConfig {
  int64_t reserve_bytes = 256 << 20;
  int32_t sweep_minutes = 60;
  int32_t scrub_mb_per_second = 8;
  int32_t cache_mb = 64;
  bool faults = false;
};

struct LogsConfig {
  int32_t retention_days = 30;
  int64_t most_bytes = int64_t{10} << 30;
};

struct LogConfig {
  std::string level = "info";
};

struct Config {
  bool strict = false;
  ListenConfig listen;
  HttpConfig http;
  ProxyConfig proxy;
  ProjectsConfig projects;
  InstancesConfig instances;
  ComputeConfig compute;
  StorageConfig storage;
  LogsConfig logs;
  MlConfig ml;
  ServingConfig serving;
  LogConfig log;
  QuotasConfig quotas;

  bool strict_instances() const { return strict || instances.strict; }
};

// Throws Failure(kInvalid) that names the file and the path of the bad key. A missing file is the defaults.
Config LoadConfig(const std::string& path);
// Checks what types cannot say; used by LoadConfig and after flags were applied.
void ValidateConfig(const Config& config);
// The limits that the settings name.
identity::QuotaLimits QuotaLimitsOf(const Config& config);
// The defaults as YAML with every key explained: `fireweedd --print-config`.
std::string DocumentedConfig();

}  // namespace fireweed

namespace fireweed {
template <>
inline constexpr auto kFields<ListenConfig> = [](auto...) {
  return Fields{
      F("http", &ListenConfig::http, 0,
        "HOST:PORT of the plain HTTP listener, which is also the proxy of `fireweed env`. Port 0 "
        "picks a free port "
        "once and keeps it."),
      F("https", &ListenConfig::https, 0, "HOST:PORT of the TLS listener. Port 0 as above.")};
};
template <>
inline constexpr auto kFields<HttpConfig> = [](auto...) {
  return Fields{
      F("ioThreads", &HttpConfig::io_threads, 0,
        "Event loops; one serves some 100,000 requests a second."),
      F("poolThreads", &HttpConfig::pool_threads, 0, "Threads for handlers that may block."),
      F("maxConnections", &HttpConfig::max_connections, 0,
        "Further connections are answered 503.")};
};
template <>
inline constexpr auto kFields<ProxyConfig> = [](auto...) {
  return Fields{F("upstream", &ProxyConfig::upstream, 0,
                  "HOST:PORT of the proxy through which other hosts are reached. Empty: the "
                  "HTTPS_PROXY the daemon was "
                  "started with, or none.")};
};
template <>
inline constexpr auto kFields<ProjectsConfig> = [](auto...) {
  return Fields{
      F("auto", &ProjectsConfig::automatic, 0,
        "Whether a project id that nobody made is created on first use by the local owner."),
      F("default", &ProjectsConfig::default_project, 0, "The project that `fireweed env` selects."),
      F("zone", &ProjectsConfig::zone, 0, "The zone that `fireweed env` selects.")};
};
template <>
inline constexpr auto kFields<InstancesConfig> = [](auto...) {
  return Fields{F("driver", &InstancesConfig::driver, 0,
                  "auto (containers where the machine can, else plain processes), container, "
                  "process or fake."),
                F("subnet", &InstancesConfig::subnet, 0,
                  "Where instances get their addresses; each daemon takes a /20 of it."),
                F("imageDirectory", &InstancesConfig::image_directory, 0,
                  "Where base images are built and kept."),
                F("runtime", &InstancesConfig::runtime, 0,
                  "Path of the OCI runtime. Empty: crun, else runc."),
                F("strict", &InstancesConfig::strict, 0,
                  "Refuse machine types and accelerators larger than this host and public images "
                  "that the base image stands for. `strict` covers runtime versions, too.")};
};
template <>
inline constexpr auto kFields<PreemptionConfig> = [](auto...) {
  return Fields{F("seed", &PreemptionConfig::seed, 0,
                  "The same seed preempts the same boots after the same time."),
                F("meanMinutes", &PreemptionConfig::mean_minutes, 0,
                  "How long preemptible instances run on average before chance preempts them. 0: "
                  "never.")};
};
template <>
inline constexpr auto kFields<ComputeConfig> = [](auto...) {
  return Fields{
      F("preemption", &ComputeConfig::preemption, 0,
        "Preemption by chance: {seed: 1, meanMinutes: 30} ends preemptible instances after 30 "
        "minutes on average, the same seed always after the same time. meanMinutes 0: "
        "never."),
      F("quotas", &ComputeConfig::quotas, 0,
        "The former name of quotas.project; limits there take precedence."),
      F("accelerators", &ComputeConfig::accelerators, 0,
        "The cards that instances may ask for: [{type: amd-mi300x, devices: [/dev/dri/renderD128, "
        "/dev/kfd], libraries: [/opt/rocm/lib/libhsa-runtime64.so.1]}]. The first device of a card "
        "is its alone; one of NVIDIA's brings its driver along. null: NVIDIA's cards as they are "
        "found. []: none.")};
};
template <>
inline constexpr auto kFields<StorageConfig> = [](auto...) {
  return Fields{
      F("reserveBytes", &StorageConfig::reserve_bytes, 0,
        "Uploads are refused when the disk has less than this left, so that the catalog "
        "can always be written."),
      F("sweepMinutes", &StorageConfig::sweep_minutes, 0,
        "How often bytes that no object refers to are removed."),
      F("scrubMbPerSecond", &StorageConfig::scrub_mb_per_second, 0,
        "How fast stored bytes are read and compared with their checksums, once a day. 0: "
        "never."),
      F("cacheMb", &StorageConfig::cache_mb, 0,
        "Memory for small objects that are read again and again."),
      F("faults", &StorageConfig::faults, 0,
        "Serve faults that clients order, to test their retries: the header "
        "x-goog-emulator-instructions and the resource /retry_test.")};
};
template <>
inline constexpr auto kFields<LogsConfig> = [](auto...) {
  return Fields{
      F("retentionDays", &LogsConfig::retention_days, 0,
        "Log entries older than this are forgotten."),
      F("mostBytes", &LogsConfig::most_bytes, 0,
        "When the log entries of all projects take more than this, the oldest are forgotten.")};
};
template <>
inline constexpr auto kFields<LogConfig> = [](auto...) {
  return Fields{F("level", &LogConfig::level, 0, "debug, info, warning or error.")};
};
template <>
inline constexpr auto kFields<Config> = [](auto...) {
  return Fields{F("strict", &Config::strict, 0,
                  "Refuse requests that can only be met with a substitute: machine types and "
                  "accelerators larger than this host, public images that the base image stands "
                  "for, and runtime versions with another framework version."),
                F("listen", &Config::listen),
                F("http", &Config::http),
                F("proxy", &Config::proxy),
                F("projects", &Config::projects),
                F("instances", &Config::instances),
                F("compute", &Config::compute),
                F("storage", &Config::storage),
                F("logs", &Config::logs),
                F("ml", &Config::ml),
                F("serving", &Config::serving),
                F("log", &Config::log),
                F("quotas", &Config::quotas)};
};
}  // namespace fireweed
