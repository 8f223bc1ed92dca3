#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "api/admin/identity.h"
#include "api/crm/project.h"
#include "api/iam/key.h"
#include "api/iam/service_account.h"
#include "base/bytes.h"
#include "base/unique_fd.h"
#include "cli/commands.h"
#include "cli/grammar.h"
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

void AddProjects(Command& app, Settings& settings) {
  Command* group = app.AddCommand("projects", "Projects");
  group->NeedsCommand();
  group->AddCommand("list", "List projects")->OnRun([&settings] { ListProjects(settings); });
  auto id = std::make_shared<std::string>();
  auto name = std::make_shared<std::string>();
  Command* create = group->AddCommand("create", "Create a project");
  create->AddOption("id", *id, "6 to 30 lower-case letters, digits and dashes")->Required();
  create->AddOption("--name", *name, "Display name");
  create->OnRun([id, name, &settings] {
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
  Command* describe = group->AddCommand("describe", "Show a project");
  describe->AddOption("id", *id)->Required();
  describe->OnRun([id, &settings] {
    PrintJson(Session(settings).client.Call(crm::kGetProject, crm::GetProject{*id}));
  });
  Command* remove = group->AddCommand("delete", "Delete a project");
  remove->AddOption("id", *id)->Required();
  remove->OnRun([id, &settings] {
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

void AddTokens(Command& app, Settings& settings) {
  Command* group = app.AddCommand("tokens", "Access and refresh tokens");
  group->NeedsCommand();
  group->AddCommand("list", "List tokens; the secrets themselves are not kept")->OnRun([&settings] {
    ListTokens(settings);
  });
  auto body = std::make_shared<fw::CreateTokenBody>();
  Command* create = group->AddCommand("create", "Create an access token and print it");
  create->AddOption("--email", body->email, "A user or service account (default: the local owner)");
  create->AddOption("--scope", body->scopes, "Scopes of the token");
  create->AddOption("--lifetime", body->lifetimeSeconds, "Lifetime in seconds")->ShowDefault();
  create->AddOption("--label", body->label, "Label for lists");
  create->OnRun([body, &settings] {
    fw::Token token = Session(settings).client.Call(fw::kCreateToken, fw::CreateToken{*body});
    if (settings.json)
      PrintJson(token);
    else
      fmt::print("{}\n", token.token);
  });
  auto id = std::make_shared<std::string>();
  Command* revoke = group->AddCommand("revoke", "Revoke a token");
  revoke->AddOption("id", *id, "Token ID, from `tokens list`")->Required();
  revoke->OnRun([id, &settings] {
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

// Best effort: whoever asks has a failure to tell already.
void RevokeKey(Session& session, const std::string& email, const std::string& name) {
  try {
    session.client.Call(iam::kDeleteKey,
                        iam::GetKey{"-", email, name.substr(name.rfind('/') + 1), ""});
  } catch (const Failure& failure) {
    fmt::print(stderr, "fireweed: {} is still valid: {}\n", name, failure.error().message);
  }
}

// The private half is shown once: it goes into a new file that only its owner can read.
void CreateKey(const std::string& email, const std::string& path, const Settings& settings) {
  Session session(settings);
  iam::CreateKey request;
  request.project = "-";
  request.account = email;
  // The file first: a key that nobody can keep must not be made.
  UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) throw Failure(ErrnoError(errno, "create " + path));
  iam::ServiceAccountKey key;
  try {
    key = session.client.Call(iam::kCreateKey, request);
    const std::string& text = key.privateKeyData.raw;
    ssize_t written = write(file.get(), text.data(), text.size());
    if (written != static_cast<ssize_t>(text.size()) || fsync(file.get()) != 0) {
      throw Failure(ErrnoError(written < 0 ? errno : ENOSPC, "write " + path));
    }
  } catch (const Failure&) {
    unlink(path.c_str());
    if (!key.name.empty()) RevokeKey(session, email, key.name);
    throw;
  }
  if (!settings.json) fmt::print("wrote a key of {} to {}\n", email, path);
}

void AddServiceAccounts(Command& app, Settings& settings) {
  Command* group = app.AddCommand("service-accounts", "Service accounts and their keys");
  group->NeedsCommand();
  auto project = std::make_shared<std::string>();
  auto name = std::make_shared<std::string>();
  auto display = std::make_shared<std::string>();
  auto path = std::make_shared<std::string>();
  group->AddOption("--project", *project, "Project (default: the daemon's)");
  group->AddCommand("list", "List service accounts")->OnRun([project, &settings] {
    ListAccounts(*project, settings);
  });
  Command* create = group->AddCommand("create", "Create a service account");
  create->AddOption("name", *name, "Account name, the part before the @")->Required();
  create->AddOption("--display-name", *display, "Display name");
  create->OnRun([=, &settings] {
    Session session(settings);
    iam::CreateServiceAccount request;
    request.project = session.Project(*project);
    request.body.accountId = *name;
    request.body.serviceAccount.displayName = *display;
    iam::ServiceAccount made = session.client.Call(iam::kCreateServiceAccount, request);
    if (settings.json)
      PrintJson(made);
    else
      fmt::print("created {}\n", made.email);
  });
  Command* remove = group->AddCommand("delete", "Delete a service account");
  remove->AddOption("email", *name)->Required();
  remove->OnRun([name, &settings] {
    Session(settings).client.Call(iam::kDeleteServiceAccount, iam::GetServiceAccount{"-", *name});
    if (!settings.json) fmt::print("deleted {}\n", *name);
  });
  Command* key = group->AddCommand("create-key", "Write a new JSON key file");
  key->AddOption("file", *path, "File to write; must not exist")->Required();
  key->AddOption("--iam-account", *name, "E-mail of the account")->Required();
  key->OnRun([=, &settings] { CreateKey(*name, *path, settings); });
}

}  // namespace

void AddIdentityCommands(Command& app, Settings& settings) {
  AddProjects(app, settings);
  AddTokens(app, settings);
  AddServiceAccounts(app, settings);
}

}  // namespace fireweed::cli
