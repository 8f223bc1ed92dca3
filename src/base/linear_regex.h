// Regular expressions that take time linear in the text, whatever the pattern: list filters come from clients.
// The syntax is RE2's as far as filters need it: literals, . * + ? {m,n} | ( ) (?: ) [classes], \d \w \s and their
// opposites, \b \B, ^ $, escapes, and a leading (?i). No back-references, no look-around; lazy marks are
// accepted and make no difference, since only "does it match" is asked.
#pragma once

#include <bitset>
#include <string_view>
#include <vector>

namespace fireweed {

class LinearRegex {
 public:
  // Throws Failure(kInvalid) on a pattern it does not understand, or one that is too large.
  explicit LinearRegex(std::string_view pattern);

  // Whether the whole text matches.
  bool Matches(std::string_view text) const;
  // Whether some part of the text matches.
  bool Finds(std::string_view text) const;

 private:
  friend class RegexParser;
  enum class Op { kSet, kSplit, kJump, kWordEdge, kNoWordEdge, kBegin, kEnd, kMatch };
  struct Node {
    Op op = Op::kMatch;
    size_t next = 0, other = 0;  // kSplit and kJump: where to go on
    std::bitset<256> set;        // kSet: bytes it takes
  };
  enum class Anchor { kWhole, kAnywhere };
  struct Threads;
  bool Run(std::string_view text, Anchor anchor) const;
  void Follow(Threads& threads, size_t node, std::string_view text, size_t at) const;

  std::vector<Node> nodes_;
  size_t start_ = 0;
};

}  // namespace fireweed
