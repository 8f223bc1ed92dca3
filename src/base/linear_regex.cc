#include "base/linear_regex.h"

#include <cctype>
#include <string>

#include <fmt/format.h>

#include "base/error.h"

namespace fireweed {
namespace {

constexpr size_t kMostNodes = 4096;  // bounds time per byte of text
constexpr int kDeepestNesting = 100;
constexpr int kMostRepeats = 256;

using Set = std::bitset<256>;

bool IsWord(unsigned char c) { return std::isalnum(c) || c == '_'; }

Set WhereTrue(bool (*test)(unsigned char)) {
  Set set;
  for (int c = 0; c < 256; ++c) set[c] = test(static_cast<unsigned char>(c));
  return set;
}

// The set of \d, \w, \s and their opposites.
bool ClassOf(char letter, Set& set) {
  switch (std::tolower(static_cast<unsigned char>(letter))) {
    case 'd': set = WhereTrue([](unsigned char c) { return std::isdigit(c) != 0; }); break;
    case 'w': set = WhereTrue(IsWord); break;
    case 's': set = WhereTrue([](unsigned char c) { return std::isspace(c) != 0; }); break;
    default: return false;
  }
  if (std::isupper(static_cast<unsigned char>(letter))) set.flip();
  return true;
}

}  // namespace

// Recursive descent into a program of nodes; each piece is a fragment with one entry, whose loose exits lead to the
// node that is made next.
class RegexParser {
 public:
  RegexParser(std::string_view pattern, LinearRegex& out) : rest_(pattern), out_(out) {
    if (rest_.starts_with("(?i)")) {
      ignore_case_ = true;
      rest_.remove_prefix(4);
    }
  }

  void Parse() {
    Piece whole = Alternatives(0);
    if (!rest_.empty()) Refuse("unmatched ')'");
    size_t match = Add({.op = Op::kMatch});
    Join(whole, match);
    out_.start_ = whole.begin;
  }

 private:
  using Op = LinearRegex::Op;
  struct Piece {
    size_t begin, end;  // `end` is a kJump whose target is still open
  };

  [[noreturn]] void Refuse(std::string_view why) const {
    throw Failure(Code::kInvalid, fmt::format("Bad regular expression in the filter: {}.", why));
  }
  size_t Add(LinearRegex::Node node) {
    if (out_.nodes_.size() >= kMostNodes) Refuse("too large");
    out_.nodes_.push_back(node);
    return out_.nodes_.size() - 1;
  }
  void Join(const Piece& piece, size_t to) { out_.nodes_[piece.end].next = to; }
  Piece Empty() {
    size_t node = Add({.op = Op::kJump});
    return {node, node};
  }
  Piece Single(LinearRegex::Node node) {
    size_t end = Add({.op = Op::kJump});
    node.next = end;
    return {Add(node), end};
  }
  Piece Then(const Piece& a, const Piece& b) {
    Join(a, b.begin);
    return {a.begin, b.end};
  }
  Piece Either(const Piece& a, const Piece& b) {
    size_t end = Add({.op = Op::kJump});
    Join(a, end);
    Join(b, end);
    return {Add({.op = Op::kSplit, .next = a.begin, .other = b.begin}), end};
  }
  Piece Star(const Piece& a) {
    size_t end = Add({.op = Op::kJump});
    size_t loop = Add({.op = Op::kSplit, .next = a.begin, .other = end});
    Join(a, loop);
    return {loop, end};
  }

