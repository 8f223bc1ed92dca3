// Path patterns of routes: parsing, matching, and telling whether two could match one path.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fireweed::net {

// Raw values taken from a path, by parameter name; views into the request's path.
using PathValues = std::vector<std::pair<std::string_view, std::string_view>>;

class Pattern {
 public:
  // Aborts on a malformed pattern: they are constants of the program.
  explicit Pattern(std::string_view text);

  // Fills `values` and returns true when the raw path matches.
  bool Match(std::string_view path, PathValues& values) const;
  // Could one path match both? Patterns that take the rest of a path give way and never collide.
  bool Collides(const Pattern& other) const;
  bool takes_rest() const { return takes_rest_; }
  std::string_view text() const { return text_; }
  // The first segment when it is literal, else empty: routers narrow their search by it.
  std::string_view head() const;

 private:
  struct Segment {
    std::string_view literal;  // the whole segment, when `name` is empty
    std::string_view name;     // a parameter
    std::string_view suffix;   // ":verb" after a parameter
  };
  static bool MatchSegment(const Segment& segment, std::string_view part, PathValues& values);
  static bool SegmentsCollide(const Segment& a, const Segment& b);

  std::string_view text_;
  std::vector<Segment> segments_;
  bool takes_rest_ = false;
};

}  // namespace fireweed::net
