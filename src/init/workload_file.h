// The order for a workload, as a driver writes it and process 1 reads it: one "key value" a line, "\n" and "\\"
// escaped. Free of the rest of the tree, as all of process 1.
//
//   argument /usr/bin/python3
//   variable TF_CONFIG={...}
//   directory work
//   tree /var/cache/fireweed/environments/…/upper
//   marks 1
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fireweed {

// Process 1 finds the file by this variable, and without it has no workload.
inline constexpr std::string_view kWorkloadVariable = "FIREWEED_WORKLOAD";

struct WorkloadOrder {
  std::vector<std::string> arguments;
  std::vector<std::string> variables;  // "NAME=value"
  std::string directory;               // relative: below HOME; empty: HOME
  std::string tree;
  bool marks = false;
};

std::string FormatWorkloadOrder(const WorkloadOrder& order);
// nullopt: not such a file, or one with a line this version does not know.
std::optional<WorkloadOrder> ParseWorkloadOrder(std::string_view text);

}  // namespace fireweed
