// Source repositories: made, listed, and cloned by git itself.
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/format/resource_output.h"
#include "cli/grammar.h"
#include "client/rest_client.h"

namespace fireweed::cli {
namespace {

constexpr std::string_view kHost = "sourcerepo.googleapis.com";
constexpr std::string_view kTable =
    "table(name.scope(repos):label=REPO_NAME,name.segment(1):label=PROJECT_ID,url)";

struct SourceCommand {
  std::string project, name, directory;
  bool quiet = false;
  OutputOptions output;
};

class SourceSession {
 public:
  SourceSession(const SourceCommand& command, const Settings& settings)
      : SourceSession(command, settings, settings.Daemon()) {}

  // "projects/P/repos/R"
  std::string Name() const { return fmt::format("projects/{}/repos/{}", project_, command_.name); }
  JsonTree Get() { return Send("GET", Name()); }
  JsonTree Create() {
    JsonTree body;
    body["name"] = JsonTree::Text(Name());
    return Send("POST", fmt::format("projects/{}/repos", project_), body.Compact());
  }
  void Delete() { Send("DELETE", Name()); }
  std::vector<JsonTree> List() {
    std::vector<JsonTree> all;
    std::string page;
    do {
      JsonTree answer = Send("GET", fmt::format("projects/{}/repos?pageToken={}", project_, page));
      if (const JsonTree* repos = answer.Find("repos")) {
        all.insert(all.end(), repos->items().begin(), repos->items().end());
      }
      page = answer.TextOf("nextPageToken");
    } while (!page.empty());
    return all;
  }

 private:
  SourceSession(const SourceCommand& command, const Settings& settings, const Endpoint& endpoint)
      : command_(command),
        project_(command.project.empty() ? endpoint.default_project : command.project),
        client_(endpoint, ReadOwner(settings.State())) {}
  JsonTree Send(std::string_view verb, const std::string& path, const std::string& body = {}) {
    return JsonTree::Parse(client_.Send(verb, "/v1/" + path, body, kHost));
  }

  const SourceCommand& command_;
  const std::string project_;
  RestClient client_;
};

// git in this program's place: its output and exit status are the command's. Credentials are the shell's matter
// (`fireweed env`), as for every other git command in a clone.
[[noreturn]] void BecomeGitClone(const std::string& url, const std::string& directory) {
  std::fflush(stdout);
  execlp("git", "git", "clone", "--", url.c_str(), directory.c_str(), nullptr);
  throw Failure(ErrnoError(errno, "run git"));
}

using Action = void (*)(SourceSession&, const SourceCommand&, const Settings&);

void Print(const SourceCommand& command, std::vector<JsonTree> repos, Shape shape,
           const Settings& settings) {
  fmt::print("{}", command.output.Text(std::move(repos),
                                       shape == Shape::kList ? std::string(kTable) : "yaml", shape,
                                       settings.json));
}

void AddOne(Command& group, const char* name, const char* about, Shape shape, Settings& settings,
            Action action) {
  auto command = std::make_shared<SourceCommand>();
  Command* sub = group.AddCommand(name, about);
  sub->AddOption("--project", command->project,
                 "Project (default: the shell's, else the daemon's)");
  sub->AddFlag("-q,--quiet", command->quiet, "Accepted for compatibility; commands never prompt");
  command->output.AddTo(*sub, shape);
  if (shape == Shape::kOne) sub->AddOption("name", command->name, "Repository")->Required();
  if (std::string_view(name) == "clone") {
    sub->AddOption("directory", command->directory, "Directory (default: the repository's name)");
  }
  sub->OnRun([command, action, &settings] {
    SourceSession session(*command, settings);
    action(session, *command, settings);
  });
}

}  // namespace

void AddSourceCommands(Command& app, Settings& settings) {
  Command* root = app.AddCommand("source", "Manage git repositories");
  root->NeedsCommand();
  Command& group = *root->AddCommand("repos", "Repositories that git reaches by https");
  group.NeedsCommand();
  AddOne(group, "create", "Create a repository", Shape::kOne, settings,
         [](SourceSession& session, const SourceCommand& command, const Settings&) {
           session.Create();
           fmt::print(stderr, "Created [{}].\n", command.name);
         });
  AddOne(group, "list", "List repositories", Shape::kList, settings,
         [](SourceSession& session, const SourceCommand& command, const Settings& all) {
           Print(command, session.List(), Shape::kList, all);
         });
  AddOne(group, "describe", "Show a repository", Shape::kOne, settings,
         [](SourceSession& session, const SourceCommand& command, const Settings& all) {
           Print(command, {session.Get()}, Shape::kOne, all);
         });
  AddOne(group, "clone", "Clone a repository with git", Shape::kOne, settings,
         [](SourceSession& session, const SourceCommand& command, const Settings&) {
           BecomeGitClone(session.Get().TextOf("url"),
                          command.directory.empty() ? command.name : command.directory);
         });
  AddOne(group, "delete", "Delete a repository and its contents", Shape::kOne, settings,
         [](SourceSession& session, const SourceCommand& command, const Settings&) {
           session.Delete();
           fmt::print(stderr, "Deleted [{}].\n", command.name);
         });
}

}  // namespace fireweed::cli
