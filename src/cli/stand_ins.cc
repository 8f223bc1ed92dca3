#include "cli/stand_ins.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error.h"
#include "cli/doctor.h"
#include "cli/env_plan.h"

namespace fireweed::cli {
namespace {

using Words = std::vector<std::string>;

bool OneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void Append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

// Before "--", after which the words belong to a command in an instance.
void InsertFlags(Words& words, const Words& flags) {
  words.insert(std::find(words.begin(), words.end(), "--"), flags.begin(), flags.end());
}

bool StartsWith(const Words& words, std::initializer_list<std::string_view> prefix) {
  return words.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), words.begin());
}

void ReplaceStart(Words& words, size_t count, const Words& by) {
  words.erase(words.begin(), words.begin() + static_cast<ptrdiff_t>(count));
  words.insert(words.begin(), by.begin(), by.end());
}

// gcloud's own flags may precede the command. Returns those that commands here take as well.
Words TakeGlobalFlags(Words& words) {
  Words kept;
  size_t at = 0;
  for (; at < words.size() && words[at].starts_with('-'); ++at) {
    std::string name = words[at].substr(0, words[at].find('='));
    if (OneOf(words[at], {"--help", "-h", "--version"})) break;
    bool value_follows =
        name == words[at] && OneOf(name, {"--project", "--format", "--filter", "--account",
                                          "--verbosity", "--configuration", "--billing-project"});
    bool keep = OneOf(name, {"--project", "--format", "--filter"});
    if (keep) kept.push_back(words[at]);
    if (value_follows && at + 1 < words.size()) {
      ++at;
      if (keep) kept.push_back(words[at]);
    }
  }
  words.erase(words.begin(), words.begin() + static_cast<ptrdiff_t>(at));
  return kept;
}

struct GsutilCommand {
  std::string_view name;
  std::array<std::string_view, 3> ours;
  bool takes_quiet = false;
};
constexpr GsutilCommand kGsutilCommands[] = {
    {"cat", {"storage", "cat"}, false},     {"compose", {"storage", "compose"}, false},
    {"cp", {"storage", "cp"}, true},        {"du", {"storage", "du"}, false},
    {"hash", {"storage", "hash"}, false},   {"ls", {"storage", "ls"}, false},
    {"list", {"storage", "ls"}, false},     {"mb", {"storage", "buckets", "create"}, false},
    {"mv", {"storage", "mv"}, true},        {"rb", {"storage", "buckets", "delete"}, false},
    {"rm", {"storage", "rm"}, true},        {"rsync", {"storage", "rsync"}, true},
    {"stat", {"storage", "stat"}, false},   {"version", {"version"}, false},
    {"help", {"storage", "--help"}, false},
};

[[noreturn]] void RefuseGsutil(const std::string& command) {
  throw Failure(Code::kInvalid,
                fmt::format("'gsutil {}' needs the real gsutil; install it with `pip install "
                            "gsutil`, then run eval \"$(fireweed env)\" again",
                            command));
}

// "-b on" and "-b off" of gsutil mb are two switches here.
void RewriteMakeBucket(Words& words) {
  for (size_t at = 0; at + 1 < words.size(); ++at) {
    if (words[at] != "-b" || !OneOf(words[at + 1], {"on", "off"})) continue;
    words[at] = words[at + 1] == "on" ? "--uniform-bucket-level-access"
                                      : "--no-uniform-bucket-level-access";
    words.erase(words.begin() + static_cast<ptrdiff_t>(at) + 1);
  }
  std::replace(words.begin(), words.end(), std::string("-s"), std::string("-c"));
}

