// What `buckets create` and `buckets update` can set, as a Bucket resource or a patch of one. Pure, but for the files
// that options name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "describe/json_tree.h"

namespace fireweed::cli {

class Command;

struct BucketSettings {
  std::string location, storage_class, lifecycle_file, cors_file, labels_file;
  std::vector<std::string> update_labels, remove_labels;
  bool clear_labels = false, clear_lifecycle = false, clear_cors = false;
  std::optional<bool> versioning, uniform_access, public_access_prevention, requester_pays;
  std::optional<std::string> web_main_page, web_error_page;

  void AddTo(Command& command, bool creating);
  // Throws Failure for a file that cannot be read or is no JSON.
  JsonTree Resource() const;
};

}  // namespace fireweed::cli
