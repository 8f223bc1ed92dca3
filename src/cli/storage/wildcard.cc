#include "cli/storage/wildcard.h"

#include <vector>

namespace fireweed::cli {
namespace {

struct Piece {
  enum class Kind { kChar, kOne, kSet, kStar, kAnything } kind;
  std::string_view text;
};

size_t CharacterLength(std::string_view text) {
  size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80)
    ++length;
  return length;
}

std::vector<Piece> Compile(std::string_view pattern) {
  std::vector<Piece> pieces;
  while (!pattern.empty()) {
    size_t length = CharacterLength(pattern);
    Piece piece{Piece::Kind::kChar, pattern.substr(0, length)};
    if (pattern.starts_with("**")) {
      length = 2;
      while (length < pattern.size() && pattern[length] == '*') ++length;
      piece.kind = Piece::Kind::kAnything;
    } else if (pattern.front() == '*') {
      piece.kind = Piece::Kind::kStar;
    } else if (pattern.front() == '?') {
      piece.kind = Piece::Kind::kOne;
    } else if (pattern.front() == '[') {
      // A ']' right at the front is a member of the set.
      size_t close = pattern.find(']', 2);
      if (close != std::string_view::npos) {
        piece = {Piece::Kind::kSet, pattern.substr(1, close - 1)};
        length = close + 1;
      }
    }
    pieces.push_back(piece);
    pattern.remove_prefix(length);
  }
  return pieces;
}

bool InSet(std::string_view set, std::string_view character) {
  bool negative = set.starts_with('!') || set.starts_with('^');
  if (negative) set.remove_prefix(1);
  bool found = false;
  while (!set.empty()) {
    std::string_view low = set.substr(0, CharacterLength(set));
    set.remove_prefix(low.size());
    std::string_view high = low;
    if (set.size() > 1 && set.front() == '-') {
      high = set.substr(1, CharacterLength(set.substr(1)));
      set.remove_prefix(1 + high.size());
    }
    // UTF-8 sorts as its code points do.
    found = found || (low <= character && character <= high);
  }
  return found != negative;
}

bool MatchesOne(const Piece& piece, std::string_view character) {
  switch (piece.kind) {
    case Piece::Kind::kChar: return piece.text == character;
    case Piece::Kind::kOne: return character != "/";
    case Piece::Kind::kSet: return InSet(piece.text, character);
    default: return false;
  }
}

}  // namespace

bool HasWildcard(std::string_view text) {
  return text.find_first_of("*?") != std::string_view::npos ||
         (text.find('[') != std::string_view::npos &&
          text.find(']', text.find('[')) != std::string_view::npos);
}

std::string_view LiteralPrefix(std::string_view pattern) {
  return HasWildcard(pattern) ? pattern.substr(0, pattern.find_first_of("*?[")) : pattern;
}

// Which pieces may stand where, character by character: time is pattern times text, whatever the stars.
bool MatchesWildcard(std::string_view pattern, std::string_view text) {
  std::vector<Piece> pieces = Compile(pattern);
  std::vector<bool> here(pieces.size() + 1), next;
  here[0] = true;
  auto pass_stars = [&](std::vector<bool>& at) {
    for (size_t i = 0; i < pieces.size(); ++i) {
      bool star = pieces[i].kind == Piece::Kind::kStar || pieces[i].kind == Piece::Kind::kAnything;
      if (at[i] && star) at[i + 1] = true;
    }
  };
  pass_stars(here);
  while (!text.empty()) {
    std::string_view character = text.substr(0, CharacterLength(text));
    text.remove_prefix(character.size());
    next.assign(pieces.size() + 1, false);
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (!here[i]) continue;
      const Piece& piece = pieces[i];
      if (piece.kind == Piece::Kind::kAnything ||
          (piece.kind == Piece::Kind::kStar && character != "/")) {
        next[i] = true;
      } else if (MatchesOne(piece, character)) {
        next[i + 1] = true;
      }
    }
    pass_stars(next);
    here.swap(next);
  }
  return here[pieces.size()];
}

}  // namespace fireweed::cli