// gsutil iam get|set|ch on a bucket.
Words PolicyWords(const Words& words) {
  if (StartsWith(words, {"get"})) {
    return {"storage", "buckets", "get-iam-policy", words.back(), "--format=json"};
  }
  if (StartsWith(words, {"set"}) && words.size() == 3) {
    return {"storage", "buckets", "set-iam-policy", words[2], words[1]};
  }
  if (!StartsWith(words, {"ch"}) || words.size() < 3 || words[1].starts_with('-')) {
    RefuseGsutil("iam " + (words.empty() ? std::string() : words[0]));
  }
  // "user:ann@example.org:objectViewer"; several roles or members are several calls of gsutil's.
  size_t colon = words[1].rfind(':');
  if (colon == std::string::npos || words.size() != 3) RefuseGsutil("iam ch");
  std::string role = words[1].substr(colon + 1);
  if (!role.starts_with("roles/")) role = "roles/storage." + role;
  return {"storage", "buckets",  "add-iam-policy-binding",
          words[2],  "--member", words[1].substr(0, colon),
          "--role",  role};
}

// Flags that precede gsutil's command. True if output was to be suppressed.
bool TakeGsutilFlags(Words& words) {
  bool quiet = false;
  size_t at = 0;
  for (; at < words.size() && words[at].starts_with('-'); ++at) {
    if (words[at] == "-q") quiet = true;
    if (OneOf(words[at], {"-o", "-h", "-u", "-i"})) ++at;
  }
  words.erase(words.begin(), words.begin() + static_cast<ptrdiff_t>(std::min(at, words.size())));
  return quiet;
}

}  // namespace

const std::vector<StandIn>& StandIns() {
  static const std::vector<StandIn> all = {{"datalab", true}, {"fireweed"}, {"gcloud"}, {"gsutil"}};
  return all;
}

std::vector<std::string> WantedStandIns(const std::string& path) {
  std::vector<std::string> wanted;
  for (const StandIn& program : StandIns()) {
    std::string name(program.name);
    if (program.always || FindProgram(path, name).empty()) wanted.push_back(name);
  }
  return wanted;
}

std::string StandInScript(std::string_view name, const std::string& program,
                          const std::string& state) {
  std::string run = fmt::format("FIREWEED_STATE={} {}", ShellQuote(state), ShellQuote(program));
  std::string head =
      "#!/bin/sh\n# Written by `fireweed env`; removed from PATH by `fireweed env --unset`.\n";
  if (name == "fireweed") return head + fmt::format("exec {} \"$@\"\n", ShellQuote(program));
  return head + fmt::format("exec env {} {} \"$@\"\n", run, name);
}

std::vector<std::string> WordsOfGcloud(std::vector<std::string> words) {
  Words kept = TakeGlobalFlags(words);
  if (StartsWith(words, {"beta"}) || StartsWith(words, {"alpha"})) words.erase(words.begin());
  if (StartsWith(words, {"iam", "service-accounts", "keys", "create"})) {
    ReplaceStart(words, 4, {"service-accounts", "create-key"});
  } else if (StartsWith(words, {"iam", "service-accounts"})) {
    ReplaceStart(words, 2, {"service-accounts"});
  } else if (StartsWith(words, {"compute", "ssh"})) {
    ReplaceStart(words, 2, {"compute", "instances", "ssh"});
  }
  InsertFlags(words, kept);
  return words;
}

std::vector<std::string> WordsOfGsutil(std::vector<std::string> words) {
  bool quiet = TakeGsutilFlags(words);
  if (words.empty()) return {"storage", "--help"};
  std::string name = words.front();
  words.erase(words.begin());
  if (name == "iam") return PolicyWords(words);
  for (const GsutilCommand& command : kGsutilCommands) {
    if (command.name != name) continue;
    Words ours;
    for (std::string_view word : command.ours) {
      if (!word.empty()) ours.emplace_back(word);
    }
    if (name == "mb") RewriteMakeBucket(words);
    if (name == "version" || name == "help") words.clear();
    if (quiet && command.takes_quiet) ours.emplace_back("-q");
    Append(ours, words);
    return ours;
  }
  RefuseGsutil(name);
}

}  // namespace fireweed::cli
