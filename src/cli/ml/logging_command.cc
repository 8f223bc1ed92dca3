// `fireweed logging read`: entries by a filter, newest first.
#include <fmt/format.h>

#include "base/clock.h"
#include "cli/compute/argument_lists.h"
#include "cli/compute/compute_commands.h"
#include "cli/format/resource_output.h"
#include "cli/grammar.h"
#include "cli/ml/ml_commands.h"
#include "cli/ml/ml_session.h"

namespace fireweed::cli {
namespace {

struct ReadCommand {
  MlOptions ml;
  std::string filter, order = "desc", freshness = "1d", format;
  int64_t limit = 0;
};

// As gcloud: a filter that says nothing of the time is about the last day.
std::string FilterOf(const ReadCommand& command, Time now) {
  if (command.filter.find("timestamp") != std::string::npos) return command.filter;
  Time since = now - std::chrono::seconds(ParseDuration(command.freshness, "--freshness"));
  std::string bound = fmt::format("timestamp>=\"{}\"", FormatTime(since, 6));
  return command.filter.empty() ? bound : fmt::format("{} AND ({})", bound, command.filter);
}

void Read(const ReadCommand& command, const Settings& settings) {
  MlSession session(command.ml, settings);
  SystemClock clock;
  EntryQuery query{.filter = FilterOf(command, clock.Now()), .order = "timestamp " + command.order};
  std::vector<JsonTree> found;
  auto left = [&] { return command.limit - static_cast<int64_t>(found.size()); };
  do {
    if (command.limit > 0) query.size = static_cast<int>(std::min<int64_t>(1000, left()));
    JsonTree page = session.Entries(query);
    if (const JsonTree* entries = page.Find("entries"))
      found.insert(found.end(), entries->items().begin(), entries->items().end());
    query.page = page.TextOf("nextPageToken");
  } while (!query.page.empty() && (command.limit == 0 || left() > 0));
  OutputOptions output;
  output.format = command.format;
  fmt::print("{}", output.Text(std::move(found), "yaml", Shape::kList, settings.json));
}

}  // namespace

void AddLoggingCommands(Command& app, Settings& settings) {
  Command& group = GroupOf(app, "logging", "Log entries of jobs, instances and clients");
  auto read = std::make_shared<ReadCommand>();
  Command* command = group.AddCommand("read", "Read entries, newest first");
  command->AddOption("filter", read->filter, "Only these: severity>=ERROR AND textPayload:disk");
  command->AddOption("--limit", read->limit, "At most so many")->Positive();
  command->AddOption("--order", read->order, "desc or asc")->OneOf({"desc", "asc"})->ShowDefault();
  command
      ->AddOption("--freshness", read->freshness,
                  "How far back, where the filter does not say: 30m, 12h, 1d")
      ->ShowDefault();
  command->AddOption("--format", read->format, "json, yaml, value(textPayload), table(...)");
  read->ml.AddTo(*command);
  command->EndHelpWith(
      "Example:\n  fireweed logging read 'severity>=WARNING' --limit=10 "
      "--format='value(timestamp,textPayload)'");
  command->OnRun([read, &settings] { Read(*read, settings); });
}

}  // namespace fireweed::cli
