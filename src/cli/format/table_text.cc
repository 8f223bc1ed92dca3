#include "cli/format/table_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace fireweed::cli {
namespace {

using Row = std::vector<std::string>;

std::vector<size_t> Widths(const std::vector<Row>& rows) {
  std::vector<size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], DisplayWidth(row[i]));
  }
  return widths;
}

std::string Padded(const std::string& text, size_t width, bool right) {
  std::string blanks(width - std::min(width, DisplayWidth(text)), ' ');
  return right ? blanks + text : text + blanks;
}

std::string Plain(const std::vector<Row>& rows, const std::vector<Column>& columns) {
  std::vector<size_t> widths = Widths(rows);
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += (i ? "  " : "") + Padded(row[i], widths[i], columns[i].align_right);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string Boxed(const std::vector<Row>& rows, const std::vector<Column>& columns, bool heading) {
  std::vector<size_t> widths = Widths(rows);
  std::string rule = "+";
  for (size_t width : widths) rule += std::string(width + 2, '-') + "+";
  std::string out = rule + "\n";
  for (size_t n = 0; n < rows.size(); ++n) {
    out += "|";
    for (size_t i = 0; i < rows[n].size(); ++i) {
      out += " " + Padded(rows[n][i], widths[i], columns[i].align_right) + " |";
    }
    out += "\n";
    if (n == 0 && heading) out += rule + "\n";
  }
  return out + rule + "\n";
}

}  // namespace

size_t DisplayWidth(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string TableText(const std::vector<JsonTree>& resources, const Projection& projection) {
  if (resources.empty()) return "";
  const bool heading = !projection.Has("no-heading");
  std::vector<Row> rows;
  if (heading) {
    Row head;
    for (const Column& column : projection.columns) head.push_back(column.label);
    rows.push_back(head);
  }
  for (const JsonTree& resource : resources) {
    Row row;
    for (const Column& column : projection.columns) {
      std::string text = OneLine(column.Get(resource), ",");
      std::replace(text.begin(), text.end(), '\n', ' ');
      row.push_back(std::move(text));
    }
    rows.push_back(std::move(row));
  }
  return projection.Has("box") ? Boxed(rows, projection.columns, heading)
                               : Plain(rows, projection.columns);
}

}  // namespace fireweed::cli
