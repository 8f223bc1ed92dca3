// Flags of `fireweed ai-platform jobs submit prediction`, in gcloud's grammar, and the job they make. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/context.h"
#include "describe/json_tree.h"

namespace fireweed::cli {

class Command;

struct BatchFlags {
  std::string job, model, version, model_dir, data_format, output_path, region, runtime_version,
      signature;
  std::vector<std::string> input_paths, labels;
  int64_t max_workers = 0, batch_size = 0;  // 0: not said

  void AddTo(Command& command);
  // The body of `jobs.create`. Throws Failure(kInvalid) for flags that contradict one another.
  JsonTree Job(const std::string& project) const;
};

// Adds the command to the group `jobs submit` below `root`.
void AddBatchCommand(Command& root, Settings& settings);

}  // namespace fireweed::cli
