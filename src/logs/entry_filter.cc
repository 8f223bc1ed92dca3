#include "logs/entry_filter.h"

#include <algorithm>

#include "base/clock.h"
#include "logs/filter_node.h"
#include "logs/filter_parser.h"

namespace fireweed::logs {
namespace {

void Narrow(const FilterNode& node, EntryFilter::Bounds& bounds) {
  if (auto* all = dynamic_cast<const AllOf*>(&node)) {
    for (const FilterNodePtr& part : all->parts()) Narrow(*part, bounds);
    return;
  }
  auto* comparison = dynamic_cast<const Comparison*>(&node);
  if (!comparison) return;
  const std::vector<std::string>& path = comparison->path();
  if (path == std::vector<std::string>{"resource", "labels", "job_id"} &&
      comparison->op() == Comparator::kEqual) {
    bounds.job = comparison->value();
  }
  if (path != std::vector<std::string>{"timestamp"}) return;
  std::optional<Time> time = ParseTime(comparison->value());
  if (!time) return;
  int64_t nanos = time->time_since_epoch().count();
  switch (comparison->op()) {
    case Comparator::kMore:
    case Comparator::kMoreEqual: bounds.from = std::max(bounds.from, nanos); break;
    case Comparator::kLess:
    case Comparator::kLessEqual: bounds.to = std::min(bounds.to, nanos); break;
    case Comparator::kEqual:
      bounds.from = std::max(bounds.from, nanos);
      bounds.to = std::min(bounds.to, nanos);
      break;
    default: break;
  }
}

}  // namespace

EntryFilter::EntryFilter(std::string_view text) : root_(ParseFilter(text)) {
  if (root_) Narrow(*root_, bounds_);
}

EntryFilter::~EntryFilter() = default;
EntryFilter::EntryFilter(EntryFilter&&) noexcept = default;

bool EntryFilter::Matches(const api::logging::LogEntry& entry) const {
  return !root_ || root_->Matches(entry);
}

}  // namespace fireweed::logs
