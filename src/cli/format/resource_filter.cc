#include "cli/format/resource_filter.h"

#include <cstdlib>
#include <optional>
#include <regex>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/error.h"

namespace fireweed::cli {

struct ResourceFilter::Node {
  enum class Kind { kAnd, kOr, kNot, kTerm, kAnywhere } kind = Kind::kTerm;
  std::vector<std::unique_ptr<Node>> children;
  Column column;
  std::string comparison;
  std::vector<std::string> operands;
  std::vector<std::regex> expressions;
};

namespace {

using Node = ResourceFilter::Node;
using NodePtr = std::unique_ptr<Node>;

constexpr int kMaxDepth = 50;

bool MatchesPattern(std::string_view pattern, std::string_view text) {
  size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (text.substr(0, star) != pattern.substr(0, star)) return false;
  text.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  for (size_t i = 0; i <= text.size(); ++i) {
    if (MatchesPattern(pattern, text.substr(i))) return true;
  }
  return false;
}

// A word of the text equals the operand, or the text as a whole fits its pattern.
bool HasWord(const std::string& text, const std::string& operand) {
  std::string have = ToLower(text), want = ToLower(operand);
  if (want.find('*') != std::string::npos) return MatchesPattern(want, have);
  for (size_t at = have.find(want); at != std::string::npos; at = have.find(want, at + 1)) {
    auto is_word = [&](size_t i) {
      return i < have.size() && (isalnum(static_cast<unsigned char>(have[i])) || have[i] == '_');
    };
    if ((at == 0 || !is_word(at - 1)) && !is_word(at + want.size())) return true;
  }
  return want.empty();
}

int Order(const std::string& a, const std::string& b) {
  char *end_a = nullptr, *end_b = nullptr;
  double left = std::strtod(a.c_str(), &end_a), right = std::strtod(b.c_str(), &end_b);
  if (!a.empty() && !b.empty() && *end_a == '\0' && *end_b == '\0')
    return left < right ? -1 : left > right;
  return a.compare(b);
}

bool CompareOne(const Node& term, const std::string& text) {
  const std::string& op = term.comparison;
  if (op == "~" || op == "!~") {
    bool found = false;
    for (const std::regex& expression : term.expressions)
      found = found || std::regex_search(text, expression);
    return found == (op == "~");
  }
  for (const std::string& operand : term.operands) {
    bool hit = (op == ":" && HasWord(text, operand)) ||
               (op == "=" && EqualIgnoreCase(text, operand)) ||
               (op == "!=" && EqualIgnoreCase(text, operand));
    if (hit) return op != "!=";
  }
  if (op == ":" || op == "=") return false;
  if (op == "!=") return true;
  int order = Order(text, term.operands.front());
  if (op == "<") return order < 0;
  if (op == "<=") return order <= 0;
  return op == ">" ? order > 0 : order >= 0;
}

bool Compare(const Node& term, const JsonTree& value) {
  if (value.IsList()) {
    bool negative = term.comparison.front() == '!';
    for (const JsonTree& item : value.items()) {
      if (Compare(term, item) != negative) return !negative;
    }
    return negative;
  }
  if (value.IsObject()) {
    for (const auto& [key, member] : value.members()) {
      if (CompareOne(term, key) || Compare(term, member)) return true;
    }
    return term.comparison == ":" && term.operands.front() == "*";
  }
  if (value.IsNull()) {
    if (term.comparison == ":") return false;
    return CompareOne(term, "");
  }
  // A zone's URL fits by its last word, too: what the table shows.
  size_t slash = value.text().rfind('/');
  if (value.text().starts_with("http") && term.comparison == "=" &&
      CompareOne(term, value.text().substr(slash + 1))) {
    return true;
  }
  return CompareOne(term, value.text());
}

// Any value at any depth contains `lower`, letters' case aside: a word that stands alone.
bool Anywhere(const std::string& lower, const JsonTree& value) {
  if (value.IsList()) {
    for (const JsonTree& item : value.items()) {
      if (Anywhere(lower, item)) return true;
    }
    return false;
  }
  if (value.IsObject()) {
    for (const auto& [key, member] : value.members()) {
      if (Anywhere(lower, member)) return true;
    }
    return false;
  }
  return !value.IsNull() && ToLower(value.text()).find(lower) != std::string::npos;
}

bool Evaluate(const Node& node, const JsonTree& resource) {
  switch (node.kind) {
    case Node::Kind::kAnd:
      for (const NodePtr& child : node.children) {
        if (!Evaluate(*child, resource)) return false;
      }
      return true;
    case Node::Kind::kOr:
      for (const NodePtr& child : node.children) {
        if (Evaluate(*child, resource)) return true;
      }
      return false;
    case Node::Kind::kNot: return !Evaluate(*node.children.front(), resource);
    case Node::Kind::kTerm: return Compare(node, node.column.Get(resource));
    case Node::Kind::kAnywhere: return Anywhere(node.operands.front(), resource);
  }
  return false;
}

class Reader {
 public:
  Reader(std::string_view text, const std::vector<Column>& usual) : rest_(text), usual_(usual) {}

  NodePtr ReadAll() {
    NodePtr node = ReadOr(0);
    SkipBlanks();
    if (!rest_.empty()) Refuse("an operator");
    return node;
  }

 private:
  [[noreturn]] void Refuse(std::string_view wanted) {
    throw Failure(Code::kInvalid,
                  fmt::format("--filter: {} is missing before '{}'", wanted, rest_.substr(0, 40)));
  }

