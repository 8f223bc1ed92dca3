// What operators and supervisors ask: /healthz (the process answers), /readyz (it can read and write
// its state), /metrics (Prometheus text). Open to everybody, since they tell nothing of anybody.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metric.h"
#include "net/router.h"

namespace fireweed {

class Health {
 public:
  using Source = std::function<void(std::vector<Metric>&)>;
  // `check` throws Failure when the daemon cannot do its work.
  explicit Health(std::function<void()> check) : check_(std::move(check)) {}

  void AddSource(Source source) { sources_.push_back(std::move(source)); }
  void Serve(net::Router& router);

 private:
  net::Answer Ready(const net::Call& call);
  net::Answer Metrics(const net::Call& call);

  std::function<void()> check_;
  std::vector<Source> sources_;
};

std::string FormatMetrics(const std::vector<Metric>& metrics);

}  // namespace fireweed
