#include "logs/log_pollers.h"

#include <algorithm>

namespace fireweed::logs {
namespace {

// A read that ends earlier than this looks at the past and does not follow the job.
constexpr Duration kLargestLag = std::chrono::minutes(1);
// The job's last line is written right after the time that endTime shows.
constexpr Duration kLastLine = std::chrono::seconds(1);

}  // namespace

void LogPollers::Note(const std::string& poller, const std::string& job, Time until) {
  Time now = clock_.Now();
  if (until < now - kLargestLag) return;
  pollers_.With([&](Pollers& all) {
    std::erase_if(all, [&](const auto& one) { return one.second.at < now - kPatience; });
    Progress& progress = all[{poller, job}];
    progress = {std::max(progress.until, until), now};
  });
}

bool LogPollers::IsBehind(const std::string& poller, const std::string& job, Time end) const {
  Time now = clock_.Now();
  return pollers_.With([&](const Pollers& all) {
    auto found = all.find({poller, job});
    if (found == all.end() || found->second.at < now - kPatience) return false;
    return found->second.until < end + kLastLine;
  });
}

}  // namespace fireweed::logs
