// Labels and network tags: what the cloud takes, and nothing else, so that what works here works there. All throw
// Failure(kInvalid) in its words. Who calls: handlers; what the service itself labels is not looked at.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace fireweed::compute {

using Labels = std::map<std::string, std::string>;

// `present`: what is there already may stay as it is.
void CheckLabels(const Labels& labels, const Labels& present = {});
void CheckTags(const std::vector<std::string>& tags);

// The same for all of an instance, or of what a template says of one.
template <class T>
void CheckLabelsAndTags(const T& instance) {
  CheckLabels(instance.labels);
  CheckTags(instance.tags.items);
  for (const auto& disk : instance.disks) {
    if (disk.initializeParams) CheckLabels(disk.initializeParams->labels);
  }
}

}  // namespace fireweed::compute
