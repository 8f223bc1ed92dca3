#include "ml/last_lines.h"

#include <algorithm>

#include <fmt/format.h>

#include "describe/json_tree.h"
#include "logs/log_store.h"

namespace fireweed::ml {
namespace {

std::string TextOf(const api::logging::LogEntry& entry) {
  if (!entry.textPayload.empty()) return entry.textPayload;
  if (entry.jsonPayload.text.empty()) return "";
  return JsonTree::Parse(entry.jsonPayload.text).TextOf("message");
}

bool IsServiceLine(const std::string& text) {
  return text.starts_with("Running command: ") || text == "Module completed; cleaning up." ||
         text == "Clean up finished." || text.ends_with("; it starts again.");
}

}  // namespace

std::vector<std::string> LastLines(logs::LogStore& store, const LineSource& source) {
  std::string text = fmt::format(
      R"(resource.type="ml_job" AND resource.labels.job_id="{}" AND resource.labels.task_name="{}")",
      source.job, source.task);
  if (!source.trial.empty()) {
    text += fmt::format(R"( AND labels."ml.googleapis.com/trial_id"="{}")", source.trial);
  }
  logs::EntryFilter filter(text);
  logs::LogPage page = store.Read({.projects = {source.project},
                                   .filter = filter,
                                   .order = logs::TimeOrder::kNewestFirst,
                                   .limit = kLastLines});
  std::vector<std::string> lines;
  size_t bytes = 0;
  for (const api::logging::LogEntry& entry : page.entries) {
    std::string line = TextOf(entry);
    if (line.empty() || IsServiceLine(line)) continue;
    if (bytes + line.size() > kLastBytes) break;
    bytes += line.size();
    lines.push_back(std::move(line));
  }
  std::ranges::reverse(lines);
  return lines;
}

}  // namespace fireweed::ml
