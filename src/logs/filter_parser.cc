#include "logs/filter_parser.h"

#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/error.h"

namespace fireweed::logs {
namespace {

constexpr size_t kLongest = 20000;  // as the original
constexpr int kDeepest = 64;

struct Token {
  enum class Kind { kWord, kQuoted, kOpen, kClose, kOperator, kDot, kComma, kMinus, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;
  size_t at = 0;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token Next() {
    SkipSpace();
    Token token{.at = at_};
    if (at_ == text_.size()) return token;
    char c = text_[at_];
    if (c == '(') return Single(Token::Kind::kOpen);
    if (c == ')') return Single(Token::Kind::kClose);
    if (c == ',') return Single(Token::Kind::kComma);
    if (c == '.') return Single(Token::Kind::kDot);
    if (c == '"' || c == '\'') return Quoted(c);
    if (std::string op = Operator(); !op.empty()) {
      token.kind = Token::Kind::kOperator;
      token.text = op;
      at_ += op.size();
      return token;
    }
    if (c == '-' && at_ + 1 < text_.size() && !IsDigit(text_[at_ + 1])) {
      return Single(Token::Kind::kMinus);
    }
    return Word();
  }

 private:
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }

  void SkipSpace() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        ++at_;
      } else if (text_.substr(at_, 2) == "--") {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else {
        return;
      }
    }
  }

  Token Single(Token::Kind kind) {
    Token token{kind, std::string(1, text_[at_]), at_};
    ++at_;
    return token;
  }

  std::string Operator() const {
    for (std::string_view op : {"!=", "!~", "=~", "<=", ">=", "=", "<", ">", ":"}) {
      if (text_.substr(at_, op.size()) == op) return std::string(op);
    }
    return "";
  }

  Token Quoted(char quote) {
    Token token{Token::Kind::kQuoted, "", at_};
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      char c = text_[at_];
      if (c != '\\' || at_ + 1 == text_.size()) {
        token.text += c;
        continue;
      }
      char escaped = text_[++at_];
      switch (escaped) {
        case 'n': token.text += '\n'; break;
        case 't': token.text += '\t'; break;
        case 'r': token.text += '\r'; break;
        case '"':
        case '\'':
        case '\\': token.text += escaped; break;
        default: token.text += {'\\', escaped};  // of a regular expression
      }
    }
    if (at_ == text_.size()) {
      throw Failure(
          Code::kInvalid,
          fmt::format("Unparseable filter: unterminated string at character {}", token.at));
    }
    ++at_;
    return token;
  }

  Token Word() {
    Token token{Token::Kind::kWord, "", at_};
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (std::isspace(static_cast<unsigned char>(c)) ||
          std::string_view("()=!<>:,\"'").find(c) != std::string_view::npos) {
        break;
      }
      // A path goes on behind a quoted key: labels."a.b/c".d
      if (c == '.' && at_ + 1 < text_.size() && text_[at_ + 1] == '"') break;
      token.text += c;
      ++at_;
    }
    if (token.text.empty()) token.text = text_[at_++];
    return token;
  }

  std::string_view text_;
  size_t at_ = 0;
};

