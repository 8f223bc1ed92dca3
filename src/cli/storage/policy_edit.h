// One binding more or less in an IAM policy. Pure.
#pragma once

#include <string>

#include "describe/json_tree.h"

namespace fireweed::cli {

struct PolicyEdit {
  bool add = true;
  std::string role, member;

  // Bindings with a condition are left alone. Throws Failure(kNotFound) when there is nothing to remove.
  void Apply(JsonTree& policy) const;
};

}  // namespace fireweed::cli
