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
    bool any = false;          // takes whatever is there, but not nothing
    std::string_view literal;  // else what it must be
    std::string_view name;     // on the last segment of a parameter: its name
    std::string_view suffix;   // ":verb" after a parameter
    size_t begin = 0;          // on the last segment of a parameter: index of its first
  };
  void AddParameter(std::string_view inside, std::string_view suffix);
  static bool SegmentsCollide(const Segment& a, const Segment& b);

  std::string_view text_;
  std::vector<Segment> segments_;
  bool takes_rest_ = false;
};

}  // namespace fireweed::net
