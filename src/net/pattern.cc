#include "net/pattern.h"

#include "base/error.h"

namespace fireweed::net {
namespace {

// Cuts the first segment off `rest` (which begins after a '/').
std::string_view CutSegment(std::string_view& rest) {
  size_t slash = rest.find('/');
  std::string_view part = rest.substr(0, slash);
  rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash);
  return part;
}

}  // namespace

Pattern::Pattern(std::string_view text) : text_(text) {
  if (text.empty() || text[0] != '/') Abort("a route pattern begins with '/'");
  std::string_view rest = text;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    if (takes_rest_) Abort("only the last segment of a route may take the rest");
    std::string_view part = CutSegment(rest);
    if (part.empty() || part[0] != '{') {
      segments_.push_back({part, {}, {}});
      continue;
    }
    size_t close = part.find('}');
    if (close == std::string_view::npos) Abort("a route parameter has no closing brace");
    std::string_view name = part.substr(1, close - 1);
    if (name.size() > 3 && name.substr(name.size() - 3) == "=**") {
      takes_rest_ = true;
      name.remove_suffix(3);
    }
    segments_.push_back({{}, name, part.substr(close + 1)});
  }
}

std::string_view Pattern::head() const {
  return !segments_.empty() && segments_[0].name.empty() ? segments_[0].literal
                                                         : std::string_view();
}

bool Pattern::MatchSegment(const Segment& segment, std::string_view part, PathValues& values) {
  if (segment.name.empty()) return segment.literal == part;
  if (!segment.suffix.empty()) {
    if (part.size() <= segment.suffix.size() ||
        part.substr(part.size() - segment.suffix.size()) != segment.suffix) {
      return false;
    }
    part.remove_suffix(segment.suffix.size());
  }
  if (part.empty()) return false;
  values.emplace_back(segment.name, part);
  return true;
}

bool Pattern::Match(std::string_view path, PathValues& values) const {
  values.clear();
  std::string_view rest = path;
  for (size_t i = 0; i < segments_.size(); ++i) {
    if (rest.empty() || rest[0] != '/') return false;
    rest.remove_prefix(1);
    if (takes_rest_ && i + 1 == segments_.size()) {
      if (rest.empty()) return false;
      values.emplace_back(segments_[i].name, rest);
      return true;
    }
    if (!MatchSegment(segments_[i], CutSegment(rest), values)) return false;
  }
  return rest.empty();
}

bool Pattern::SegmentsCollide(const Segment& a, const Segment& b) {
  if (a.name.empty() && b.name.empty()) return a.literal == b.literal;
  if (a.name.empty()) return SegmentsCollide(b, a);
  // A parameter without suffix does not take "x:verb" where a route with that verb exists: see Router::Find.
  if (b.name.empty()) {
    return a.suffix.empty() ||
           (b.literal.size() > a.suffix.size() && b.literal.ends_with(a.suffix));
  }
  return a.suffix == b.suffix;
}

bool Pattern::Collides(const Pattern& other) const {
  if (takes_rest_ != other.takes_rest_) return false;
  if (segments_.size() != other.segments_.size()) return false;
  for (size_t i = 0; i < segments_.size(); ++i) {
    if (!SegmentsCollide(segments_[i], other.segments_[i])) return false;
  }
  return true;
}

}  // namespace fireweed::net
