// The metadata an instance sees, as a tree, and the ways a part of it is written. Pure.
//
// Directories list their children, one a line, with "/" after those that are directories. As JSON, names of the
// tree are written in camel case ("machine-type" is "machineType"); names that users chose (attributes, e-mails)
// stay as they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compute/guest_attributes.h"
#include "compute/records.h"

namespace fireweed::compute {

struct MetadataChild;  // a name and a node

struct MetadataNode {
  enum class Kind {
    kText,
    kNumber,     // written without quotes in JSON
    kLines,      // several words: one a line, or a JSON array of strings
    kJson,       // JSON either way
    kLive,       // made when asked for (tokens): listed, but not part of recursive output
    kDirectory,  // of `children`
    kList,       // of `children` named 0, 1, ...: a JSON array
  };
  Kind kind = Kind::kText;
  std::string text;
  std::vector<std::string> lines;
  std::vector<MetadataChild> children;
  bool names_are_users = false;  // children are named by users: no camel case

  bool is_directory() const { return kind == Kind::kDirectory || kind == Kind::kList; }
  const MetadataNode* Child(std::string_view name) const;
  MetadataNode& Add(std::string name, MetadataNode child);
};

struct MetadataChild {
  std::string name;
  MetadataNode node;
};

struct MetadataSources {
  const InstanceRecord& instance;
  const api::compute::Metadata& project_metadata;
  const GuestAttributes& guest;
  int64_t project_number = 0;
};

// The whole tree below "/computeMetadata/v1/".
MetadataNode BuildMetadata(const MetadataSources& sources);

// The node at a decoded path ("instance/id"); null when there is none.
const MetadataNode* FindNode(const MetadataNode& root, std::string_view path);

enum class MetadataForm { kText, kJson };
// `recursive`: everything below. A directory that is not recursive lists its children.
std::string RenderMetadata(const MetadataNode& node, MetadataForm form, bool recursive);

}  // namespace fireweed::compute
