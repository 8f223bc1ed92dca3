#include "storage/glob.h"

#include <optional>

#include "base/error.h"

namespace fireweed::storage {
namespace {

constexpr size_t kMaxAlternatives = 256;

[[noreturn]] void Refuse(const char* what) { throw Failure(Code::kInvalid, "invalid", what); }

// One UTF-8 character, or one byte of what is none.
std::string_view FirstCharacter(std::string_view text) {
  uint8_t lead = static_cast<uint8_t>(text[0]);
  size_t size = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return text.substr(0, size);
}

// The end of the group that opens at `open`, or nothing.
std::optional<size_t> CloseOf(std::string_view pattern, size_t open) {
  int depth = 0;
  for (size_t i = open; i < pattern.size(); ++i) {
    if (pattern[i] == '\\')
      ++i;
    else if (pattern[i] == '{')
      ++depth;
    else if (pattern[i] == '}' && --depth == 0)
      return i;
  }
  return std::nullopt;
}

size_t FindOpen(std::string_view pattern) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\')
      ++i;
    else if (pattern[i] == '{')
      return i;
  }
  return std::string_view::npos;
}

// "a{b,c}d" is "abd" and "acd"; groups may nest.
void Expand(std::string_view pattern, std::vector<std::string>& out) {
  size_t open = FindOpen(pattern);
  if (open == std::string_view::npos) {
    out.emplace_back(pattern);
    if (out.size() > kMaxAlternatives) Refuse("The glob has too many alternatives.");
    return;
  }
  std::optional<size_t> close = CloseOf(pattern, open);
  if (!close) Refuse("A brace of the glob is not closed.");
  int depth = 0;
  size_t begin = open + 1;
  for (size_t i = open + 1; i <= *close; ++i) {
    char c = pattern[i];
    if (c == '\\')
      ++i;
    else if (c == '{')
      ++depth;
    else if (c == '}' && i < *close)
      --depth;
    else if ((c == ',' && depth == 0) || i == *close) {
      std::string one(pattern.substr(0, open));
      one.append(pattern.substr(begin, i - begin)).append(pattern.substr(*close + 1));
      Expand(one, out);
      begin = i + 1;
    }
  }
}

}  // namespace

Glob::Glob(std::string_view pattern) {
  std::vector<std::string> plain;
  Expand(pattern, plain);
  for (const std::string& one : plain) alternatives_.push_back(Compile(one));
}

Glob::Pieces Glob::Compile(std::string_view pattern) {
  Pieces pieces;
  while (!pattern.empty()) {
    size_t used = 1;
    if (pattern.starts_with("**")) {
      pieces.push_back({Piece::Kind::kDoubleStar, ""});
      used = 2;
    } else if (pattern[0] == '*') {
      pieces.push_back({Piece::Kind::kStar, ""});
    } else if (pattern[0] == '?') {
      pieces.push_back({Piece::Kind::kOne, ""});
    } else if (pattern[0] == '[') {
      size_t close = pattern.find(']', pattern.size() > 1 && pattern[1] == '!' ? 3 : 2);
      if (close == std::string_view::npos) Refuse("A bracket of the glob is not closed.");
      pieces.push_back({Piece::Kind::kSet, std::string(pattern.substr(1, close - 1))});
      used = close + 1;
    } else {
      if (pattern[0] == '\\' && pattern.size() > 1) pattern.remove_prefix(1);
      std::string_view character = FirstCharacter(pattern);
      pieces.push_back({Piece::Kind::kChar, std::string(character)});
      used = character.size();
    }
    pattern.remove_prefix(used);
  }
  return pieces;
}

bool Glob::MatchOne(const Piece& piece, std::string_view character) {
  if (piece.kind == Piece::Kind::kChar) return piece.text == character;
  if (character == "/") return false;
  if (piece.kind == Piece::Kind::kOne) return true;
  std::string_view set = piece.text;
  bool negate = set.starts_with("!");
  if (negate) set.remove_prefix(1);
  bool in = false;
  while (!set.empty()) {
    std::string_view low = FirstCharacter(set);
    set.remove_prefix(low.size());
    std::string_view high = low;
    if (set.size() > 1 && set[0] == '-') {
      high = FirstCharacter(set.substr(1));
      set.remove_prefix(1 + high.size());
    }
    // UTF-8 orders as its characters do.
    in = in || (character >= low && character <= high);
  }
  return in != negate;
}

// Backtracks to the last star only, and from '*' to the last '**' where '*' meets a slash: time is
// at most the product of the lengths.
bool Glob::MatchPieces(const Pieces& pieces, std::string_view name) {
  struct Retry {
    size_t piece = 0;
    size_t at = std::string_view::npos;  // beyond every name: there is nothing to go back to
  };
  Retry star, double_star;
  size_t piece = 0, at = 0;
  while (true) {
    if (piece < pieces.size() && pieces[piece].kind == Piece::Kind::kDoubleStar) {
      double_star = Retry{++piece, at};
      star = {};
      continue;
    }
    if (piece < pieces.size() && pieces[piece].kind == Piece::Kind::kStar) {
      star = Retry{++piece, at};
      continue;
    }
    if (at == name.size() && piece == pieces.size()) return true;
    if (at < name.size() && piece < pieces.size()) {
      std::string_view character = FirstCharacter(name.substr(at));
      if (MatchOne(pieces[piece], character)) {
        at += character.size();
        ++piece;
        continue;
      }
    }
    if (star.at < name.size() && name[star.at] != '/') {
      star.at += FirstCharacter(name.substr(star.at)).size();
      piece = star.piece;
      at = star.at;
    } else if (double_star.at < name.size()) {
      double_star.at += FirstCharacter(name.substr(double_star.at)).size();
      piece = double_star.piece;
      at = double_star.at;
      star = {};
    } else {
      return false;
    }
  }
}

bool Glob::Matches(std::string_view name) const {
  for (const Pieces& pieces : alternatives_) {
    if (MatchPieces(pieces, name)) return true;
  }
  return false;
}

}  // namespace fireweed::storage
