#include "bin/health.h"

#include <unistd.h>

#include <fstream>
#include <map>

#include <fmt/format.h>

#include "net/errors.h"

namespace fireweed {
namespace {

constexpr std::string_view kNoGoogleHosts[] = {"fireweed.internal"};
constexpr api::Service kOperation{
    .name = "fireweed", .version = "v1", .title = "Fireweed operation", .hosts = kNoGoogleHosts};
constexpr api::Method<api::Empty, api::Empty> kHealthz{kOperation, api::Verb::kGet, "/healthz",
                                                       "fireweed.healthz"};
constexpr api::Method<api::Empty, api::Empty> kReadyz{kOperation, api::Verb::kGet, "/readyz",
                                                      "fireweed.readyz"};
constexpr api::Method<api::Empty, api::Empty> kMetrics{kOperation, api::Verb::kGet, "/metrics",
                                                       "fireweed.metrics"};

net::Response Text(std::string body) {
  net::Response response;
  response.Add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  response.body = std::move(body);
  return response;
}

double ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  return static_cast<double>(resident * sysconf(_SC_PAGESIZE));
}

}  // namespace

void Health::Serve(net::Router& router) {
  router.OnRaw(kHealthz.entry(), [](const net::Call&) -> net::Answer { return Text("ok\n"); });
  router.OnRaw(kReadyz.entry(), [this](const net::Call& call) { return Ready(call); });
  router.OnRaw(kMetrics.entry(), [this](const net::Call& call) { return Metrics(call); });
}

net::Answer Health::Ready(const net::Call&) {
  check_();
  return Text("ready\n");
}

net::Answer Health::Metrics(const net::Call&) {
  std::vector<Metric> metrics;
  metrics.push_back(
      {"process_resident_memory_bytes", "Resident memory.", "gauge", "", ResidentBytes()});
  for (const Source& source : sources_) source(metrics);
  return Text(FormatMetrics(metrics));
}

std::string FormatMetrics(const std::vector<Metric>& metrics) {
  // Lines of one name stand together under one HELP and TYPE.
  std::map<std::string, std::vector<const Metric*>> by_name;
  for (const Metric& metric : metrics) by_name[metric.name].push_back(&metric);
  std::string out;
  for (const auto& [name, lines] : by_name) {
    out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, lines[0]->help, name, lines[0]->kind);
    for (const Metric* metric : lines) {
      std::string labels = metric->labels.empty() ? "" : "{" + metric->labels + "}";
      out += fmt::format("{}{} {}\n", name, labels, metric->value);
    }
  }
  return out;
}

}  // namespace fireweed
