// A --format expression taken apart: table[no-heading](name, zone.basename():label=WHERE:sort=1). Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/format/key_path.h"
#include "cli/format/transforms.h"

namespace fireweed::cli {

struct Column {
  KeyPath path;
  std::vector<Transform> transforms;
  std::string label;  // never empty once parsed
  int sort = 0;       // 1 is the first to sort by; 0: not
  bool reverse = false;
  bool align_right = false;

  JsonTree Get(const JsonTree& resource) const;
  // The heading of a column of `usual` means what that column shows; any other path stays what it is.
  void ResolveLabel(const std::vector<Column>& usual);
};

struct Projection {
  std::string format;  // "table", "json", ...
  std::map<std::string, std::string>
      attributes;  // of [...]: "no-heading" -> "", "separator" -> ";"
  std::vector<Column> columns;

  bool Has(const std::string& attribute) const { return attributes.count(attribute) > 0; }
  std::string Attribute(const std::string& name, std::string fallback) const;

  // Columns that are called like a column of `usual` (STATUS, INTERNAL_IP) are that column.
  void ResolveLabels(const std::vector<Column>& usual);

  // Throws Failure(kInvalid) that says what is wrong where.
  static Projection Parse(std::string_view text);
};

}  // namespace fireweed::cli
