#include "identity/project_filter.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/error.h"
#include "identity/roles.h"

namespace fireweed::identity {
namespace {

std::string ValueOf(const api::crm::Project& project, std::string_view key) {
  if (key == "id" || key == "projectId") return project.projectId;
  if (key == "name" || key == "displayName") return ToLower(project.name);
  if (key == "projectNumber") return std::to_string(project.projectNumber);
  if (key == "lifecycleState" || key == "state") {
    return ToLower(EnumName(project.lifecycleState));
  }
  constexpr std::string_view kLabels = "labels.";
  if (key.starts_with(kLabels)) {
    auto it = project.labels.find(std::string(key.substr(kLabels.size())));
    return it == project.labels.end() ? "" : ToLower(it->second);
  }
  if (key == "parent.type" || key == "parent.id") {
    if (!project.parent) return "";
    return key == "parent.id" ? project.parent->id : project.parent->type;
  }
  throw Failure(Code::kInvalid, fmt::format("Invalid filter: unknown field '{}'.", key));
}

std::string_view Unquoted(std::string_view value) {
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
      value.back() == value.front()) {
    return value.substr(1, value.size() - 2);
  }
  return value;
}

bool TermHolds(const api::crm::Project& project, std::string_view term) {
  size_t sign = term.find_first_of(":=");
  if (sign == std::string_view::npos || sign == 0) {
    throw Failure(Code::kInvalid, fmt::format("Invalid filter: '{}' is no term.", term));
  }
  std::string value = ValueOf(project, term.substr(0, sign));
  std::string wanted = ToLower(Unquoted(term.substr(sign + 1)));
  if (wanted == "*") return !value.empty();
  return MatchesPattern(wanted, value);
}

}  // namespace

bool MatchesFilter(const api::crm::Project& project, std::string_view filter) {
  while (!filter.empty()) {
    size_t end = filter.find(' ');
    std::string_view term = filter.substr(0, end);
    filter = end == std::string_view::npos ? std::string_view() : filter.substr(end + 1);
    if (term.empty() || term == "AND") continue;
    if (!TermHolds(project, term)) return false;
  }
  return true;
}

}  // namespace fireweed::identity
