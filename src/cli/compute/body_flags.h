// Flags that become fields of a request body, as a table: a new field is a line. Pure, but for files that flags name.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/compute/compute_session.h"
#include "describe/json_tree.h"

namespace fireweed::cli {

class Command;

struct BodyFlag {
  enum class Kind {
    kText,
    kNumber,
    kGigabytes,   // "10GB"
    kSeconds,     // "1h30m"
    kTrue,        // a flag without value that writes true
    kFalse,       // a flag without value that writes false
    kList,        // a,b,c
    kPairs,       // KEY=VALUE,... as an object
    kZoneLink,    // a name in `collection` of the zone
    kRegionLink,  // of the region
    kGlobalLink,  // of the project
    kUpperText,   // text that the API writes in capitals
  };
  std::string_view name;   // "--size"
  std::string_view field;  // "sizeGb", "source.disk"
  Kind kind = Kind::kText;
  std::string_view help;
  std::string_view collection = {};  // of links
  bool required = false;
};

class BodyFlags {
 public:
  BodyFlags() = default;
  BodyFlags(const BodyFlags&) = delete;  // the options point into it

  void AddTo(Command& command, std::span<const BodyFlag> flags);
  // Writes what was given.
  void Apply(JsonTree& body, const ComputeSession& session) const;
  bool Given(std::string_view name) const;

 private:
  struct Value {
    const BodyFlag* flag;
    std::vector<std::string> texts;
    bool set = false;
  };
  static JsonTree Convert(const Value& value, const ComputeSession& session);

  std::deque<Value> values_;  // a deque: options hold addresses
};

}  // namespace fireweed::cli
