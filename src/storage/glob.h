// Patterns of matchGlob: '*' (not over '/'), '**' (over '/'), '?', "[a-z]", "[!a]", "{a,b}", '\'
// escapes. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fireweed::storage {

class Glob {
 public:
  // Throws Failure(kInvalid) on brackets or braces that do not close, or too many alternatives.
  explicit Glob(std::string_view pattern);
  bool Matches(std::string_view name) const;

 private:
  struct Piece {
    enum class Kind { kChar, kOne, kSet, kStar, kDoubleStar } kind;
    std::string text;  // kChar: the character; kSet: the inside of the brackets
  };
  using Pieces = std::vector<Piece>;

  static Pieces Compile(std::string_view pattern);
  static bool MatchPieces(const Pieces& pieces, std::string_view name);
  static bool MatchOne(const Piece& piece, std::string_view character);

  std::vector<Pieces> alternatives_;
};

}  // namespace fireweed::storage
