// What for: counts of one served version, as Prometheus reads them. Any thread, no locks, never blocks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace fireweed::predict {

// Counts by upper bounds that grow by a constant factor.
template <size_t kBuckets>
class Histogram {
 public:
  constexpr Histogram(double first, double factor) {
    for (size_t i = 0; i < kBuckets; ++i, first *= factor) bounds_[i] = first;
  }
  void Add(double value) {
    size_t bucket = 0;
    while (bucket < kBuckets && value > bounds_[bucket]) ++bucket;
    counts_[bucket].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
  }
  void Write(std::string& out, std::string_view name, std::string_view labels) const;

 private:
  std::array<double, kBuckets> bounds_{};
  std::array<std::atomic<int64_t>, kBuckets + 1> counts_{};
  std::atomic<double> sum_{0};
};

class ServingMetrics {
 public:
  // A request was answered.
  void Answered(int status, int64_t instances, Duration took);
  void Batch(int64_t rows) { batch_rows_.Add(static_cast<double>(rows)); }
  std::atomic<int64_t> pending{0};  // requests taken and not yet answered

  // `labels`: model="m",version="v"
  std::string Text(std::string_view labels) const;

 private:
  std::array<std::atomic<int64_t>, 6> by_class_{};  // 1xx to 5xx; 0 is anything else
  std::atomic<int64_t> refused_{0};                 // 429
  std::atomic<int64_t> instances_{0};
  Histogram<20> seconds_{25e-6, 2};  // 25 us to 13 s
  Histogram<12> batch_rows_{1, 2};
};

}  // namespace fireweed::predict
