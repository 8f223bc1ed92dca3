#include "cli/ml/log_lines.h"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "base/clock.h"

namespace fireweed::cli {
namespace {

constexpr std::string_view kTrialLabel = "ml.googleapis.com/trial_id";
constexpr std::string_view kWaitsSinceLabel = "fireweed/waits_since";

const JsonTree* Within(const JsonTree& tree, std::string_view outer, std::string_view inner) {
  const JsonTree* found = tree.Find(outer);
  return found ? found->Find(inner) : nullptr;
}

std::string TaskOf(const JsonTree& entry) {
  const JsonTree* resource = entry.Find("resource");
  const JsonTree* task = resource ? Within(*resource, "labels", "task_name") : nullptr;
  if (!task) task = Within(entry, "labels", "task_name");
  return task ? task->text() : "unknown_task";
}

std::string TrialOf(const JsonTree& entry) {
  const JsonTree* trial = Within(entry, "labels", kTrialLabel);
  return trial ? trial->text() : "";
}

std::string TimeText(const std::string& text, bool utc) {
  std::optional<Time> time = ParseTime(text);
  if (!time) return text;
  std::time_t seconds = ToSeconds(*time);
  std::tm broken{};
  if (utc)
    gmtime_r(&seconds, &broken);
  else
    localtime_r(&seconds, &broken);
  char out[40];
  size_t size = std::strftime(out, sizeof out, "%Y-%m-%d %H:%M:%S %z", &broken);
  return std::string(out, size);
}

// The same replica, the same colour, in every run; red is for errors alone.
std::string Painted(const std::string& text, const std::string& task, std::string_view severity) {
  static constexpr int kColours[] = {32, 33, 34, 35, 36, 92, 94, 95, 96};
  size_t sum = 0;
  for (char c : task) sum = sum * 31 + static_cast<unsigned char>(c);
  bool bad = severity == "ERROR" || severity == "CRITICAL" || severity == "ALERT" ||
             severity == "EMERGENCY";
  return fmt::format("\x1b[{}m{}\x1b[0m", bad ? 31 : kColours[sum % std::size(kColours)], text);
}

std::vector<std::string> SplitLines(const std::string& text) {
  std::vector<std::string> lines;
  std::string_view rest = text;
  while (!rest.empty()) {
    size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

}  // namespace

std::string MessageOf(const JsonTree& entry) {
  const JsonTree* payload = entry.Find("jsonPayload");
  if (!payload) return entry.TextOf("textPayload");
  JsonTree rest = *payload;
  std::string message = rest.TextOf("message");
  rest.Remove("message");
  rest.Remove("levelname");  // the severity once more
  if (rest.members().empty()) return message;
  return message.empty() ? rest.Compact() : message + " " + rest.Compact();
}

std::optional<Preparation> PreparationOf(const JsonTree& entry) {
  const JsonTree* label = Within(entry, "labels", kWaitsSinceLabel);
  std::optional<Time> since = label ? ParseTime(label->text()) : std::nullopt;
  if (!since) return std::nullopt;
  // The message ends with ": 15 s so far.", which a changing line counts by itself.
  std::string message = MessageOf(entry);
  return Preparation{message.substr(0, message.rfind(": ")), *since};
}

std::string PreparationText(const Preparation& preparation, Time now, size_t columns) {
  auto seconds = std::max<int64_t>(
      0, std::chrono::duration_cast<std::chrono::seconds>(now - preparation.since).count());
  std::string passed = seconds < 60 ? fmt::format(": {} s", seconds)
                                    : fmt::format(": {}:{:02} min", seconds / 60, seconds % 60);
  size_t room = columns > passed.size() ? columns - passed.size() : 0;
  std::string what = preparation.what;
  if (what.size() > room) what = room > 3 ? what.substr(0, room - 3) + "..." : "";
  return what + passed;
}

std::vector<std::string> LinesOf(const JsonTree& entry, const LineStyle& style) {
  std::string severity = entry.TextOf("severity");
  if (severity.empty()) severity = "DEFAULT";
  std::string task = TaskOf(entry);
  std::string head =
      fmt::format("{}\t{}\t{}\t{}\t", severity, TimeText(entry.TextOf("timestamp"), style.utc),
                  task, TrialOf(entry));
  if (style.colours) head = Painted(head, task, severity);
  std::vector<std::string> lines;
  std::string message = MessageOf(entry);
  if (style.multiline) return {head + message};
  for (const std::string& line : SplitLines(message)) lines.push_back(head + line);
  return lines;
}

std::string JobFilter(const std::string& job, const std::string& task) {
  std::string filter = fmt::format(
      "(resource.type=\"ml_job\" OR resource.type=\"cloudml_job\") AND "
      "resource.labels.job_id=\"{}\"",
      job);
  if (!task.empty())
    filter +=
        fmt::format(" AND (resource.labels.task_name=\"{0}\" OR labels.task_name=\"{0}\")", task);
  return filter;
}

}  // namespace fireweed::cli
