#include "compute/filter.h"

#include <cctype>
#include <cstdlib>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/linear_regex.h"

namespace fireweed::compute {

enum class Compare {
  kRegex,
  kNotRegex,
  kEqual,
  kNotEqual,
  kHas,
  kLess,
  kLessEqual,
  kMore,
  kMoreEqual
};

struct Filter::Node {
  enum class Kind { kAnd, kOr, kNot, kTerm } kind = Kind::kTerm;
  std::vector<std::unique_ptr<Node>> parts;
  std::string field, value;
  Compare compare = Compare::kEqual;
  std::optional<LinearRegex> regex;
};

namespace {

constexpr int kDeepestNesting = 50;
constexpr size_t kLongestFilter = 8192;

using NodePtr = std::unique_ptr<Filter::Node>;

class FilterParser {
 public:
  explicit FilterParser(std::string_view text) : rest_(text) {}

  NodePtr Parse() {
    NodePtr all = Or(0);
    if (!Trim(rest_).empty()) Refuse("unmatched ')'");
    return all;
  }

 private:
  [[noreturn]] void Refuse(std::string_view why) const {
    throw Failure(Code::kInvalid, fmt::format("Invalid value for field 'filter': {} near '{}'.",
                                              why, rest_.substr(0, 20)));
  }

  void Skip() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t'))
      rest_.remove_prefix(1);
  }
  // A keyword stands alone: "AND", not the beginning of "ANDROID".
  bool Word(std::string_view word) {
    Skip();
    if (!rest_.starts_with(word)) return false;
    std::string_view after = rest_.substr(word.size());
    if (!after.empty() && after.front() != ' ' && after.front() != '(' && after.front() != '\t') {
      return false;
    }
    rest_ = after;
    return true;
  }

  NodePtr Join(Filter::Node::Kind kind, std::vector<NodePtr> parts) {
    if (parts.size() == 1) return std::move(parts.front());
    auto node = std::make_unique<Filter::Node>();
    node->kind = kind;
    node->parts = std::move(parts);
    return node;
  }

  NodePtr Or(int depth) {
    if (depth > kDeepestNesting) Refuse("nested too deep");
    std::vector<NodePtr> parts;
    do {
      parts.push_back(And(depth));
    } while (Word("OR"));
    return Join(Filter::Node::Kind::kOr, std::move(parts));
  }

  NodePtr And(int depth) {
    std::vector<NodePtr> parts;
    do {
      parts.push_back(Unary(depth));
      Word("AND");
      Skip();
    } while (!rest_.empty() && rest_.front() != ')' && !AtOr());
    return Join(Filter::Node::Kind::kAnd, std::move(parts));
  }

  bool AtOr() {
    std::string_view before = rest_;
    bool is = Word("OR");
    rest_ = before;
    return is;
  }

  NodePtr Unary(int depth) {
    if (depth > kDeepestNesting) Refuse("nested too deep");
    Skip();
    bool minus = rest_.size() > 1 && rest_.front() == '-';
    if (minus) rest_.remove_prefix(1);
    if (minus || Word("NOT")) {
      std::vector<NodePtr> parts;
      parts.push_back(Unary(depth + 1));
      auto node = std::make_unique<Filter::Node>();
      node->kind = Filter::Node::Kind::kNot;
      node->parts = std::move(parts);
      return node;
    }
    if (rest_.starts_with('(')) {
      rest_.remove_prefix(1);
      NodePtr inner = Or(depth + 1);
      Skip();
      if (!rest_.starts_with(')')) Refuse("missing ')'");
      rest_.remove_prefix(1);
      return inner;
    }
    return Term();
  }

  NodePtr Term() {
    auto node = std::make_unique<Filter::Node>();
    size_t end = rest_.find_first_of(" \t=!:<>()");
    node->field = std::string(rest_.substr(0, end));
    if (node->field.empty()) Refuse("a field name is missing");
    rest_.remove_prefix(std::min(end, rest_.size()));
    node->compare = Comparison();
    node->value = Value();
    if (node->compare == Compare::kRegex || node->compare == Compare::kNotRegex) {
      node->regex.emplace(node->value);
    }
    return node;
  }

