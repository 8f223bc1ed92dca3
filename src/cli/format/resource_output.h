// The options that every list and describe shares, and what they do to the resources. No thread, no I/O.
#pragma once

#include <string>
#include <vector>

#include "cli/format/printer.h"

namespace fireweed::cli {

class Command;

struct OutputOptions {
  std::string format, filter, sort_by;
  int64_t limit = 0;      // 0: all
  int64_t page_size = 0;  // accepted for gcloud's sake
  bool uri = false;       // selfLinks only

  // --format, and for lists --filter --sort-by --limit --page-size --uri.
  void AddTo(Command& command, Shape shape);
  // What to print. `usual`: the format where none was asked for, "table(name,...)"; `json` is the program's
  // --json flag, the same as --format=json.
  std::string Text(std::vector<JsonTree> resources, const std::string& usual, Shape shape,
                   bool json) const;
};

// Sorted by "zone,~name": '~' turns a key around. Numbers sort as numbers.
void SortResources(std::vector<JsonTree>& resources, const std::string& keys);

}  // namespace fireweed::cli
