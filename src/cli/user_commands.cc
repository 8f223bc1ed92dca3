// `fireweed users`: the people who may sign in to this daemon.
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "api/admin/identity.h"
#include "base/bytes.h"
#include "base/unique_fd.h"
#include "cli/commands.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "client/rest_client.h"

namespace fireweed::cli {
namespace {

namespace fw = api::admin;

struct NewUser {
  std::string email, name, credential_file;
};

template <class T>
void PrintJson(const T& value) {
  fmt::print("{}\n", EncodeJson(value, Audience::kWire));
}

RestClient OwnerClient(const Settings& settings) {
  return RestClient(settings.Daemon(), ReadOwner(settings.State()));
}

void WriteAll(const UniqueFd& file, const std::string& path, const std::string& text) {
  ssize_t written = write(file.get(), text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size()) || fsync(file.get()) != 0) {
    throw Failure(ErrnoError(written < 0 ? errno : ENOSPC, "write " + path));
  }
}

// The file first: a credential that cannot be stored must not be issued.
void AddWithCredential(RestClient& client, const NewUser& user, fw::User& made) {
  const std::string& path = user.credential_file;
  UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) throw Failure(ErrnoError(errno, "create " + path));
  try {
    made = client.Call(fw::kCreateUser, fw::CreateUser{{.email = user.email, .name = user.name}});
    try {
      fw::UserCredential issued = client.Call(fw::kIssueCredential, fw::NameUser{made.email});
      WriteAll(file, path, issued.credential.text + "\n");
    } catch (const Failure&) {
      client.Call(fw::kDeleteUser, fw::NameUser{made.email});
      throw;
    }
  } catch (const Failure&) {
    unlink(path.c_str());
    throw;
  }
}

void AddUser(const NewUser& user, const Settings& settings) {
  RestClient client = OwnerClient(settings);
  fw::User made;
  if (user.credential_file.empty()) {
    made = client.Call(fw::kCreateUser, fw::CreateUser{{.email = user.email, .name = user.name}});
  } else {
    AddWithCredential(client, user, made);
  }
  if (settings.json) return PrintJson(made);
  fmt::print("Added user {}.\n", made.email);
  if (user.credential_file.empty()) {
    fmt::print("Create a credential with: fireweed credential --email {} > FILE\n", made.email);
  } else {
    fmt::print("Wrote their credential to {}. Hand it over like a password.\n",
               user.credential_file);
  }
  fmt::print(
      "Grant access with: fireweed projects add-iam-policy-binding PROJECT --member user:{} "
      "--role roles/editor\n",
      made.email);
}

void ListUsers(const Settings& settings) {
  fw::UserList list = OwnerClient(settings).Call(fw::kListUsers, api::Empty{});
  if (settings.json) return PrintJson(list);
  Table table({"EMAIL", "NAME", "CREATED", "DISABLED"});
  for (const fw::User& user : list.users) {
    table.Add({user.email, user.name, FormatTime(user.created, 0),
               user.disabled.value_or(false) ? "yes" : "no"});
  }
  fmt::print("{}", table.Text());
}

void RemoveUser(const std::string& email, const Settings& settings) {
  OwnerClient(settings).Call(fw::kDeleteUser, fw::NameUser{email});
  if (settings.json) return PrintJson(api::Empty{});
  fmt::print("Removed user {}: their credentials and roles are revoked.\n", email);
}

}  // namespace

void AddUserCommands(Command& app, Settings& settings) {
  Command* group = app.AddCommand("users", "Manage the people who may sign in");
  group->NeedsCommand();
  auto user = std::make_shared<NewUser>();
  Command* add = group->AddCommand("add", "Add a user");
  add->AddOption("email", user->email, "E-mail address the user signs in with")->Required();
  add->AddOption("--name", user->name, "Display name");
  add->AddOption("--credential", user->credential_file,
                 "New file for the user's credential (default: none is created)");
  add->EndHelpWith(
      "Example:\n"
      "  fireweed users add ann@example.com --credential ann.json\n"
      "  fireweed projects add-iam-policy-binding vision --member user:ann@example.com "
      "--role roles/editor\n");
  add->OnRun([user, &settings] { AddUser(*user, settings); });
  group->AddCommand("list", "List users")->OnRun([&settings] { ListUsers(settings); });
  auto email = std::make_shared<std::string>();
  Command* remove =
      group->AddCommand("remove", "Remove a user and revoke their credentials, tokens and roles");
  remove->AddOption("email", *email, "E-mail address of the user")->Required();
  remove->OnRun([email, &settings] { RemoveUser(*email, settings); });
}

}  // namespace fireweed::cli