  Compare Comparison() {
    if (Word("eq")) return Compare::kRegex;
    if (Word("ne")) return Compare::kNotRegex;
    Skip();
    static constexpr std::pair<std::string_view, Compare> kSigns[] = {
        {"!=", Compare::kNotEqual}, {"<=", Compare::kLessEqual}, {">=", Compare::kMoreEqual},
        {"=", Compare::kEqual},     {":", Compare::kHas},        {"<", Compare::kLess},
        {">", Compare::kMore}};
    for (const auto& [sign, compare] : kSigns) {
      if (!rest_.starts_with(sign)) continue;
      rest_.remove_prefix(sign.size());
      return compare;
    }
    Refuse("expected a comparison");
  }

  std::string Value() {
    Skip();
    if (!rest_.empty() && (rest_.front() == '"' || rest_.front() == '\'')) return Quoted();
    size_t end = 0;
    int open = 0;
    for (; end < rest_.size(); ++end) {
      char c = rest_[end];
      if (c == ' ' || c == '\t') break;
      if (c == '(') ++open;
      if (c == ')' && --open < 0) break;
    }
    if (end == 0) Refuse("a value is missing");
    std::string value(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return value;
  }

  // Only the quote itself is escaped: backslashes belong to the regular expression inside.
  std::string Quoted() {
    char quote = rest_.front();
    std::string value;
    for (size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == '\\' && i + 1 < rest_.size()) {
        if (rest_[i + 1] != quote) value += '\\';
        value += rest_[++i];
      } else if (rest_[i] == quote) {
        rest_.remove_prefix(i + 1);
        return value;
      } else {
        value += rest_[i];
      }
    }
    Refuse("a quote is not closed");
  }