  char Take() {
    if (rest_.empty()) Refuse("it ends too early");
    char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  Piece Alternatives(int depth) {
    if (depth > kDeepestNesting) Refuse("nested too deep");
    Piece all = Sequence(depth);
    while (rest_.starts_with('|')) {
      rest_.remove_prefix(1);
      all = Either(all, Sequence(depth));
    }
    return all;
  }

  Piece Sequence(int depth) {
    Piece all = Empty();
    while (!rest_.empty() && rest_.front() != '|' && rest_.front() != ')') {
      all = Then(all, Repeated(depth));
    }
    return all;
  }

  // A repetition copies its piece by parsing the same text again.
  Piece Repeated(int depth) {
    std::string_view before = rest_;
    Piece one = Atom(depth);
    int least = 1, most = 1;
    if (!Quantifier(least, most)) return one;
    std::string_view after = rest_;
    auto copy = [&] {
      rest_ = before;
      Piece again = Atom(depth);
      rest_ = after;
      return again;
    };
    Piece all = Empty();
    for (int i = 0; i < least; ++i) all = Then(all, i == 0 ? one : copy());
    if (most < 0) return Then(all, Star(least == 0 ? one : copy()));
    for (int i = least; i < most; ++i) {
      all = Then(all, Either(i == 0 ? one : copy(), Empty()));
    }
    return all;
  }

  bool Quantifier(int& least, int& most) {
    if (rest_.empty()) return false;
    switch (rest_.front()) {
      case '*': least = 0, most = -1; break;
      case '+': least = 1, most = -1; break;
      case '?': least = 0, most = 1; break;
      case '{':
        if (!Counts(least, most)) return false;
        rest_ = rest_.substr(rest_.find('}'));
        break;
      default: return false;
    }
    rest_.remove_prefix(1);
    if (rest_.starts_with('?')) rest_.remove_prefix(1);
    if (!rest_.empty() && (rest_.front() == '*' || rest_.front() == '+')) {
      Refuse("two repetitions in a row");
    }
    return true;
  }

  // "{2}", "{2,}" or "{2,5}"; anything else is literal text.
  bool Counts(int& least, int& most) const {
    size_t close = rest_.find('}');
    if (close == std::string_view::npos || close < 2) return false;
    std::string text(rest_.substr(1, close - 1));
    size_t comma = text.find(',');
    std::string first = text.substr(0, comma);
    std::string second = comma == std::string::npos ? first : text.substr(comma + 1);
    auto digits = [](const std::string& s) {
      return s.size() <= 4 && s.find_first_not_of("0123456789") == std::string::npos;
    };
    if (first.empty() || !digits(first) || !digits(second)) return false;
    least = std::stoi(first);
    most = second.empty() ? -1 : std::stoi(second);
    if (least > kMostRepeats || most > kMostRepeats) Refuse("repeated too often");
    if (most >= 0 && most < least) Refuse("bad repetition");
    return true;
  }

  Piece Atom(int depth) {
    char c = Take();
    switch (c) {
      case '(': return Group(depth);
      case '[': return Single({.op = Op::kSet, .set = Fold(Bracket())});
      case '.': {
        Set any;
        any.set().reset('\n');
        return Single({.op = Op::kSet, .set = any});
      }
      case '^': return Single({.op = Op::kBegin});
      case '$': return Single({.op = Op::kEnd});
      case '*':
      case '+':
      case '?': Refuse("nothing to repeat");
      case '\\': return Escape();
      default: return Literal(c);
    }
  }

  Piece Group(int depth) {
    if (rest_.starts_with("?:")) {
      rest_.remove_prefix(2);
    } else if (rest_.starts_with('?')) {
      Refuse("unknown group");
    }
    Piece inner = Alternatives(depth + 1);
    if (!rest_.starts_with(')')) Refuse("missing ')'");
    rest_.remove_prefix(1);
    return inner;
  }

  Piece Literal(char c) {
    Set set;
    set.set(static_cast<unsigned char>(c));
    return Single({.op = Op::kSet, .set = Fold(set)});
  }

  Piece Escape() {
    char c = Take();
    Set set;
    if (ClassOf(c, set)) return Single({.op = Op::kSet, .set = set});
    if (c == 'b') return Single({.op = Op::kWordEdge});
    if (c == 'B') return Single({.op = Op::kNoWordEdge});
    return Literal(Escaped(c));
  }

  char Escaped(char c) const {
    switch (c) {
      case 'n': return '\n';
      case 't': return '\t';
      case 'r': return '\r';
      default:
        if (std::isalnum(static_cast<unsigned char>(c))) Refuse("unknown escape");
        return c;
    }
  }

  Set Bracket() {
    Set set;
    bool negated = rest_.starts_with('^');
    if (negated) rest_.remove_prefix(1);
    bool first = true;
    while (true) {
      char c = Take();
      if (c == ']' && !first) break;
      first = false;
      if (c == '\\') {
        c = Take();
        if (Set named; ClassOf(c, named)) {
          set |= named;
          continue;
        }
        c = Escaped(c);
      }
      char last = c;
      if (rest_.size() >= 2 && rest_[0] == '-' && rest_[1] != ']') {
        rest_.remove_prefix(1);
        last = Take();
        if (last == '\\') last = Escaped(Take());
      }
      if (static_cast<unsigned char>(last) < static_cast<unsigned char>(c)) Refuse("bad range");
      for (int i = static_cast<unsigned char>(c); i <= static_cast<unsigned char>(last); ++i) {
        set.set(static_cast<size_t>(i));
      }
    }
    return negated ? ~set : set;
  }

  Set Fold(const Set& set) const {
    if (!ignore_case_) return set;
    Set folded = set;
    for (int c = 'a'; c <= 'z'; ++c) {
      bool either = set[static_cast<size_t>(c)] || set[static_cast<size_t>(c - 'a' + 'A')];
      folded[static_cast<size_t>(c)] = folded[static_cast<size_t>(c - 'a' + 'A')] = either;
    }
    return folded;
  }

  std::string_view rest_;
  LinearRegex& out_;
  bool ignore_case_ = false;
};

// The states the program may be in after a prefix of the text: each node at most once.
struct LinearRegex::Threads {
  explicit Threads(size_t nodes) : seen(nodes) {}
  std::vector<size_t> waiting;  // kSet nodes
  std::vector<bool> seen;
  bool matched = false;
};

LinearRegex::LinearRegex(std::string_view pattern) { RegexParser(pattern, *this).Parse(); }

// Follows everything that takes no byte. Iterative, so that the depth of a pattern costs no stack.
void LinearRegex::Follow(Threads& threads, size_t node, std::string_view text, size_t at) const {
  auto word = [&](size_t i) {
    return i < text.size() && IsWord(static_cast<unsigned char>(text[i]));
  };
  std::vector<size_t> open{node};
  while (!open.empty()) {
    size_t now = open.back();
    open.pop_back();
    if (threads.seen[now]) continue;
    threads.seen[now] = true;
    const Node& here = nodes_[now];
    bool edge = (at > 0 && word(at - 1)) != word(at);
    switch (here.op) {
      case Op::kSet: threads.waiting.push_back(now); break;
      case Op::kMatch: threads.matched = true; break;
      case Op::kJump: open.push_back(here.next); break;
      case Op::kSplit:
        open.push_back(here.other);
        open.push_back(here.next);
        break;
      case Op::kWordEdge:
        if (edge) open.push_back(here.next);
        break;
      case Op::kNoWordEdge:
        if (!edge) open.push_back(here.next);
        break;
      case Op::kBegin:
        if (at == 0) open.push_back(here.next);
        break;
      case Op::kEnd:
        if (at == text.size()) open.push_back(here.next);
        break;
    }
  }
}

bool LinearRegex::Matches(std::string_view text) const { return Run(text, Anchor::kWhole); }

bool LinearRegex::Finds(std::string_view text) const { return Run(text, Anchor::kAnywhere); }

bool LinearRegex::Run(std::string_view text, Anchor anchor) const {
  Threads now(nodes_.size());
  Follow(now, start_, text, 0);
  for (size_t at = 0; at < text.size(); ++at) {
    if (anchor == Anchor::kAnywhere && now.matched) return true;
    Threads next(nodes_.size());
    for (size_t node : now.waiting) {
      if (nodes_[node].set[static_cast<unsigned char>(text[at])]) {
        Follow(next, nodes_[node].next, text, at + 1);
      }
    }
    if (anchor == Anchor::kAnywhere) Follow(next, start_, text, at + 1);
    now = std::move(next);
    if (now.waiting.empty() && !now.matched) return false;
  }
  return now.matched;
}

}  // namespace fireweed
