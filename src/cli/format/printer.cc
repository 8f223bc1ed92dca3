#include "cli/format/printer.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "cli/format/table_text.h"
#include "cli/format/yaml_text.h"

namespace fireweed::cli {
namespace {

using Resources = std::vector<JsonTree>;

// Only the fields that the projection names, where it names some.
Resources Restricted(const Resources& resources, const Projection& projection) {
  if (projection.columns.empty()) return resources;
  Resources restricted;
  for (const JsonTree& resource : resources) {
    JsonTree kept = JsonTree::Object();
    for (const Column& column : projection.columns) {
      JsonTree value = column.Get(resource);
      if (!value.IsNull()) column.path.Put(kept, std::move(value));
    }
    restricted.push_back(std::move(kept));
  }
  return restricted;
}

std::string RenderJson(const Resources& resources, const Projection& projection, Shape shape) {
  Resources shown = Restricted(resources, projection);
  if (shape == Shape::kOne && shown.size() == 1) return shown.front().Pretty() + "\n";
  return JsonTree::List(std::move(shown)).Pretty() + "\n";
}

std::string RenderYaml(const Resources& resources, const Projection& projection, Shape shape) {
  std::string out;
  for (const JsonTree& resource : Restricted(resources, projection)) {
    if (shape == Shape::kList) out += "---\n";
    out += YamlText(resource);
  }
  return out;
}

std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

// value(...) and csv(...): a line a resource.
std::string RenderLines(const Resources& resources, const Projection& projection, bool csv) {
  std::string separator = projection.Attribute("separator", csv ? "," : "\t");
  std::string terminator = projection.Attribute("terminator", "\n");
  std::string inner = projection.Attribute("delimiter", ";");
  std::string out;
  if (csv && !projection.Has("no-heading")) {
    std::vector<std::string> names;
    for (const Column& column : projection.columns) {
      names.push_back(column.label == column.path.Label() ? column.path.Text() : column.label);
      std::transform(names.back().begin(), names.back().end(), names.back().begin(),
                     [](char c) { return c == '.' ? '_' : c; });
    }
    out += fmt::format("{}{}", fmt::join(names, separator), terminator);
  }
  for (const JsonTree& resource : resources) {
    std::vector<std::string> cells;
    for (const Column& column : projection.columns) {
      std::string text = OneLine(column.Get(resource), inner);
      cells.push_back(csv && !projection.Has("quote") ? CsvCell(text) : text);
    }
    out += fmt::format("{}{}", fmt::join(cells, separator), terminator);
  }
  return out;
}

void Flatten(const JsonTree& value, const std::string& path, std::vector<std::string>& names,
             std::vector<std::string>& texts) {
  for (size_t i = 0; i < value.items().size(); ++i) {
    Flatten(value.items()[i], fmt::format("{}[{}]", path, i), names, texts);
  }
  for (const auto& [key, member] : value.members()) {
    Flatten(member, path.empty() ? key : path + "." + key, names, texts);
  }
  if (!value.items().empty() || !value.members().empty()) return;
  names.push_back(path);
  texts.push_back(value.IsScalar() ? value.text() : value.Compact());
}

std::string RenderFlattened(const Resources& resources, const Projection& projection) {
  std::string out;
  for (const JsonTree& resource : Restricted(resources, projection)) {
    std::vector<std::string> names, texts;
    Flatten(resource.Sorted(), "", names, texts);
    size_t width = 0;
    for (const std::string& name : names) width = std::max(width, name.size());
    if (!projection.Has("no-pad")) out += "---\n";
    for (size_t i = 0; i < names.size(); ++i) {
      out += fmt::format("{:<{}} {}\n", names[i] + ":", width + 1, texts[i]);
    }
  }
  return out;
}

std::string RenderList(const Resources& resources, const Projection& projection) {
  std::string out = projection.Has("title") ? projection.Attribute("title", "") + "\n" : "";
  for (const JsonTree& resource : resources) {
    std::vector<std::string> parts;
    for (const Column& column : projection.columns)
      parts.push_back(OneLine(column.Get(resource), ","));
    if (projection.columns.empty()) parts.push_back(OneLine(resource, ","));
    out += fmt::format(" - {}\n", fmt::join(parts, " "));
  }
  return out;
}

// Columns marked with :sort= order the rows.
Resources Ordered(const Resources& resources, const Projection& projection) {
  std::vector<const Column*> keys;
  for (const Column& column : projection.columns) {
    if (column.sort > 0) keys.push_back(&column);
  }
  if (keys.empty()) return resources;
  std::sort(keys.begin(), keys.end(),
            [](const Column* a, const Column* b) { return a->sort < b->sort; });
  Resources ordered = resources;
  std::stable_sort(ordered.begin(), ordered.end(), [&](const JsonTree& a, const JsonTree& b) {
    for (const Column* key : keys) {
      std::string left = OneLine(key->Get(a), ","), right = OneLine(key->Get(b), ",");
      if (left != right) return key->reverse ? left > right : left < right;
    }
    return false;
  });
  return ordered;
}

void RequireColumns(const Projection& projection) {
  if (projection.columns.empty()) {
    throw Failure(Code::kInvalid,
                  fmt::format("--format={0} needs fields: {0}(name,zone)", projection.format));
  }
}

}  // namespace

std::vector<std::string_view> FormatNames() {
  return {"csv", "flattened", "get", "json", "list", "none", "table", "text", "value", "yaml"};
}

std::string Render(const std::vector<JsonTree>& resources, const Projection& projection,
                   Shape shape) {
  const std::string& format = projection.format;
  Resources rows = Ordered(resources, projection);
  if (format == "json") return RenderJson(rows, projection, shape);
  if (format == "yaml" || format == "default") return RenderYaml(rows, projection, shape);
  if (format == "none" || format == "disable") return "";
  if (format == "text" || format == "flattened") return RenderFlattened(rows, projection);
  if (format == "list") return RenderList(rows, projection);
  if (format == "value" || format == "get" || format == "csv" || format == "table") {
    RequireColumns(projection);
    return format == "table" ? TableText(rows, projection)
                             : RenderLines(rows, projection, format == "csv");
  }
  throw Failure(Code::kInvalid, fmt::format("--format: unknown format '{}'; supported: {}", format,
                                            fmt::join(FormatNames(), ", ")));
}

}  // namespace fireweed::cli
