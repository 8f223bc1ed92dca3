#include "ml/models/request_log.h"

#include <utility>

#include "describe/json_writer.h"

namespace fireweed::ml {
namespace {

std::string LineOf(const ServedExchange& exchange) {
  JsonWriter out;
  out.BeginObject()
      .Field("model", "projects/" + exchange.version.project + "/models/" + exchange.version.model)
      .Field("modelVersion", exchange.version.name)
      .Field("time", FormatTime(exchange.when))
      .Field("status", exchange.status)
      .Field("rawData", exchange.request)
      .Field("rawPrediction", exchange.response)
      .EndObject();
  return out.Take() + "\n";
}

}  // namespace

void RequestLog::Note(const ServedExchange& exchange) {
  const auto& config = exchange.version.resource.requestLoggingConfig;
  if (!config || config->samplingPercentage <= 0) return;
  Key key = exchange.version.key();
  bool due = state_.With([&](State& state) {
    double& share = state.due[key];
    share += config->samplingPercentage;
    if (share < 1) return false;
    share -= 1;
    return true;
  });
  if (!due) return;
  std::string line = LineOf(exchange);
  state_.With([&](State& state) {
    if (state.bytes + line.size() > kMostBytes) {
      ++state.dropped;
      return;
    }
    Pending& pending = state.by_version[key];
    pending.version = exchange.version;
    pending.lines += line;
    state.bytes += line.size();
  });
}

void RequestLog::Flush() {
  int64_t dropped = 0;
  std::map<Key, Pending> taken = state_.With([&](State& state) {
    dropped = std::exchange(state.dropped, 0);
    state.bytes = 0;
    return std::exchange(state.by_version, {});
  });
  if (dropped > 0) log_.Warning("predictions not logged: too many", {{"lines", dropped}});
  for (const auto& [key, pending] : taken) {
    std::string uri = pending.version.resource.requestLoggingConfig->outputUri.substr(5);
    std::string bucket = uri.substr(0, uri.find('/'));
    std::string prefix = uri.size() > bucket.size() ? uri.substr(bucket.size() + 1) : "";
    if (!prefix.empty() && !prefix.ends_with('/')) prefix += '/';
    std::string name = prefix + pending.version.model + "/" + pending.version.name + "/" +
                       ids_.NextWord() + ".jsonl";
    Result<> written = write_(pending.version, bucket, name, pending.lines);
    if (written.ok()) continue;
    log_.Warning("predictions not logged", {{"version", key}, {"error", written.error().message}});
  }
}

}  // namespace fireweed::ml
