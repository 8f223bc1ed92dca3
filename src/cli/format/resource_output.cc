#include "cli/format/resource_output.h"

#include <algorithm>
#include <cstdlib>

#include "base/bytes.h"
#include "cli/format/resource_filter.h"
#include "cli/grammar.h"

namespace fireweed::cli {
namespace {

struct SortKey {
  KeyPath path;
  bool reverse = false;
};

std::vector<SortKey> ParseKeys(const std::string& keys) {
  std::vector<SortKey> parsed;
  std::string_view rest = keys;
  while (!rest.empty()) {
    std::string_view word = Trim(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), rest.find(',')));
    if (!rest.empty()) rest.remove_prefix(1);
    bool reverse = word.starts_with('~');
    if (reverse) word.remove_prefix(1);
    if (!word.empty()) parsed.push_back({KeyPath::Parse(word), reverse});
  }
  return parsed;
}

bool IsNumber(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

bool Before(const std::string& a, const std::string& b) {
  if (IsNumber(a) && IsNumber(b)) return std::atof(a.c_str()) < std::atof(b.c_str());
  return a < b;
}

}  // namespace

void SortResources(std::vector<JsonTree>& resources, const std::string& keys) {
  std::vector<SortKey> by = ParseKeys(keys);
  std::stable_sort(resources.begin(), resources.end(), [&](const JsonTree& a, const JsonTree& b) {
    for (const SortKey& key : by) {
      std::string left = OneLine(key.path.Get(a), ","), right = OneLine(key.path.Get(b), ",");
      if (left != right) return key.reverse ? Before(right, left) : Before(left, right);
    }
    return false;
  });
}

void OutputOptions::AddTo(Command& command, Shape shape) {
  command.AddOption("--format", format,
                    "json, yaml, value(name,...), csv(...), table(...), list, text, none");
  if (shape == Shape::kOne) return;
  command.AddOption("--filter", filter, "Filter: status=RUNNING AND name:web-*");
  command.AddOption("--sort-by", sort_by, "Fields to sort by; ~ reverses a field");
  command.AddOption("--limit", limit, "Maximum number of results")->Positive();
  command.AddOption("--page-size", page_size, "Accepted for compatibility");
  command.AddFlag("--uri", uri, "Print URLs only");
}

std::string OutputOptions::Text(std::vector<JsonTree> resources, const std::string& usual,
                                Shape shape, bool json) const {
  Projection ordinary = Projection::Parse(usual);
  ResourceFilter wanted(filter, ordinary.columns);
  std::erase_if(resources, [&](const JsonTree& resource) { return !wanted.Matches(resource); });
  if (!sort_by.empty()) SortResources(resources, sort_by);
  if (limit > 0 && static_cast<size_t>(limit) < resources.size())
    resources.resize(static_cast<size_t>(limit));
  if (uri) return Render(resources, Projection::Parse("value(selfLink)"), shape);
  Projection projection = Projection::Parse(!format.empty() ? format
                                            : json          ? std::string("json")
                                                            : usual);
  // --format=table alone means the usual table.
  if (projection.format == "table" && projection.columns.empty()) {
    if (ordinary.format == "table") projection.columns = ordinary.columns;
  } else if (!format.empty()) {
    projection.ResolveLabels(ordinary.columns);
  }
  return Render(resources, projection, shape);
}

}  // namespace fireweed::cli
