#include "cli/compute/compute_session.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "cli/grammar.h"

namespace fireweed::cli {
namespace {

constexpr std::string_view kHost = "compute.googleapis.com";
constexpr std::string_view kLinks = "https://www.googleapis.com/compute/v1/projects/";

// What follows "projects/" in an address; empty when it is none.
std::string_view AfterProjects(std::string_view text) {
  size_t at = text.find("projects/");
  return at == std::string_view::npos ? std::string_view() : text.substr(at + 9);
}

void SayWarnings(const JsonTree& operation) {
  const JsonTree* warnings = operation.Find("warnings");
  if (!warnings) return;
  for (const JsonTree& warning : warnings->items())
    fmt::print(stderr, "warning: {}\n", warning.TextOf("message"));
}

void ThrowError(const JsonTree& operation) {
  const JsonTree* error = operation.Find("error");
  const JsonTree* list = error ? error->Find("errors") : nullptr;
  if (!list || list->items().empty()) return;
  std::string text;
  for (const JsonTree& item : list->items())
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", item.TextOf("code"),
                        item.TextOf("message"));
  throw Failure(Code::kInternal, text);
}

}  // namespace

std::string RegionOf(std::string_view zone) { return std::string(zone.substr(0, zone.rfind('-'))); }
std::string LastWord(std::string_view url) { return std::string(url.substr(url.rfind('/') + 1)); }

void PlaceOptions::AddTo(Command& command, Scope scope) {
  command.AddOption("--project", project, "Project (default: the shell's, else the daemon's)");
  if (scope == Scope::kZone)
    command.AddOption("--zone", zone, "Zone (default: the shell's, else the daemon's)");
  if (scope == Scope::kRegion)
    command.AddOption("--region", region, "Region (default: that of the daemon's zone)");
  command.AddFlag("-q,--quiet", quiet, "Print results only; commands never prompt");
}

ComputeSession::ComputeSession(const PlaceOptions& options, const Settings& settings)
    : ComputeSession(options, settings, settings.Daemon()) {}

ComputeSession::ComputeSession(const PlaceOptions& options, const Settings& settings,
                               const Endpoint& endpoint)
    : settings_(settings),
      project_(options.project.empty() ? endpoint.default_project : options.project),
      zone_(options.zone.empty() ? endpoint.zone : LastWord(options.zone)),
      region_(options.region.empty() ? RegionOf(zone_) : LastWord(options.region)),
      async_(options.async),
      quiet_(options.quiet),
      client_(endpoint, ReadOwner(settings.State())) {}

std::string ComputeSession::Collection(Scope scope, std::string_view collection) const {
  if (scope == Scope::kZone) return fmt::format("zones/{}/{}", zone_, collection);
  if (scope == Scope::kRegion) return fmt::format("regions/{}/{}", region_, collection);
  // Zones and regions are collections of the project itself.
  if (collection == "zones" || collection == "regions") return std::string(collection);
  return fmt::format("global/{}", collection);
}

ResourceName ComputeSession::Resource(Scope scope, std::string_view collection,
                                      std::string_view text) const {
  ResourceName resource{project_, "", LastWord(text), scope};
  std::string_view rest = AfterProjects(text);
  if (!rest.empty()) {
    resource.project = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), resource.project.size() + 1));
  } else if (text.starts_with("zones/") || text.starts_with("regions/") ||
             text.starts_with("global/")) {
    rest = text;
  }
  resource.path = rest.empty() ? fmt::format("{}/{}", Collection(scope, collection),
                                             PercentEncode(resource.name))
                               : std::string(rest);
  return resource;
}

std::string ComputeSession::Link(Scope scope, std::string_view collection,
                                 std::string_view text) const {
  if (text.find("://") != std::string_view::npos) return std::string(text);
  ResourceName resource = Resource(scope, collection, text);
  return fmt::format("{}{}/{}", kLinks, resource.project, resource.path);
}

std::string ComputeSession::GlobalLink(const std::string& project, std::string_view rest) const {
  return fmt::format("{}{}/global/{}", kLinks, project.empty() ? project_ : project, rest);
}

JsonTree ComputeSession::Call(std::string_view verb, const std::string& path, const JsonTree& body,
                              const std::string& project) {
  std::string target = fmt::format("/compute/v1/projects/{}{}{}",
                                   PercentEncode(project.empty() ? project_ : project),
                                   path.empty() ? "" : "/", path);
  std::string text = body.IsNull() ? "" : body.Compact();
  std::string reply = client_.Send(verb, target, text, kHost);
  return reply.empty() ? JsonTree::Object() : JsonTree::Parse(reply);
}

std::vector<JsonTree> ComputeSession::List(const std::string& path, std::string_view items,
                                           std::string_view verb) {
  std::vector<JsonTree> all;
  std::string page;
  do {
    std::string token = page.empty() ? ""
                                     : fmt::format("{}pageToken={}",
                                                   path.find('?') == std::string::npos ? "?" : "&",
                                                   PercentEncode(page));
    JsonTree reply = Call(verb, path + token);
    if (const JsonTree* found = reply.Find(items))
      all.insert(all.end(), found->items().begin(), found->items().end());
    page = reply.TextOf("nextPageToken");
  } while (!page.empty());
  return all;
}

std::vector<JsonTree> ComputeSession::ListAll(const std::string& collection,
                                              const std::string& filter) {
  std::vector<JsonTree> all;
  std::string page;
  do {
    std::string query = filter.empty() ? "" : "&filter=" + PercentEncode(filter);
    if (!page.empty()) query += "&pageToken=" + PercentEncode(page);
    if (!query.empty()) query.front() = '?';
    JsonTree reply = Call("GET", fmt::format("aggregated/{}{}", collection, query));
    if (const JsonTree* scopes = reply.Find("items")) {
      for (const auto& [name, scope] : scopes->members()) {
        const JsonTree* list = scope.Find(collection);
        if (list) all.insert(all.end(), list->items().begin(), list->items().end());
      }
    }
    page = reply.TextOf("nextPageToken");
  } while (!page.empty());
  return all;
}

void ComputeSession::Wait(JsonTree operation) {
  std::string link = operation.TextOf("selfLink");
  std::string_view rest = AfterProjects(link);
  std::string project(rest.substr(0, rest.find('/')));
  std::string path(rest.substr(std::min(rest.size(), project.size() + 1)));
  // Each call is answered when it is done, or after two minutes at the latest.
  while (operation.TextOf("status") != "DONE")
    operation = Call("POST", path + "/wait", {}, project);
  SayWarnings(operation);
  ThrowError(operation);
}

void ComputeSession::Say(const std::string& text) const {
  if (!quiet_ && !settings_.json) fmt::print(stderr, "{}\n", text);
}

void ComputeSession::Finish(const JsonTree& operation, std::string_view done) {
  if (async_) {
    Say(fmt::format("Operation [{}] is in progress.", operation.TextOf("selfLink")));
    return;
  }
  Wait(operation);
  Say(fmt::format("{} [{}].", done, operation.TextOf("targetLink")));
}

}  // namespace fireweed::cli
