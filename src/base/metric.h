// One number for operators, as Prometheus reads it.
#pragma once

#include <string>

namespace fireweed {

struct Metric {
  std::string name;
  std::string help;
  std::string kind;    // "counter" or "gauge"
  std::string labels;  // "method=\"x\""; empty: none
  double value = 0;
};

}  // namespace fireweed
