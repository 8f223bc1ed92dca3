// fireweed complete: names of instances, buckets and the like for the completion scripts. Hidden: people have `list`.
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/compute/compute_session.h"
#include "cli/compute/nouns.h"
#include "cli/grammar.h"
#include "client/rest_client.h"
#include "describe/json_tree.h"

namespace fireweed::cli {
namespace {

// A shell must not hang in its completion: a daemon that is slower than this has no names.
constexpr timeval kLimit{0, 800'000};

void StopAfterLimit() {
  signal(SIGALRM, [](int) { _exit(0); });
  itimerval timer{{}, kLimit};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

// The noun of "/compute/instances/delete"; null if no name can follow.
const Noun* NounAt(std::string_view path) {
  constexpr std::string_view kCompute = "/compute/";
  if (path == "/notebooks" || path.starts_with("/notebooks/") || path.starts_with("/datalab/")) {
    return &Nouns().front();
  }
  if (!path.starts_with(kCompute)) return nullptr;
  size_t verb = path.rfind('/');
  std::string words(path.substr(kCompute.size(), verb - std::min(verb, kCompute.size())));
  std::replace(words.begin(), words.end(), '/', ' ');
  for (const Noun& noun : Nouns()) {
    if (noun.words == words) return &noun;
  }
  return nullptr;
}

std::vector<std::string> ResourceNames(const Noun& noun, const Settings& settings) {
  ComputeSession session({}, settings);
  std::string collection(noun.collection);
  std::vector<JsonTree> found = noun.scope == Scope::kGlobal
                                    ? session.List(session.Collection(noun.scope, collection))
                                    : session.ListAll(collection, "");
  std::vector<std::string> names;
  for (const JsonTree& item : found) names.push_back(item.TextOf("name"));
  return names;
}

std::vector<std::string> BucketUrls(const Settings& settings) {
  Endpoint endpoint = settings.Daemon();
  RestClient client(endpoint, ReadOwner(settings.State()));
  std::string target = "/storage/v1/b?project=" + PercentEncode(endpoint.default_project);
  JsonTree reply = JsonTree::Parse(client.Send("GET", target, "", "storage.googleapis.com"));
  std::vector<std::string> urls;
  if (const JsonTree* items = reply.Find("items")) {
    for (const JsonTree& item : items->items()) urls.push_back("gs://" + item.TextOf("name") + "/");
  }
  return urls;
}

std::vector<std::string> NamesAt(const std::string& path, const std::string& word,
                                 const Settings& settings) {
  std::string verb = path.substr(path.rfind('/') + 1);
  if (verb == "create" || verb == "list") return {};
  if (const Noun* noun = NounAt(path)) return ResourceNames(*noun, settings);
  if (!path.starts_with("/storage/")) return {};
  // These take files as well, which the shell offers.
  bool files = verb == "cp" || verb == "mv" || verb == "rsync" || verb == "hash";
  return files && word.empty() ? std::vector<std::string>() : BucketUrls(settings);
}

}  // namespace

void AddCompleteCommand(Command& app, Settings& settings) {
  auto path = std::make_shared<std::string>(), word = std::make_shared<std::string>();
  Command* command = app.AddCommand("complete", "Print names that may follow a command");
  command->Hide();
  command->AddOption("path", *path, "Command, as in /compute/instances/delete")->Required();
  command->AddOption("word", *word, "Beginning of the name");
  command->OnRun([path, word, &settings] {
    StopAfterLimit();
    try {
      for (const std::string& name : NamesAt(*path, *word, settings)) {
        if (name.starts_with(*word)) fmt::print("{}\n", name);
      }
    } catch (const Failure&) {
      // Without a daemon there is nothing to offer, and a completion has nowhere to complain.
    }
  });
}

}  // namespace fireweed::cli