  std::string_view rest_;
};

std::optional<double> AsNumber(const std::string& text) {
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  double number = std::strtod(text.c_str(), &end);
  return *end == '\0' ? std::optional(number) : std::nullopt;
}

// A day alone is its beginning.
std::optional<Time> AsTime(const std::string& text) {
  constexpr size_t kDay = std::string_view("2026-11-15").size();
  return ParseTime(text.size() == kDay ? text + "T00:00:00Z" : text);
}

int Order(const std::string& a, const std::string& b) {
  auto order = [](const auto& x, const auto& y) { return x < y ? -1 : x > y ? 1 : 0; };
  std::optional<double> x = AsNumber(a), y = AsNumber(b);
  if (x && y) return order(*x, *y);
  std::optional<Time> before = AsTime(a), after = AsTime(b);
  if (before && after) return order(*before, *after);
  return a.compare(b);
}

// "create_time" is createTime.
std::string CamelCase(std::string_view name) {
  std::string camel;
  for (size_t i = 0; i < name.size(); ++i) {
    bool joint = name[i] == '_' && i > 0 && i + 1 < name.size();
    camel +=
        joint ? static_cast<char>(std::toupper(static_cast<unsigned char>(name[++i]))) : name[i];
  }
  return camel;
}

// A leaf as the text a filter compares with; nullopt for structures.
std::optional<std::string> LeafText(const Type& type, const void* value) {
  switch (type.kind) {
    case Kind::kBool: return *static_cast<const bool*>(value) ? "true" : "false";
    case Kind::kInt32: return fmt::format("{}", *static_cast<const int32_t*>(value));
    case Kind::kInt64: return fmt::format("{}", *static_cast<const int64_t*>(value));
    case Kind::kDouble: return fmt::format("{:g}", *static_cast<const double*>(value));
    case Kind::kString: return *static_cast<const std::string*>(value);
    case Kind::kBytes: return Base64Encode(static_cast<const Bytes*>(value)->raw);
    case Kind::kTime: return FormatTime(*static_cast<const Time*>(value));
    case Kind::kJson: return static_cast<const Json*>(value)->text;
    case Kind::kEnum: {
      size_t index = static_cast<size_t>(type.enum_index(value));
      return index < type.enum_names.size() ? std::string(type.enum_names[index]) : "";
    }
    default: return std::nullopt;
  }
}

struct Leaf {
  std::string text;
  bool time = false;
};

// Every leaf that a dotted path leads to.
void Collect(const Type& type, const void* value, std::string_view path, std::vector<Leaf>& out) {
  if (type.kind == Kind::kOptional) {
    if (const void* inner = type.get(value)) Collect(*type.element, inner, path, out);
    return;
  }
  if (type.kind == Kind::kList) {
    for (size_t i = 0; i < type.count(value); ++i) {
      Collect(*type.element, type.at(value, i), path, out);
    }
    return;
  }
  if (path.empty()) {
    std::optional<std::string> leaf = LeafText(type, value);
    if (leaf && !leaf->empty()) out.push_back({*std::move(leaf), type.kind == Kind::kTime});
    return;
  }
  size_t dot = path.find('.');
  std::string_view head = path.substr(0, dot);
  std::string_view rest = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  if (type.kind == Kind::kStruct) {
    const Field* field = type.Find(head);
    if (!field) field = type.Find(CamelCase(head));
    if (field && !(field->flags & kStored)) Collect(*field->type, field->Of(value), rest, out);
  } else if (type.kind == Kind::kMap) {
    // A key may hold dots, so the whole rest of the path names it.
    type.each(value, [&](const std::string& key, const void* element) {
      if (key == path) Collect(*type.element, element, "", out);
    });
  }
}

bool Contains(std::string_view text, std::string_view wanted) {
  if (wanted.ends_with('*')) return text.starts_with(wanted.substr(0, wanted.size() - 1));
  return ToLower(text).find(ToLower(wanted)) != std::string::npos;
}

bool IsOrder(Compare compare) {
  return compare == Compare::kLess || compare == Compare::kLessEqual || compare == Compare::kMore ||
         compare == Compare::kMoreEqual;
}

bool LeafMatches(const Filter::Node& term, const std::string& leaf) {
  switch (term.compare) {
    case Compare::kRegex:
    case Compare::kNotRegex: return term.regex->Matches(leaf) || EqualIgnoreCase(leaf, term.value);
    case Compare::kEqual:
    case Compare::kNotEqual: return leaf == term.value || Order(leaf, term.value) == 0;
    case Compare::kHas: return term.value == "*" || Contains(leaf, term.value);
    case Compare::kLess: return Order(leaf, term.value) < 0;
    case Compare::kLessEqual: return Order(leaf, term.value) <= 0;
    case Compare::kMore: return Order(leaf, term.value) > 0;
    case Compare::kMoreEqual: return Order(leaf, term.value) >= 0;
  }
  return false;
}

bool Holds(const Filter::Node& node, const Type& type, const void* object) {
  using K = Filter::Node::Kind;
  switch (node.kind) {
    case K::kAnd:
      for (const auto& part : node.parts) {
        if (!Holds(*part, type, object)) return false;
      }
      return true;
    case K::kOr:
      for (const auto& part : node.parts) {
        if (Holds(*part, type, object)) return true;
      }
      return false;
    case K::kNot: return !Holds(*node.parts.front(), type, object);
    case K::kTerm: break;
  }
  std::vector<Leaf> leaves;
  Collect(type, object, node.field, leaves);
  bool any = false;
  for (const Leaf& leaf : leaves) {
    if (leaf.time && IsOrder(node.compare) && !AsTime(node.value)) {
      throw Failure(Code::kInvalid, fmt::format("Invalid value for field 'filter': '{}' is no time "
                                                "to compare '{}' with.",
                                                node.value, node.field));
    }
    any = any || LeafMatches(node, leaf.text);
  }
  bool negated = node.compare == Compare::kNotRegex || node.compare == Compare::kNotEqual;
  return negated ? !any : any;
}

}  // namespace

Filter::Filter(std::string_view text) {
  if (text.size() > kLongestFilter) throw Failure(Code::kInvalid, "The filter is too long.");
  if (!Trim(text).empty()) root_ = FilterParser(Trim(text)).Parse();
}
Filter::~Filter() = default;
Filter::Filter(Filter&&) noexcept = default;

bool Filter::Matches(const Type& type, const void* object) const {
  return !root_ || Holds(*root_, type, object);
}

}  // namespace fireweed::compute