  void SkipBlanks() {
    while (!rest_.empty() && isspace(static_cast<unsigned char>(rest_.front())))
      rest_.remove_prefix(1);
  }

  bool TakeWord(std::string_view word) {
    SkipBlanks();
    if (!rest_.starts_with(word)) return false;
    char next = rest_.size() > word.size() ? rest_[word.size()] : ' ';
    if (!isspace(static_cast<unsigned char>(next)) && next != '(') return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  NodePtr Group(Node::Kind kind, std::vector<NodePtr> children) {
    if (children.size() == 1 && kind != Node::Kind::kNot) return std::move(children.front());
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->children = std::move(children);
    return node;
  }

  NodePtr ReadOr(int depth) {
    std::vector<NodePtr> children;
    do children.push_back(ReadAnd(depth));
    while (TakeWord("OR"));
    return Group(Node::Kind::kOr, std::move(children));
  }

  NodePtr ReadAnd(int depth) {
    std::vector<NodePtr> children;
    while (true) {
      children.push_back(ReadOne(depth));
      if (TakeWord("AND")) continue;
      SkipBlanks();
      std::string_view here = rest_;
      if (rest_.empty() || rest_.front() == ')' || TakeWord("OR")) {
        rest_ = here;
        break;
      }
    }
    return Group(Node::Kind::kAnd, std::move(children));
  }

  NodePtr ReadOne(int depth) {
    if (depth > kMaxDepth) Refuse("an end of the parentheses");
    SkipBlanks();
    bool negative = TakeWord("NOT");
    SkipBlanks();
    if (!negative && rest_.starts_with('-')) {
      negative = true;
      rest_.remove_prefix(1);
    }
    NodePtr inner;
    SkipBlanks();
    if (rest_.starts_with('(')) {
      rest_.remove_prefix(1);
      inner = ReadOr(depth + 1);
      SkipBlanks();
      if (!rest_.starts_with(')')) Refuse("')'");
      rest_.remove_prefix(1);
    } else {
      inner = ReadTerm();
    }
    if (!negative) return inner;
    std::vector<NodePtr> one;
    one.push_back(std::move(inner));
    return Group(Node::Kind::kNot, std::move(one));
  }

  NodePtr ReadTerm() {
    if (std::string_view here = rest_; TakeWord("AND") || TakeWord("OR") || TakeWord("NOT")) {
      rest_ = here;
      Refuse("a term");
    }
    auto node = std::make_unique<Node>();
    std::string_view here = rest_;
    node->column.path = KeyPath::Take(rest_);
    if (node->column.path.empty()) Refuse("a field name");
    node->column.ResolveLabel(usual_);
    size_t length = here.size() - rest_.size();
    SkipBlanks();
    for (std::string_view op : {"!=", "!~", "<=", ">=", "=", "~", ":", "<", ">"}) {
      if (!rest_.starts_with(op)) continue;
      node->comparison = op;
      rest_.remove_prefix(op.size());
      break;
    }
    if (node->comparison.empty()) {
      node->kind = Node::Kind::kAnywhere;
      node->operands.push_back(ToLower(here.substr(0, length)));
      return node;
    }
    ReadOperands(*node);
    if (node->comparison == "~" || node->comparison == "!~") {
      for (const std::string& operand : node->operands) node->expressions.push_back(Regex(operand));
    }
    return node;
  }

  static std::regex Regex(const std::string& text) {
    try {
      return std::regex(text);
    } catch (const std::regex_error&) {
      throw Failure(Code::kInvalid, fmt::format("--filter: invalid regular expression '{}'", text));
    }
  }

  void ReadOperands(Node& node) {
    SkipBlanks();
    if (!rest_.starts_with('(')) {
      node.operands.push_back(ReadOperand());
      return;
    }
    rest_.remove_prefix(1);
    for (SkipBlanks(); !rest_.starts_with(')'); SkipBlanks()) {
      if (rest_.empty()) Refuse("')'");
      if (TakeWord("OR")) continue;
      if (rest_.starts_with(',')) rest_.remove_prefix(1);
      node.operands.push_back(ReadOperand());
    }
    rest_.remove_prefix(1);
    if (node.operands.empty()) Refuse("a value");
  }

  std::string ReadOperand() {
    SkipBlanks();
    if (!rest_.empty() && (rest_.front() == '"' || rest_.front() == '\'')) {
      size_t close = rest_.find(rest_.front(), 1);
      if (close == std::string_view::npos) Refuse("a closing quote");
      std::string text(rest_.substr(1, close - 1));
      rest_.remove_prefix(close + 1);
      return text;
    }
    size_t end = rest_.find_first_of(" \t\n(),");
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(text.size());
    if (text.empty()) Refuse("a value");
    return text;
  }

  std::string_view rest_;
  const std::vector<Column>& usual_;
};

}  // namespace

ResourceFilter::ResourceFilter(std::string_view text, const std::vector<Column>& usual) {
  if (!Trim(text).empty()) root_ = Reader(Trim(text), usual).ReadAll();
}
ResourceFilter::~ResourceFilter() = default;
ResourceFilter::ResourceFilter(ResourceFilter&&) noexcept = default;

bool ResourceFilter::Matches(const JsonTree& resource) const {
  return !root_ || Evaluate(*root_, resource);
}

}  // namespace fireweed::cli
