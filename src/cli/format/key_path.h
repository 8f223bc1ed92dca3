// A way into a resource as gcloud writes it: name, disks[0].source, tags.items[], labels.env. Pure.
//
// A name that meets a list of {key, value} pairs picks the value of that key (metadata.items.startup-script);
// any other list is looked through item by item.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "describe/json_tree.h"

namespace fireweed::cli {

class KeyPath {
 public:
  KeyPath() = default;  // the whole resource
  // The longest path at the front of `text`, which is shortened by it. A name followed by '(' is no part of it.
  // Throws Failure(kInvalid) on a bracket that does not close.
  static KeyPath Take(std::string_view& text);
  static KeyPath Parse(std::string_view text);

  bool empty() const { return steps_.empty(); }
  // Null when there is nothing.
  JsonTree Get(const JsonTree& resource) const;
  // Puts `value` where the path leads, making objects on the way; [] and [n] are left out.
  void Put(JsonTree& resource, JsonTree value) const;
  // "machineType" is MACHINE_TYPE: what a column is called when nothing else is said.
  std::string Label() const;
  std::string Text() const;

 private:
  struct Step {
    enum class Kind { kName, kIndex, kAll } kind = Kind::kName;
    std::string name;
    int index = 0;
  };
  static JsonTree GetFrom(const JsonTree& value, const std::vector<Step>& steps, size_t at);
  static JsonTree GetNamed(const JsonTree& list, const std::vector<Step>& steps, size_t at);

  std::vector<Step> steps_;
};

}  // namespace fireweed::cli
