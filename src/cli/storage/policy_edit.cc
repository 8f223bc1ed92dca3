#include "cli/storage/policy_edit.h"

#include <fmt/format.h>

#include "base/error.h"

namespace fireweed::cli {

void PolicyEdit::Apply(JsonTree& policy) const {
  const JsonTree* old = policy.Find("bindings");
  std::vector<JsonTree> bindings = old ? old->items() : std::vector<JsonTree>();
  std::vector<JsonTree> kept;
  bool found = false;
  for (JsonTree& binding : bindings) {
    if (binding.TextOf("role") != role || binding.Find("condition")) {
      kept.push_back(binding);
      continue;
    }
    std::vector<JsonTree> members;
    if (const JsonTree* list = binding.Find("members")) {
      for (const JsonTree& one : list->items()) {
        if (one.text() != member)
          members.push_back(one);
        else
          found = true;
      }
    }
    if (add) members.push_back(JsonTree::Text(member));
    if (members.empty()) continue;
    binding["members"] = JsonTree::List(std::move(members));
    kept.push_back(binding);
    if (add) found = true;
  }
  if (add && !found) {
    JsonTree binding = JsonTree::Object();
    binding["role"] = JsonTree::Text(role);
    binding["members"].Append(JsonTree::Text(member));
    kept.push_back(std::move(binding));
  }
  if (!add && !found) {
    throw Failure(Code::kNotFound, fmt::format("the policy gives no {} to {}", role, member));
  }
  policy["bindings"] = JsonTree::List(std::move(kept));
}

}  // namespace fireweed::cli
