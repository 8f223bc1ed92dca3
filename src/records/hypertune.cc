#include "records/hypertune.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "base/bytes.h"
#include "base/error.h"
#include "describe/json_tree.h"

namespace fireweed::records {
namespace {

// Of a number, or of text that is one.
std::optional<double> NumberOf(const JsonTree* member) {
  if (!member || !member->IsScalar()) return std::nullopt;
  std::string_view text = Trim(member->text());
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<Measurement> ReadLine(std::string_view line, std::string_view tag) {
  try {
    JsonTree report = JsonTree::Parse(line);
    if (!report.IsObject()) return std::nullopt;
    std::optional<double> value = NumberOf(report.Find(tag));
    if (!value) return std::nullopt;
    double step = NumberOf(report.Find("global_step")).value_or(0);
    if (std::abs(step) > 9e18) return std::nullopt;
    return Measurement{static_cast<int64_t>(step), *value,
                       NumberOf(report.Find("timestamp")).value_or(0)};
  } catch (const Failure&) {
    return std::nullopt;  // no JSON: a line that is being written
  }
}

}  // namespace

std::vector<Measurement> ReadHypertune(std::string_view text, std::string_view tag) {
  std::vector<Measurement> found;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.empty()) continue;
    if (auto measurement = ReadLine(line, tag)) found.push_back(*measurement);
  }
  return found;
}

}  // namespace fireweed::records
