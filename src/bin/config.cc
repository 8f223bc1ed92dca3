#include "bin/config.h"

#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "compute/catalogue.h"
#include "describe/json_codec.h"
#include "identity/projects.h"

namespace fireweed {
namespace {

void RequireOneOf(std::string_view path, const std::string& value,
                  std::initializer_list<std::string_view> allowed) {
  for (std::string_view word : allowed) {
    if (value == word) return;
  }
  throw Failure(Code::kInvalid,
                fmt::format("{}: '{}' is none of {}", path, value, fmt::join(allowed, ", ")));
}

void RequireRange(std::string_view path, int64_t value, int64_t least, int64_t most) {
  if (value < least || value > most) {
    throw Failure(Code::kInvalid,
                  fmt::format("{}: {} is not between {} and {}", path, value, least, most));
  }
}

void RequireEndpoint(std::string_view path, const std::string& value) {
  size_t colon = value.rfind(':');
  std::string port = colon == std::string::npos ? "" : value.substr(colon + 1);
  bool digits = !port.empty() && port.find_first_not_of("0123456789") == std::string::npos;
  if (colon == 0 || !digits || port.size() > 5 || std::stoi(port) > 65535) {
    throw Failure(Code::kInvalid, fmt::format("{}: '{}' is not HOST:PORT", path, value));
  }
}

void RequireBelow(std::string_view path, const std::string& value, std::string_view directory) {
  bool below = value.starts_with(directory) && value.size() > directory.size() &&
               value.find("/../") == value.npos;
  if (!below) {
    throw Failure(Code::kInvalid,
                  fmt::format("{}: '{}' is no path below {}", path, value, directory));
  }
}

void RequireAccelerator(const std::string& path, const AcceleratorSetting& card) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";
  if (card.type.empty() || card.type.find_first_not_of(kLetters) != std::string::npos) {
    throw Failure(Code::kInvalid,
                  fmt::format("{}.type: '{}' is no name of small letters, digits and dashes", path,
                              card.type));
  }
  if (card.devices.empty()) {
    throw Failure(Code::kInvalid, fmt::format("{}.devices: a card needs one at least", path));
  }
  for (const std::string& device : card.devices) RequireBelow(path + ".devices", device, "/dev/");
  for (const std::string& file : card.libraries) RequireBelow(path + ".libraries", file, "/");
}

void RequireAccelerators(const std::vector<AcceleratorSetting>& cards) {
  std::set<std::string> names;
  for (size_t i = 0; i < cards.size(); ++i) {
    std::string path = fmt::format("compute.accelerators[{}]", i);
    RequireAccelerator(path, cards[i]);
    if (names.insert(cards[i].devices.front()).second) continue;
    throw Failure(Code::kInvalid, fmt::format("{}.devices: '{}' is another card's first", path,
                                              cards[i].devices.front()));
  }
}

void RequireQuotas(const std::string& path, const std::map<std::string, double>& limits) {
  for (const auto& [metric, limit] : limits) {
    if (!identity::IsQuotaMetric(metric)) {
      throw Failure(Code::kInvalid,
                    fmt::format("{}: unknown metric '{}'; use CPUS, MEMORY_GB, GPUS_ALL_REGIONS, "
                                "NVIDIA_T4_GPUS, INSTANCES, DISKS_TOTAL_GB, SSD_TOTAL_GB, "
                                "IN_USE_ADDRESSES, PREEMPTIBLE_CPUS or STORAGE_TOTAL_GB",
                                path, metric));
    }
    if (!(limit >= 0)) {
      throw Failure(Code::kInvalid, fmt::format("{}.{}: {} is negative", path, metric, limit));
    }
  }
}

void RequireQuotas(const Config& config) {
  RequireQuotas("compute.quotas", config.compute.quotas);
  RequireQuotas("quotas.project", config.quotas.project);
  RequireQuotas("quotas.user", config.quotas.user);
  for (const auto& [project, limits] : config.quotas.projects) {
    RequireQuotas("quotas.projects." + project, limits);
  }
  for (const auto& [user, limits] : config.quotas.users) {
    RequireQuotas("quotas.users." + user, limits);
  }
}

// A long explanation as comment lines of at most 100 columns.
void AppendComment(std::string& out, std::string_view indent, std::string_view text) {
  constexpr size_t kWidth = 96;
  while (!text.empty()) {
    size_t cut = text.size() <= kWidth ? text.size() : text.rfind(' ', kWidth);
    out += fmt::format("{}# {}\n", indent, text.substr(0, cut));
    text = cut == text.size() ? std::string_view() : text.substr(cut + 1);
  }
}

}  // namespace

