#include "compute/instance_metrics.h"

#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "compute/records.h"

namespace fireweed::compute {

void CollectInstanceMetrics(const Catalog& catalog, const std::vector<HostCard>& host,
                            std::vector<Metric>& metrics) {
  using api::compute::InstanceStatus;
  std::array<int64_t, kEnumNames<InstanceStatus>.size()> counts{};
  std::set<std::string> lent;
  ForEach<InstanceRecord>(catalog, {}, [&](const Row<InstanceRecord>& row) {
    ++counts.at(static_cast<size_t>(row.value.resource.status));
    lent.insert(row.value.cards.begin(), row.value.cards.end());
  });
  for (size_t i = 0; i < counts.size(); ++i) {
    metrics.push_back({"fireweed_instances", "Instances by status, replicas of jobs included.",
                       "gauge", fmt::format("status=\"{}\"", kEnumNames<InstanceStatus>[i]),
                       static_cast<double>(counts[i])});
  }
  std::map<std::pair<std::string, bool>, int> accelerators;
  for (const HostCard& card : host) {
    for (bool used : {false, true})
      accelerators[{card.type, used}] += lent.contains(card.name()) == used;
  }
  for (const auto& [key, count] : accelerators) {
    metrics.push_back(
        {"fireweed_accelerators", "Accelerators of the host by type and use.", "gauge",
         fmt::format("type=\"{}\",state=\"{}\"", key.first, key.second ? "lent" : "free"),
         static_cast<double>(count)});
  }
}

}  // namespace fireweed::compute
