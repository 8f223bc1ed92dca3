#include "init/workload_file.h"

#include <algorithm>

namespace fireweed {
namespace {

void AddLine(std::string& out, std::string_view key, std::string_view value) {
  out.append(key).append(" ");
  for (char c : value) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  out += '\n';
}

std::optional<std::string> Unescape(std::string_view value) {
  std::string out;
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '\\') {
      out += value[i];
      continue;
    }
    if (++i == value.size() || (value[i] != 'n' && value[i] != '\\')) return std::nullopt;
    out += value[i] == 'n' ? '\n' : '\\';
  }
  return out;
}

bool Take(WorkloadOrder& order, std::string_view key, std::string value) {
  if (key == "argument") {
    order.arguments.push_back(std::move(value));
  } else if (key == "variable") {
    order.variables.push_back(std::move(value));
  } else if (key == "directory") {
    order.directory = std::move(value);
  } else if (key == "tree") {
    order.tree = std::move(value);
  } else if (key == "marks") {
    order.marks = value == "1";
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string FormatWorkloadOrder(const WorkloadOrder& order) {
  std::string out;
  for (const std::string& argument : order.arguments) AddLine(out, "argument", argument);
  for (const std::string& variable : order.variables) AddLine(out, "variable", variable);
  if (!order.directory.empty()) AddLine(out, "directory", order.directory);
  if (!order.tree.empty()) AddLine(out, "tree", order.tree);
  if (order.marks) AddLine(out, "marks", "1");
  return out;
}

std::optional<WorkloadOrder> ParseWorkloadOrder(std::string_view text) {
  WorkloadOrder order;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    size_t space = line.find(' ');
    if (space == line.npos) return std::nullopt;
    std::optional<std::string> value = Unescape(line.substr(space + 1));
    if (!value || !Take(order, line.substr(0, space), *std::move(value))) return std::nullopt;
  }
  if (order.arguments.empty()) return std::nullopt;
  return order;
}

}  // namespace fireweed
