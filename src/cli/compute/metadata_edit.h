// Edits of an instance's metadata, labels and tags, as bodies with the fingerprint of what was read. Pure, but for
// files that flags name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "describe/json_tree.h"

namespace fireweed::cli {

class Command;

// What the flags of an edit said.
struct ListEdit {
  std::vector<std::string> pairs, files, names;
  bool all = false;
};

struct FieldEdit {
  std::string_view word;    // "add-metadata"; ends in a zero byte
  std::string_view method;  // "setMetadata"
  std::string_view help;    // ends in a zero byte
  void (*add_options)(Command& command, ListEdit& edit);
  // The request's body for a resource as it is now.
  JsonTree (*body)(const JsonTree& resource, const ListEdit& edit);

  void AddTo(Command& command, ListEdit& edit) const { add_options(command, edit); }
  JsonTree Body(const JsonTree& resource, const ListEdit& edit) const {
    return body(resource, edit);
  }
};

std::span<const FieldEdit> InstanceEdits();

// The metadata object with items added or replaced, or without those named; for instances and projects.
JsonTree AddMetadata(const JsonTree* metadata, const ListEdit& edit);
JsonTree RemoveMetadata(const JsonTree* metadata, const ListEdit& edit);
void AddMetadataOptions(Command& command, ListEdit& edit);
void RemoveMetadataOptions(Command& command, ListEdit& edit);

}  // namespace fireweed::cli
