#include "net/pattern.h"

#include <algorithm>
#include <utility>

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
    if (rest.empty() || rest[0] != '{') {
      segments_.push_back({false, CutSegment(rest), {}, {}, 0});
      continue;
    }
    size_t close = rest.find('}');
    if (close == std::string_view::npos) Abort("a route parameter has no closing brace");
    std::string_view inside = rest.substr(1, close - 1);
    rest.remove_prefix(close + 1);
    // Slashes behind a parameter that takes the rest belong to its suffix: "{repo=**}/info/refs".
    std::string_view suffix = inside.ends_with("=**") ? std::exchange(rest, {}) : CutSegment(rest);
    AddParameter(inside, suffix);
  }
}

// "bucket", "object=**" or "parent=projects/*".
void Pattern::AddParameter(std::string_view inside, std::string_view suffix) {
  size_t equals = inside.find('=');
  std::string_view name = inside.substr(0, equals);
  std::string_view form = equals == std::string_view::npos ? "*" : inside.substr(equals + 1);
  size_t begin = segments_.size();
  takes_rest_ = form == "**";
  while (true) {
    size_t slash = form.find('/');
    std::string_view part = form.substr(0, slash);
    bool last = slash == std::string_view::npos;
    segments_.push_back({part[0] == '*', part, last ? name : std::string_view(),
                         last ? suffix : std::string_view(), begin});
    if (last) return;
    form.remove_prefix(slash + 1);
  }
}

std::string_view Pattern::head() const {
  return segments_[0].any ? std::string_view() : segments_[0].literal;
}

bool Pattern::Match(std::string_view path, PathValues& values) const {
  constexpr size_t kMostSegments = 32;
  size_t starts[kMostSegments];
  values.clear();
  if (segments_.size() > kMostSegments) return false;
  size_t pos = 0;
  for (size_t i = 0; i < segments_.size(); ++i) {
    if (pos >= path.size() || path[pos] != '/') return false;
    starts[i] = ++pos;
    const Segment& segment = segments_[i];
    bool rest = takes_rest_ && i + 1 == segments_.size();
    size_t end = rest ? path.size() : std::min(path.find('/', pos), path.size());
    std::string_view part = path.substr(pos, end - pos);
    pos = end;
    if (segment.any ? part.empty() : part != segment.literal) return false;
    if (segment.name.empty()) continue;
    if (part.size() <= segment.suffix.size() || !part.ends_with(segment.suffix)) return false;
    size_t begin = starts[segment.begin];
    values.emplace_back(segment.name, path.substr(begin, end - segment.suffix.size() - begin));
  }
  return pos == path.size();
}

bool Pattern::SegmentsCollide(const Segment& a, const Segment& b) {
  if (!a.any && !b.any) return a.literal == b.literal;
  if (!a.any) return SegmentsCollide(b, a);
  // "x:verb" goes to the route with that verb and to no other: see Router::Find.
  if (!b.any) {
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
