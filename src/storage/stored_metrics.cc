#include "storage/stored_metrics.h"

#include <fmt/format.h>

#include "storage/object_row.h"

namespace fireweed::storage {
namespace {

constexpr std::chrono::minutes kPace{1};

}  // namespace

StoredMetrics::StoredMetrics(const Catalog& catalog, const Clock& clock)
    : totals_(clock, kPace, [&catalog] {
        Totals totals;
        auto add = [](Total& total, const ObjectRow& object) {
          ++total.objects;
          total.bytes += object.size;
        };
        ForEach<LiveObject>(catalog, {},
                            [&](const Row<LiveObject>& row) { add(totals.live, row.value.row); });
        ForEach<ArchivedObject>(catalog, {}, [&](const Row<ArchivedObject>& row) {
          add(totals.noncurrent, row.value.row);
        });
        return totals;
      }) {}

void StoredMetrics::Collect(std::vector<Metric>& metrics) {
  Totals totals = totals_.Get();
  for (const auto& [version, total] :
       {std::pair("live", totals.live), std::pair("noncurrent", totals.noncurrent)}) {
    std::string labels = fmt::format("version=\"{}\"", version);
    metrics.push_back({"fireweed_storage_objects", "Versions of objects, counted every minute.",
                       "gauge", labels, static_cast<double>(total.objects)});
    metrics.push_back({"fireweed_storage_stored_bytes", "Bytes of objects, counted every minute.",
                       "gauge", labels, static_cast<double>(total.bytes)});
  }
}

}  // namespace fireweed::storage
