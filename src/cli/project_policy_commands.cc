// Who may do what in a project: get-iam-policy, add- and remove-iam-policy-binding, in gcloud's words.
#include <fmt/format.h>

#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/format/resource_output.h"
#include "cli/grammar.h"
#include "cli/storage/policy_edit.h"
#include "client/rest_client.h"

namespace fireweed::cli {
namespace {

constexpr std::string_view kHost = "cloudresourcemanager.googleapis.com";
// Others may change the policy between our reading and writing it.
constexpr int kMostAttempts = 5;

struct PolicyCommand {
  std::string project, member, role, condition;
  bool quiet = false;
  OutputOptions output;
};

class ProjectPolicy {
 public:
  ProjectPolicy(const Settings& settings, const std::string& project)
      : client_(settings.Daemon(), ReadOwner(settings.State())),
        path_("/v1/projects/" + PercentEncode(project)) {}

  JsonTree Get() {
    return JsonTree::Parse(client_.Send("POST", path_ + ":getIamPolicy", "{}", kHost));
  }
  JsonTree Set(const JsonTree& policy) {
    JsonTree body = JsonTree::Object();
    body["policy"] = policy;
    return JsonTree::Parse(client_.Send("POST", path_ + ":setIamPolicy", body.Compact(), kHost));
  }

 private:
  RestClient client_;
  const std::string path_;
};

void Show(const PolicyCommand& command, const JsonTree& policy, const Settings& settings) {
  fmt::print("{}", command.output.Text({policy}, "yaml", Shape::kOne, settings.json));
}

void Edit(const PolicyCommand& command, const Settings& settings, const PolicyEdit& edit) {
  if (!command.condition.empty() && command.condition != "None") {
    throw Failure(Code::kInvalid,
                  "Conditions on a project's bindings are not known here: say --condition=None.");
  }
  ProjectPolicy project(settings, command.project);
  for (int attempt = 1;; ++attempt) {
    JsonTree policy = project.Get();
    edit.Apply(policy);
    try {
      JsonTree made = project.Set(policy);
      if (!settings.json)
        fmt::print(stderr, "Updated IAM policy for project [{}].\n", command.project);
      return Show(command, made, settings);
    } catch (const Failure& failure) {
      Code code = failure.error().code;
      bool overtaken = code == Code::kPrecondition || code == Code::kExists;
      if (!overtaken || attempt == kMostAttempts) throw;
    }
  }
}

}  // namespace

void AddProjectPolicyCommands(Command& projects, Settings& settings) {
  auto get = std::make_shared<PolicyCommand>();
  Command* command = projects.AddCommand("get-iam-policy", "Show the IAM policy of a project");
  command->AddOption("id", get->project, "Project")->Required();
  get->output.AddTo(*command, Shape::kOne);
  command->OnRun(
      [get, &settings] { Show(*get, ProjectPolicy(settings, get->project).Get(), settings); });
  for (bool add : {true, false}) {
    auto edit = std::make_shared<PolicyCommand>();
    command = projects.AddCommand(add ? "add-iam-policy-binding" : "remove-iam-policy-binding",
                                  add ? "Grant a role to a member" : "Revoke a role from a member");
    command->AddOption("id", edit->project, "Project")->Required();
    command->AddOption("--member", edit->member, "user:A@B, serviceAccount:...")->Required();
    command->AddOption("--role", edit->role, "roles/logging.logWriter, ...")->Required();
    command->AddOption("--condition", edit->condition, "None");
    command->AddFlag("-q,--quiet", edit->quiet, "Print no more than the policy");
    edit->output.AddTo(*command, Shape::kOne);
    command->OnRun([edit, add, &settings] {
      Edit(*edit, settings, {add, edit->role, edit->member});
    });
  }
}

}  // namespace fireweed::cli
