#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "api/admin/identity.h"
#include "api/crm/project.h"
#include "api/iam/key.h"
#include "api/iam/service_account.h"
#include "base/bytes.h"
#include "base/unique_fd.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "client/rest_client.h"

namespace fireweed::cli {
namespace {

namespace crm = api::crm;
namespace iam = api::iam;
namespace fw = api::admin;

// A client signed in as the local owner, and the project a command means when none was named.
struct Session {
  Endpoint endpoint;
  RestClient client;
  explicit Session(const Settings& settings)
      : endpoint(settings.Daemon()), client(endpoint, ReadOwner(settings.State())) {}
  std::string Project(const std::string& named) const {
    return named.empty() ? endpoint.default_project : named;
  }
};

template <class T>
void PrintJson(const T& value) {
  fmt::print("{}\n", EncodeJson(value, Audience::kWire));
}

void ListProjects(const Settings& settings) {
  Session session(settings);
  crm::ProjectList list = session.client.Call(crm::kListProjects, crm::ListProjects{});
  if (settings.json) return PrintJson(list);
  Table table({"PROJECT_ID", "NAME", "PROJECT_NUMBER", "STATE"});
  for (const crm::Project& project : list.projects) {
    table.Add({project.projectId, project.name, std::to_string(project.projectNumber),
               std::string(EnumName(project.lifecycleState))});
  }
  fmt::print("{}", table.Text());
}

void AddProjects(CLI::App& app, Settings& settings) {
  CLI::App* group = app.add_subcommand("projects", "Projects");
  group->require_subcommand(1);
  group->add_subcommand("list", "List projects")->callback([&settings] { ListProjects(settings); });
  auto id = std::make_shared<std::string>();
  auto name = std::make_shared<std::string>();
  CLI::App* create = group->add_subcommand("create", "Make a project");
  create->add_option("id", *id, "6 to 30 lower-case letters, digits and dashes")->required();
  create->add_option("--name", *name, "A name for people");
  create->callback([id, name, &settings] {
    Session session(settings);
    crm::CreateProject request;
    request.project.projectId = *id;
    request.project.name = name->empty() ? *id : *name;
    session.client.Call(crm::kCreateProject, request);
    crm::Project made = session.client.Call(crm::kGetProject, crm::GetProject{*id});
    if (settings.json)
      PrintJson(made);
    else
      fmt::print("made project {} (number {})\n", made.projectId, made.projectNumber);
  });
  CLI::App* describe = group->add_subcommand("describe", "Show a project");
  describe->add_option("id", *id)->required();
  describe->callback([id, &settings] {
    PrintJson(Session(settings).client.Call(crm::kGetProject, crm::GetProject{*id}));
  });
  CLI::App* remove = group->add_subcommand("delete", "Delete a project");
  remove->add_option("id", *id)->required();
  remove->callback([id, &settings] {
    Session(settings).client.Call(crm::kDeleteProject, crm::GetProject{*id});
    if (!settings.json) fmt::print("deleted project {}\n", *id);
  });
  AddProjectPolicyCommands(*group, settings);
}

void ListTokens(const Settings& settings) {
  Session session(settings);
  fw::TokenList list = session.client.Call(fw::kListTokens, fw::ListTokens{});
  if (settings.json) return PrintJson(list);
  Table table({"ID", "KIND", "PRINCIPAL", "EXPIRES", "LABEL"});
  for (const fw::Token& token : list.tokens) {
    table.Add({token.id, token.kind, token.principal,
               token.expires == Time{} ? "never" : FormatTime(token.expires, 0), token.label});
  }
  fmt::print("{}", table.Text());
}

void AddTokens(CLI::App& app, Settings& settings) {
  CLI::App* group = app.add_subcommand("tokens", "Access and refresh tokens");
  group->require_subcommand(1);
  group->add_subcommand("list", "List tokens; the secrets themselves are not kept")
      ->callback([&settings] { ListTokens(settings); });
  auto body = std::make_shared<fw::CreateTokenBody>();
  CLI::App* create = group->add_subcommand("create", "Make an access token and print it");
  create->add_option("--email", body->email,
                     "A user or service account (default: the local owner)");
  create->add_option("--scope", body->scopes, "Limit it to these scopes");
  create->add_option("--lifetime", body->lifetimeSeconds, "Seconds")->capture_default_str();
  create->add_option("--label", body->label, "Shown in lists");
  create->callback([body, &settings] {
    fw::Token token = Session(settings).client.Call(fw::kCreateToken, fw::CreateToken{*body});
    if (settings.json)
      PrintJson(token);
    else
      fmt::print("{}\n", token.token);
  });
  auto id = std::make_shared<std::string>();
  CLI::App* revoke = group->add_subcommand("revoke", "Make a token useless at once");
  revoke->add_option("id", *id, "As `tokens list` shows it")->required();
  revoke->callback([id, &settings] {
    Session(settings).client.Call(fw::kRevokeToken, fw::NameToken{*id});
    if (!settings.json) fmt::print("revoked\n");
  });
}

void ListAccounts(const std::string& project, const Settings& settings) {
  Session session(settings);
  iam::ListServiceAccounts request;
  request.project = session.Project(project);
  iam::ServiceAccountList list = session.client.Call(iam::kListServiceAccounts, request);
  if (settings.json) return PrintJson(list);
  Table table({"EMAIL", "DISPLAY NAME", "DISABLED"});
  for (const iam::ServiceAccount& account : list.accounts) {
    table.Add(
        {account.email, account.displayName, account.disabled.value_or(false) ? "yes" : "no"});
  }
  fmt::print("{}", table.Text());
}

// The private half is shown once: it goes into a new file that only its owner can read.
void CreateKey(const std::string& email, const std::string& path, const Settings& settings) {
  Session session(settings);
  iam::CreateKey request;
  request.project = "-";
  request.account = email;
  iam::ServiceAccountKey key = session.client.Call(iam::kCreateKey, request);
  UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) throw Failure(ErrnoError(errno, "create " + path));
  const std::string& text = key.privateKeyData.raw;
  if (write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw Failure(ErrnoError(errno, "write " + path));
  }
  if (!settings.json) fmt::print("wrote a key of {} to {}\n", email, path);
}

void AddServiceAccounts(CLI::App& app, Settings& settings) {
  CLI::App* group = app.add_subcommand("service-accounts", "Service accounts and their keys");
  group->require_subcommand(1);
  auto project = std::make_shared<std::string>();
  auto name = std::make_shared<std::string>();
  auto display = std::make_shared<std::string>();
  auto path = std::make_shared<std::string>();
  group->add_option("--project", *project, "Project (default: the daemon's)");
  group->add_subcommand("list", "List service accounts")->callback([project, &settings] {
    ListAccounts(*project, settings);
  });
  CLI::App* create = group->add_subcommand("create", "Make a service account");
  create->add_option("name", *name, "What stands before the @")->required();
  create->add_option("--display-name", *display, "A name for people");
  create->callback([=, &settings] {
    Session session(settings);
    iam::CreateServiceAccount request;
    request.project = session.Project(*project);
    request.body.accountId = *name;
    request.body.serviceAccount.displayName = *display;
    iam::ServiceAccount made = session.client.Call(iam::kCreateServiceAccount, request);
    if (settings.json)
      PrintJson(made);
    else
      fmt::print("made {}\n", made.email);
  });
  CLI::App* remove = group->add_subcommand("delete", "Delete a service account");
  remove->add_option("email", *name)->required();
  remove->callback([name, &settings] {
    Session(settings).client.Call(iam::kDeleteServiceAccount, iam::GetServiceAccount{"-", *name});
    if (!settings.json) fmt::print("deleted {}\n", *name);
  });
  CLI::App* key = group->add_subcommand("create-key", "Write a new JSON key file");
  key->add_option("file", *path, "Must not exist yet")->required();
  key->add_option("--iam-account", *name, "E-mail of the account")->required();
  key->callback([=, &settings] { CreateKey(*name, *path, settings); });
}

}  // namespace

void AddIdentityCommands(CLI::App& app, Settings& settings) {
  AddProjects(app, settings);
  AddTokens(app, settings);
  AddServiceAccounts(app, settings);
}

}  // namespace fireweed::cli