Comparator ComparatorOf(const std::string& op) {
  if (op == "=") return Comparator::kEqual;
  if (op == "!=") return Comparator::kNotEqual;
  if (op == "<") return Comparator::kLess;
  if (op == "<=") return Comparator::kLessEqual;
  if (op == ">") return Comparator::kMore;
  if (op == ">=") return Comparator::kMoreEqual;
  if (op == "=~") return Comparator::kFinds;
  if (op == "!~") return Comparator::kFindsNot;
  return Comparator::kHas;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) { Advance(); }

  FilterNodePtr Whole() {
    if (now_.kind == Token::Kind::kEnd) return nullptr;
    FilterNodePtr all = Conjunction(0);
    if (now_.kind != Token::Kind::kEnd) Refuse();
    return all;
  }

 private:
  using Path = std::vector<std::string>;
  // Set while the values behind "field:(a OR b)" are read.
  struct Subject {
    const Path& path;
    Comparator op;
  };

  Token Advance() { return std::exchange(now_, lexer_.Next()); }
  bool IsWord(std::string_view word) const {
    return now_.kind == Token::Kind::kWord && now_.text == word;
  }
  [[noreturn]] void Refuse() const {
    throw Failure(Code::kInvalid,
                  now_.kind == Token::Kind::kEnd
                      ? "Unparseable filter: unexpected end of filter"
                      : fmt::format("Unparseable filter: syntax error at character {}, token '{}'",
                                    now_.at, now_.text));
  }

  FilterNodePtr Conjunction(int depth, const Subject* subject = nullptr) {
    if (depth > kDeepest) throw Failure(Code::kInvalid, "Unparseable filter: nested too deeply");
    std::vector<FilterNodePtr> parts;
    do {
      parts.push_back(Disjunction(depth, subject));
      if (IsWord("AND")) {
        Advance();
      } else if (now_.kind == Token::Kind::kEnd || now_.kind == Token::Kind::kClose) {
        break;
      }
    } while (true);
    if (parts.size() == 1) return std::move(parts[0]);
    return std::make_unique<AllOf>(std::move(parts));
  }

  FilterNodePtr Disjunction(int depth, const Subject* subject) {
    std::vector<FilterNodePtr> parts;
    parts.push_back(Negation(depth, subject));
    while (IsWord("OR")) {
      Advance();
      parts.push_back(Negation(depth, subject));
    }
    if (parts.size() == 1) return std::move(parts[0]);
    return std::make_unique<AnyOf>(std::move(parts));
  }

  FilterNodePtr Negation(int depth, const Subject* subject) {
    bool negated = false;
    while (IsWord("NOT") || now_.kind == Token::Kind::kMinus) {
      Advance();
      negated = !negated;
    }
    FilterNodePtr term = Term(depth, subject);
    if (!negated) return term;
    return std::make_unique<Not>(std::move(term));
  }

  FilterNodePtr Term(int depth, const Subject* subject) {
    if (now_.kind == Token::Kind::kOpen) {
      Advance();
      FilterNodePtr inner = Conjunction(depth + 1, subject);
      if (now_.kind != Token::Kind::kClose) Refuse();
      Advance();
      return inner;
    }
    if (now_.kind != Token::Kind::kWord && now_.kind != Token::Kind::kQuoted) Refuse();
    if (IsWord("AND") || IsWord("OR")) Refuse();
    if (subject) return std::make_unique<Comparison>(subject->path, subject->op, Advance().text);
    Token first = Advance();
    if (first.kind == Token::Kind::kWord && now_.kind == Token::Kind::kOpen) return Call(first);
    Path path = RestOfPath(first);
    if (now_.kind != Token::Kind::kOperator) return std::make_unique<Anywhere>(first.text);
    return Compared(path, depth);
  }

  FilterNodePtr Compared(const Path& path, int depth) {
    Comparator op = ComparatorOf(Advance().text);
    if (now_.kind == Token::Kind::kOpen) {
      Subject subject{path, op};
      return Term(depth, &subject);
    }
    bool minus = now_.kind == Token::Kind::kMinus;  // a negative number is a word already
    if (minus) Refuse();
    if (now_.kind != Token::Kind::kWord && now_.kind != Token::Kind::kQuoted) Refuse();
    return std::make_unique<Comparison>(path, op, Advance().text);
  }

  // log_id("syslog")
  FilterNodePtr Call(const Token& name) {
    if (name.text != "log_id") {
      throw Failure(Code::kInvalid,
                    fmt::format("Unparseable filter: function {} is not supported", name.text));
    }
    Advance();
    if (now_.kind != Token::Kind::kQuoted && now_.kind != Token::Kind::kWord) Refuse();
    std::string id = "/logs/" + PercentEncode(Advance().text);
    if (now_.kind != Token::Kind::kClose) Refuse();
    Advance();
    return std::make_unique<Comparison>(Path{"logName"}, Comparator::kHas, id);
  }

  Path RestOfPath(const Token& first) {
    Path path;
    auto add = [&](const Token& token) {
      if (token.kind == Token::Kind::kQuoted) {
        path.push_back(token.text);
        return;
      }
      std::string_view rest = token.text;
      while (true) {
        size_t dot = rest.find('.');
        path.emplace_back(rest.substr(0, dot));
        if (dot == rest.npos) return;
        rest.remove_prefix(dot + 1);
      }
    };
    add(first);
    while (now_.kind == Token::Kind::kDot) {
      Advance();
      if (now_.kind != Token::Kind::kQuoted && now_.kind != Token::Kind::kWord) Refuse();
      add(Advance());
    }
    return path;
  }

  Lexer lexer_;
  Token now_;
};

}  // namespace

FilterNodePtr ParseFilter(std::string_view text) {
  if (text.size() > kLongest) {
    throw Failure(Code::kInvalid, fmt::format("Filter is longer than {} characters.", kLongest));
  }
  return Parser(text).Whole();
}

}  // namespace fireweed::logs
