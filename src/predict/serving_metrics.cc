#include "predict/serving_metrics.h"

#include <fmt/format.h>

namespace fireweed::predict {

template <size_t kBuckets>
void Histogram<kBuckets>::Write(std::string& out, std::string_view name,
                                std::string_view labels) const {
  out += fmt::format("# TYPE {} histogram\n", name);
  int64_t total = 0;
  for (size_t i = 0; i <= kBuckets; ++i) {
    total += counts_[i].load(std::memory_order_relaxed);
    std::string bound = i < kBuckets ? fmt::format("{:g}", bounds_[i]) : "+Inf";
    out += fmt::format("{}_bucket{{{},le=\"{}\"}} {}\n", name, labels, bound, total);
  }
  out += fmt::format("{}_sum{{{}}} {:g}\n{}_count{{{}}} {}\n", name, labels, sum_.load(), name,
                     labels, total);
}

void ServingMetrics::Answered(int status, int64_t instances, Duration took) {
  size_t kind = status >= 100 && status < 600 ? static_cast<size_t>(status / 100) : 0;
  by_class_[kind].fetch_add(1, std::memory_order_relaxed);
  if (status == 429) refused_.fetch_add(1, std::memory_order_relaxed);
  instances_.fetch_add(instances, std::memory_order_relaxed);
  seconds_.Add(std::chrono::duration<double>(took).count());
}

std::string ServingMetrics::Text(std::string_view labels) const {
  std::string out = "# TYPE fireweed_predict_requests_total counter\n";
  for (size_t kind = 1; kind < by_class_.size(); ++kind) {
    out += fmt::format("fireweed_predict_requests_total{{{},code=\"{}xx\"}} {}\n", labels, kind,
                       by_class_[kind].load());
  }
  auto counter = [&](std::string_view name, int64_t value) {
    out += fmt::format("# TYPE {} counter\n{}{{{}}} {}\n", name, name, labels, value);
  };
  counter("fireweed_predict_refused_total", refused_.load());
  counter("fireweed_predict_instances_total", instances_.load());
  out += fmt::format("# TYPE fireweed_predict_pending gauge\nfireweed_predict_pending{{{}}} {}\n",
                     labels, pending.load());
  seconds_.Write(out, "fireweed_predict_seconds", labels);
  batch_rows_.Write(out, "fireweed_predict_batch_rows", labels);
  return out;
}

}  // namespace fireweed::predict
