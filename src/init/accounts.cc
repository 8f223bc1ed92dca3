#include "init/accounts.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>

#include "init/console.h"
#include "init/metadata.h"
#include "init/program.h"

namespace fireweed {
namespace {

constexpr const char* kProgram = "google_guest_agent";
constexpr const char* kKnown = "/var/lib/google/google_users";  // accounts that came from metadata
constexpr const char* kLock = "/run/fireweed/accounts.lock";
constexpr const char* kSudoers = "/etc/sudoers.d/google_sudoers";
constexpr const char* kSudoGroup = "google-sudoers";
const std::vector<std::string> kUsualGroups{"adm", "dip", "docker", "lxd", "plugdev", "video"};

std::vector<std::string> Words(std::string_view text, char between) {
  std::vector<std::string> words;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(between));
    if (!word.empty()) words.emplace_back(word);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return words;
}

// The fields of the line of a colon-separated file whose first field is `name`, empty ones included.
std::vector<std::string_view> LineOf(std::string_view file, std::string_view name) {
  while (!file.empty()) {
    std::string_view line = file.substr(0, file.find('\n'));
    file.remove_prefix(std::min(line.size() + 1, file.size()));
    if (!line.starts_with(name) || line.substr(name.size(), 1) != ":") continue;
    std::vector<std::string_view> fields;
    while (true) {
      size_t colon = line.find(':');
      fields.push_back(line.substr(0, colon));
      if (colon == line.npos) return fields;
      line.remove_prefix(colon + 1);
    }
  }
  return {};
}

std::optional<std::string> Value(const HttpServer& server, const std::string& path, bool& reached) {
  std::optional<HttpReply> reply = HttpGet(server, "/computeMetadata/v1/" + path);
  reached = reached && reply && reply->status < 500;
  if (!reply || reply->status != 200) return std::nullopt;
  return std::move(reply->body);
}

void Say(const std::string& text) { SayOnConsole(kProgram, text); }

void PrepareSudo() {
  if (GroupsThere(ReadSmallFile("/etc/group").value_or(""), {kSudoGroup}).empty()) {
    RunHere({"groupadd", "-f", kSudoGroup});
  }
  if (access(kSudoers, F_OK) == 0 || access("/etc/sudoers.d", X_OK) != 0) return;
  ReplaceFile(kSudoers, "%google-sudoers ALL=(ALL:ALL) NOPASSWD:ALL\n", 0440);
}

std::optional<PasswdEntry> Find(const std::string& name) {
  return FindPasswd(ReadSmallFile("/etc/passwd").value_or(""), name);
}

// The account, made and put into its groups where it is new to this list.
std::optional<PasswdEntry> Ensure(const std::string& name, bool known) {
  std::optional<PasswdEntry> entry = Find(name);
  if (entry && (known || entry->uid == 0)) return entry;
  if (!entry) {
    Say("Creating user " + name + ".");
    // "*" is a password that nothing matches, but no lock: sshd turns locked accounts away.
    if (RunHere({"useradd", "-m", "-s", "/bin/bash", "-p", "*", name}) != 0) return std::nullopt;
    entry = Find(name);
  }
  std::string groups = kSudoGroup;
  for (const std::string& group :
       GroupsThere(ReadSmallFile("/etc/group").value_or(""), kUsualGroups)) {
    groups += "," + group;
  }
  if (RunHere({"usermod", "-aG", groups, name}) != 0)
    Say("Could not add " + name + " to " + groups);
  return entry;
}

bool WriteKeys(const PasswdEntry& entry, const std::vector<std::string>& keys) {
  if (entry.home.empty()) return false;
  std::string directory = entry.home + "/.ssh", file = directory + "/authorized_keys";
  std::string before = ReadSmallFile(file).value_or(""), after = AuthorizedKeysWith(before, keys);
  if (before == after) return true;
  if (mkdir(directory.c_str(), 0700) == 0 && lchown(directory.c_str(), entry.uid, entry.gid) != 0) {
    return false;
  }
  struct stat info {};
  // A link out of the home directory is not followed by root.
  if (lstat(directory.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return false;
  return ReplaceFile(file, after, 0600, entry.uid, entry.gid);
}

void Dismiss(const std::string& name) {
  std::optional<PasswdEntry> entry = Find(name);
  if (!entry) return;
  Say("Removing keys of user " + name + ".");
  WriteKeys(*entry, {});
  if (entry->uid != 0) RunHere({"gpasswd", "-d", name, kSudoGroup});
}

}  // namespace

std::optional<PasswdEntry> FindPasswd(std::string_view passwd, std::string_view name) {
  std::vector<std::string_view> fields = LineOf(passwd, name);
  if (fields.size() < 7) return std::nullopt;
  PasswdEntry entry{.home = std::string(fields[5])};
  auto number = [](std::string_view text, uint32_t& out) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size() && !text.empty();
  };
  if (!number(fields[2], entry.uid) || !number(fields[3], entry.gid)) return std::nullopt;
  return entry;
}

std::vector<std::string> GroupsThere(std::string_view group,
                                     const std::vector<std::string>& wanted) {
  std::vector<std::string> there;
  for (const std::string& name : wanted) {
    if (!LineOf(group, name).empty()) there.push_back(name);
  }
  return there;
}

std::optional<KeyMetadata> ReadKeyMetadata(const HttpServer& server) {
  bool reached = true;
  KeyMetadata metadata;
  struct Level {
    const char* name;
    std::optional<std::string>&keys, &legacy;
  };
  for (Level level : {Level{"instance", metadata.instance_keys, metadata.instance_legacy},
                      Level{"project", metadata.project_keys, metadata.project_legacy}}) {
    std::string base = std::string(level.name) + "/attributes/";
    std::string names = Value(server, base, reached).value_or("");
    if (Lists(names, "ssh-keys")) level.keys = Value(server, base + "ssh-keys", reached);
    if (Lists(names, "sshKeys")) level.legacy = Value(server, base + "sshKeys", reached);
    constexpr const char* kBlock = "block-project-ssh-keys";
    bool instance = &level.keys == &metadata.instance_keys;
    if (instance && Lists(names, kBlock)) {
      metadata.block_project = Value(server, base + kBlock, reached);
    }
  }
  return reached ? std::optional(std::move(metadata)) : std::nullopt;
}

void UpdateAccounts(const KeyMetadata& metadata) {
  int lock = open(kLock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock >= 0) flock(lock, LOCK_EX);
  // NOHOUSE(clock): nobody inside a machine could hand it a Clock
  auto accounts = AccountsOf(metadata, time(nullptr));
  std::string known_text = ReadSmallFile(kKnown).value_or("");
  std::vector<std::string> known = Words(known_text, '\n');
  if (!accounts.empty()) PrepareSudo();
  std::string now_known;
  for (const auto& [name, keys] : accounts) {
    bool old = std::ranges::find(known, name) != known.end();
    std::optional<PasswdEntry> entry = Ensure(name, old);
    if (!entry || !WriteKeys(*entry, keys)) {
      Say("Could not set up user " + name + ".");
      continue;
    }
    now_known += name + "\n";
  }
  for (const std::string& name : known) {
    if (!accounts.contains(name)) Dismiss(name);
  }
  if (now_known != known_text) {
    mkdir("/var/lib/google", 0755);
    ReplaceFile(kKnown, now_known, 0644);
  }
  if (lock >= 0) close(lock);
}

}  // namespace fireweed
