#include "ml/job_metrics.h"

#include <fmt/format.h>

#include "ml/job_record.h"

namespace fireweed::ml {
namespace {

constexpr std::chrono::seconds kPace{2};

}  // namespace

JobMetrics::JobMetrics(const Catalog& catalog, const Clock& clock)
    : catalog_(catalog), by_state_(clock, kPace, [this] {
        Counts counts{};
        ForEach<JobRecord>(catalog_, {}, [&](const Row<JobRecord>& row) {
          ++counts.at(static_cast<size_t>(row.value.job.state));
        });
        return counts;
      }) {}

void JobMetrics::Collect(std::vector<Metric>& metrics) {
  using api::ml::JobState;
  Counts counts = by_state_.Get();
  for (size_t i = 1; i < counts.size(); ++i) {  // the first is the unspecified one
    metrics.push_back({"fireweed_jobs", "Training and batch prediction jobs by state.", "gauge",
                       fmt::format("state=\"{}\"", kEnumNames<JobState>[i]),
                       static_cast<double>(counts[i])});
  }
  int64_t waiting = 0;
  ForEach<ActiveJob>(catalog_, {},
                     [&](const Row<ActiveJob>& row) { waiting += !row.value.admitted; });
  metrics.push_back({"fireweed_job_queue_length", "Jobs that wait for room on the host.", "gauge",
                     "", static_cast<double>(waiting)});
}

}  // namespace fireweed::ml
