#include "cli/ml/ml_session.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "cli/grammar.h"

namespace fireweed::cli {
namespace {

constexpr std::string_view kMlHost = "ml.googleapis.com";
constexpr std::string_view kLoggingHost = "logging.googleapis.com";

}  // namespace

void MlOptions::AddTo(Command& command) {
  command.AddOption("--project", project, "Project (default: the daemon's)");
  command.AddFlag("-q,--quiet", quiet, "Say nothing but results; nothing is ever asked");
}

MlSession::MlSession(const MlOptions& options, const Settings& settings)
    : MlSession(options, settings, settings.Daemon()) {}

MlSession::MlSession(const MlOptions& options, const Settings& settings, const Endpoint& endpoint)
    : settings_(settings),
      project_(options.project.empty() ? endpoint.default_project : options.project),
      quiet_(options.quiet),
      client_(endpoint, ReadOwner(settings.State())) {}

JsonTree MlSession::Call(std::string_view verb, const std::string& path, const JsonTree& body) {
  std::string target = fmt::format("/v1/projects/{}/{}", PercentEncode(project_), path);
  std::string reply = client_.Send(verb, target, body.IsNull() ? "" : body.Compact(), kMlHost);
  return reply.empty() ? JsonTree::Object() : JsonTree::Parse(reply);
}

std::vector<JsonTree> MlSession::List(const std::string& path, std::string_view items) {
  std::vector<JsonTree> all;
  std::string page;
  do {
    JsonTree reply = Call(
        "GET", page.empty() ? path : fmt::format("{}?pageToken={}", path, PercentEncode(page)));
    if (const JsonTree* found = reply.Find(items))
      all.insert(all.end(), found->items().begin(), found->items().end());
    page = reply.TextOf("nextPageToken");
  } while (!page.empty());
  return all;
}

JsonTree MlSession::Entries(const EntryQuery& query) {
  JsonTree body = JsonTree::Object();
  body["resourceNames"].Append(JsonTree::Text("projects/" + project_));
  body["orderBy"] = JsonTree::Text(query.order);
  body["pageSize"] = JsonTree::Number(query.size);
  if (!query.filter.empty()) body["filter"] = JsonTree::Text(query.filter);
  if (!query.page.empty()) body["pageToken"] = JsonTree::Text(query.page);
  std::string target = "/v2/entries:list";
  if (query.wait > 0) target += fmt::format("?wait={}", query.wait);
  return JsonTree::Parse(client_.Send("POST", target, body.Compact(), kLoggingHost));
}

JsonTree MlSession::Job(const std::string& id) { return Call("GET", "jobs/" + PercentEncode(id)); }

void MlSession::Say(const std::string& text) const {
  if (!quiet_ && !settings_.json) fmt::print(stderr, "{}\n", text);
}

}  // namespace fireweed::cli
