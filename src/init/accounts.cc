#include "init/accounts.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include <shadow.h>

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
constexpr int64_t kSecondsPerDay = 86400;
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

std::optional<std::string> Value(const HttpServer& server, const std::string& path, bool& reached) {
  std::optional<HttpReply> reply = HttpGet(server, "/computeMetadata/v1/" + path);
  reached = reached && reply && reply->status < 500;
  if (!reply || reply->status != 200) return std::nullopt;
  return std::move(reply->body);
}

void Say(const std::string& text) { SayOnConsole(kProgram, text); }

constexpr const char* kPasswd = "/etc/passwd";
constexpr const char* kShadow = "/etc/shadow";
constexpr const char* kGroup = "/etc/group";
constexpr const char* kGroupShadow = "/etc/gshadow";

AccountFiles ReadAccountFiles() {
  return {ReadSmallFile(kPasswd).value_or(""), ReadSmallFile(kShadow).value_or(""),
          ReadSmallFile(kGroup).value_or(""), ReadSmallFile(kGroupShadow).value_or("")};
}

// Keeps owner and mode. An image without shadow files keeps doing without.
bool WriteIfChanged(const char* path, const std::string& before, const std::string& after) {
  struct stat info {};
  if (before == after || stat(path, &info) != 0) return true;
  return ReplaceFile(path, after, info.st_mode & 07777, info.st_uid, info.st_gid);
}

bool WriteAccountFiles(const AccountFiles& before, const AccountFiles& after) {
  return WriteIfChanged(kGroup, before.group, after.group) &&
         WriteIfChanged(kGroupShadow, before.gshadow, after.gshadow) &&
         WriteIfChanged(kShadow, before.shadow, after.shadow) &&
         WriteIfChanged(kPasswd, before.passwd, after.passwd);
}

void PrepareSudo() {
  if (access(kSudoers, F_OK) == 0 || access("/etc/sudoers.d", X_OK) != 0) return;
  ReplaceFile(kSudoers, "%google-sudoers ALL=(ALL:ALL) NOPASSWD:ALL\n", 0440);
}

std::optional<PasswdEntry> Find(const std::string& name) {
  return FindPasswd(ReadSmallFile(kPasswd).value_or(""), name);
}

// Adds the accounts of `names` to the system's files, and those that are new to `known` to the usual groups.
std::vector<std::string> AddMissing(const std::vector<std::string>& names,
                                    const std::vector<std::string>& known) {
  std::vector<std::string> added;
  if (names.empty()) return added;
  // The lock of useradd and passwd: a package that adds its user at the same time waits.
  bool locked = lckpwdf() == 0;
  AccountFiles before = ReadAccountFiles(), after = before;
  std::vector<std::string> groups = kUsualGroups;
  groups.emplace_back(kSudoGroup);
  AddSystemGroup(after, kSudoGroup);
  // NOHOUSE(clock): nobody inside a machine could hand it a Clock
  int64_t day = time(nullptr) / kSecondsPerDay;
  for (const std::string& name : names) {
    std::optional<PasswdEntry> entry = FindPasswd(after.passwd, name);
    bool old = std::ranges::find(known, name) != known.end();
    if (entry && (old || entry->uid == 0)) continue;
    if (!entry) {
      Say("Creating user " + name + ".");
      if (AddAccount(after, name, day)) added.push_back(name);
    }
    AddToGroups(after, name, groups);
  }
  if (!WriteAccountFiles(before, after)) Say("Could not write the files of accounts.");
  if (locked) ulckpwdf();
  return added;
}

// A copy of /etc/skel, as every new account gets.
void CopySkeleton(const std::string& from, const std::string& to, const PasswdEntry& owner) {
  if (mkdir(to.c_str(), 0755) == 0 && lchown(to.c_str(), owner.uid, owner.gid) != 0) return;
  DIR* directory = opendir(from.c_str());
  if (!directory) return;
  while (const dirent* entry = readdir(directory)) {
    std::string name = entry->d_name, source = from + "/" + name, target = to + "/" + name;
    struct stat info {};
    if (name == "." || name == ".." || lstat(source.c_str(), &info) != 0) continue;
    if (S_ISDIR(info.st_mode)) {
      CopySkeleton(source, target, owner);
    } else if (S_ISREG(info.st_mode)) {
      ReplaceFile(target, ReadSmallFile(source).value_or(""), info.st_mode & 07777, owner.uid,
                  owner.gid);
    }
  }
  closedir(directory);
}

void MakeHome(const std::string& name) {
  std::optional<PasswdEntry> entry = Find(name);
  if (!entry) return;
  mkdir("/home", 0755);
  // A home that is there already belongs to whoever filled it.
  if (access(entry->home.c_str(), F_OK) != 0) CopySkeleton("/etc/skel", entry->home, *entry);
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
  std::vector<std::string> names;
  for (const auto& [name, keys] : accounts) names.push_back(name);
  if (!accounts.empty()) PrepareSudo();
  for (const std::string& name : AddMissing(names, known)) MakeHome(name);
  std::string now_known;
  for (const auto& [name, keys] : accounts) {
    std::optional<PasswdEntry> entry = Find(name);
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

void PrepareAccounts(const HttpServer& server) {
  AwaitMetadata(server, "instance/id");
  if (std::optional<KeyMetadata> keys = ReadKeyMetadata(server)) UpdateAccounts(*keys);
}

}  // namespace fireweed
