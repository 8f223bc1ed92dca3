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

// Reads a filter and says of one project whether it holds. All of it is read in any case, so that what is wrong in it is
// said whatever the projects are.
class FilterReader {
 public:
  FilterReader(const api::crm::Project& project, std::string_view text)
      : project_(project), rest_(text) {}

  bool Read() {
    bool holds = Peek().empty() || Any();
    if (!Peek().empty()) Refuse(Peek());
    return holds;
  }

 private:
  bool Any() {
    bool holds = All();
    while (Peek() == "OR") {
      Take();
      holds = All() || holds;
    }
    return holds;
  }

  bool All() {
    bool holds = One();
    while (!Peek().empty() && Peek() != "OR" && Peek() != ")") {
      if (Peek() == "AND") Take();
      holds = One() && holds;
    }
    return holds;
  }

  bool One() {
    bool wanted = true;
    for (; Peek() == "NOT"; wanted = !wanted) Take();
    std::string_view word = Take();
    if (word == "(") return Inner() == wanted;
    if (word.starts_with('-')) wanted = !wanted;
    return TermHolds(project_, word.substr(word.starts_with('-') ? 1 : 0)) == wanted;
  }

  bool Inner() {
    if (++depth_ > kMaxDepth) Refuse("(");
    bool holds = Any();
    if (Take() != ")") Refuse("(");
    --depth_;
    return holds;
  }

  // The next word: a parenthesis, or what stands up to a space or parenthesis outside of quotes.
  std::string_view Peek() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    if (rest_.starts_with('(') || rest_.starts_with(')')) return rest_.substr(0, 1);
    char quote = 0;
    size_t end = 0;
    for (; end < rest_.size(); ++end) {
      char letter = rest_[end];
      if (quote == 0 && (letter == ' ' || letter == '(' || letter == ')')) break;
      if (letter == '"' || letter == '\'') {
        if (quote == 0)
          quote = letter;
        else if (quote == letter)
          quote = 0;
      }
    }
    return rest_.substr(0, end);
  }

  std::string_view Take() {
    std::string_view word = Peek();
    rest_.remove_prefix(word.size());
    return word;
  }

  [[noreturn]] static void Refuse(std::string_view word) {
    throw Failure(Code::kInvalid, fmt::format("Invalid filter: '{}' has no place there.", word));
  }

  static constexpr int kMaxDepth = 20;
  const api::crm::Project& project_;
  std::string_view rest_;
  int depth_ = 0;
};

}  // namespace

bool MatchesFilter(const api::crm::Project& project, std::string_view filter) {
  return FilterReader(project, filter).Read();
}

}  // namespace fireweed::identity
