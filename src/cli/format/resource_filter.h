// --filter as gcloud reads it, on resources that are here already:
//   status=RUNNING AND NOT name:(test-* old)      labels.env:* OR zone~us-      size>100      -tags.items:web
// `:` is a word of the value or a pattern with '*'; `=` the whole value, letters' case aside; `~` a regular
// expression anywhere in it; a word alone is looked for in every value. Terms side by side are AND, which binds weaker than OR only in gcloud's oldest
// releases; here OR is the weakest. Pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/format/projection.h"
#include "describe/json_tree.h"

namespace fireweed::cli {

class ResourceFilter {
 public:
  // An empty text lets everything through. Headings of `usual` may be used as field names. Throws
  // Failure(kInvalid) that says where the text goes wrong.
  explicit ResourceFilter(std::string_view text, const std::vector<Column>& usual = {});
  ~ResourceFilter();
  ResourceFilter(ResourceFilter&&) noexcept;

  bool Matches(const JsonTree& resource) const;

  struct Node;

 private:
  std::unique_ptr<Node> root_;
};

}  // namespace fireweed::cli