void ValidateConfig(const Config& config) {
  RequireEndpoint("listen.http", config.listen.http);
  RequireEndpoint("listen.https", config.listen.https);
  RequireRange("http.ioThreads", config.http.io_threads, 1, 64);
  RequireRange("http.poolThreads", config.http.pool_threads, 2, 1024);
  RequireRange("http.maxConnections", config.http.max_connections, 16, 1'000'000);
  RequireOneOf("instances.driver", config.instances.driver,
               {"auto", "container", "process", "fake"});
  RequireRange("compute.preemption.meanMinutes", config.compute.preemption.mean_minutes, 0,
               60 * 24 * 365);
  if (config.compute.accelerators) RequireAccelerators(*config.compute.accelerators);
  RequireRange("ml.linesPerSecond", config.ml.lines_per_second, 1, 1'000'000'000);
  RequireRange("ml.environmentDays", config.ml.environment_days, 1, 36'500);
  RequireRange("ml.environmentBytes", config.ml.environment_bytes, 0, INT64_MAX);
  RequireRange("ml.lineBytes", config.ml.line_bytes, 1 << 20, INT64_MAX);
  RequireRange("ml.jobs.mostRestarts", config.ml.jobs.most_restarts, 0, 1'000'000);
  if (!(config.ml.jobs.overcommit >= 0.1 && config.ml.jobs.overcommit <= 1000)) {
    throw Failure(Code::kInvalid, fmt::format("ml.jobs.overcommit: {} is not between 0.1 and 1000",
                                              config.ml.jobs.overcommit));
  }
  RequireRange("serving.idleSeconds", config.serving.idle_seconds, 0, INT32_MAX);
  RequireRange("serving.mostRequests", config.serving.most_requests, 1, INT32_MAX);
  RequireRange("serving.wakeSeconds", config.serving.wake_seconds, 1, 3600);
  RequireRange("serving.answerSeconds", config.serving.answer_seconds, 1, 24 * 3600);
  RequireRange("serving.mostModelBytes", config.serving.most_model_bytes, 1, INT64_MAX);
  RequireOneOf("log.level", config.log.level, {"debug", "info", "warning", "error"});
  RequireRange("storage.reserveBytes", config.storage.reserve_bytes, 0, INT64_MAX);
  RequireRange("storage.scrubMbPerSecond", config.storage.scrub_mb_per_second, 0, 1'000'000);
  RequireRange("storage.cacheMb", config.storage.cache_mb, 0, 1'000'000);
  RequireRange("storage.sweepMinutes", config.storage.sweep_minutes, 1, 7 * 24 * 60);
  RequireRange("logs.retentionDays", config.logs.retention_days, 1, 3650);
  RequireRange("logs.mostBytes", config.logs.most_bytes, 64 << 20, INT64_MAX);
  if (!identity::IsProjectId(config.projects.default_project)) {
    throw Failure(Code::kInvalid, fmt::format("projects.default: '{}' is no project id",
                                              config.projects.default_project));
  }
  if (!compute::Catalogue::HasZone(config.projects.zone)) {
    throw Failure(Code::kInvalid,
                  fmt::format("projects.zone: there is no zone '{}'", config.projects.zone));
  }
  if (!config.proxy.upstream.empty()) RequireEndpoint("proxy.upstream", config.proxy.upstream);
  RequireQuotas(config);
}

identity::QuotaLimits QuotaLimitsOf(const Config& config) {
  identity::QuotaLimits limits{config.quotas.project, config.quotas.user, config.quotas.projects,
                               config.quotas.users};
  limits.project.insert(config.compute.quotas.begin(), config.compute.quotas.end());
  return limits;
}

Config LoadConfig(const std::string& path) {
  if (std::error_code none; !std::filesystem::exists(path, none) && !none) return Config{};
  // What is there and cannot be read is no reason to go on without the limits it may hold.
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path)) {
    throw Failure(Code::kInvalid, fmt::format("{}: cannot be read", path));
  }
  std::string text(std::istreambuf_iterator<char>(file), {});
  try {
    DecodeRules rules{.unknown = UnknownFields::kRefuse, .lenient_scalars = true};
    Config config = DecodeJson<Config>(YamlToJson(text), rules);
    ValidateConfig(config);
    return config;
  } catch (const Failure& failure) {
    throw Failure(Code::kInvalid, fmt::format("{}: {}", path, failure.error().message));
  }
}

std::string DocumentedConfig() {
  std::string out =
      "# Settings of fireweedd. Every key may be left out; the values below are the defaults.\n";
  Config defaults;
  for (const Field& section : TypeOf<Config>().fields) {
    if (section.type->fields.empty()) {
      out += "\n";
      AppendComment(out, "", section.doc);
      JsonWriter value;
      EncodeValue(*section.type, section.Of(static_cast<const void*>(&defaults)), value);
      out += fmt::format("{}: {}\n", section.name, value.text());
      continue;
    }
    out += fmt::format("\n{}:\n", section.name);
    for (const Field& field : section.type->fields) {
      AppendComment(out, "  ", field.doc);
      JsonWriter value;
      EncodeValue(*field.type, field.Of(section.Of(static_cast<const void*>(&defaults))), value);
      out += fmt::format("  {}: {}\n", field.name, value.text());
    }
  }
  return out;
}

}  // namespace fireweed
