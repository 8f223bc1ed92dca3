#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/format/resource_output.h"
#include "cli/grammar.h"
#include "cli/storage/bucket_settings.h"
#include "cli/storage/policy_edit.h"
#include "cli/storage/storage_commands.h"
#include "cli/storage/storage_url.h"
#include "cli/storage/wildcard.h"
#include "client/rest_client.h"

namespace fireweed::cli {
namespace {

constexpr std::string_view kHost = "storage.googleapis.com";

struct BucketCommand {
  std::vector<std::string> urls;
  std::string project, member, role, file;
  BucketSettings set;
  OutputOptions output;
};

// The API of buckets, as JSON.
class Buckets {
 public:
  Buckets(const Settings& settings, const std::string& project)
      : Buckets(settings, project, settings.Daemon()) {}

  JsonTree Call(std::string_view verb, const std::string& bucket, std::string_view rest = {},
                const std::string& body = {}) {
    std::string target = fmt::format("/storage/v1/b/{}{}", PercentEncode(bucket), rest);
    std::string reply = client_.Send(verb, target, body, kHost);
    return reply.empty() ? JsonTree::Object() : WithUrl(JsonTree::Parse(reply));
  }
  JsonTree Create(const JsonTree& bucket) {
    std::string target = "/storage/v1/b?project=" + PercentEncode(project_);
    return WithUrl(JsonTree::Parse(client_.Send("POST", target, bucket.Compact(), kHost)));
  }
  std::vector<JsonTree> List() {
    std::vector<JsonTree> buckets;
    std::string page;
    do {
      std::string target = fmt::format("/storage/v1/b?project={}{}", PercentEncode(project_),
                                       page.empty() ? "" : "&pageToken=" + PercentEncode(page));
      JsonTree reply = JsonTree::Parse(client_.Send("GET", target, "", kHost));
      if (const JsonTree* items = reply.Find("items")) {
        for (const JsonTree& item : items->items()) buckets.push_back(WithUrl(item));
      }
      page = reply.TextOf("nextPageToken");
    } while (!page.empty());
    return buckets;
  }
  // Names that the addresses stand for.
  std::vector<std::string> Names(const std::vector<std::string>& urls) {
    std::vector<std::string> names;
    for (const std::string& text : urls) {
      StorageUrl url = StorageUrl::Parse(text);
      if (!url.IsBucket())
        throw Failure(Code::kInvalid, fmt::format("{} is not a bucket; use gs://BUCKET", text));
      if (!HasWildcard(url.bucket)) {
        names.push_back(url.bucket);
        continue;
      }
      for (const JsonTree& bucket : List()) {
        if (MatchesWildcard(url.bucket, bucket.TextOf("name")))
          names.push_back(bucket.TextOf("name"));
      }
    }
    if (names.empty()) throw Failure(Code::kNotFound, "no bucket matched");
    return names;
  }

 private:
  Buckets(const Settings& settings, const std::string& project, const Endpoint& endpoint)
      : project_(project.empty() ? endpoint.default_project : project),
        client_(endpoint, ReadOwner(settings.State())) {}

  static JsonTree WithUrl(JsonTree bucket) {
    if (bucket.Find("name"))
      bucket["storage_url"] = JsonTree::Text(fmt::format("gs://{}/", bucket.TextOf("name")));
    return bucket;
  }

  const std::string project_;
  RestClient client_;
};

void Create(const BucketCommand& command, const Settings& settings) {
  Buckets buckets(settings, command.project);
  for (const std::string& text : command.urls) {
    StorageUrl url = StorageUrl::Parse(text);
    if (!url.IsBucket())
      throw Failure(Code::kInvalid, fmt::format("{} is not a bucket; use gs://BUCKET", text));
    if (!settings.json) fmt::print(stderr, "Creating gs://{}/...\n", url.bucket);
    JsonTree bucket = command.set.Resource();
    bucket["name"] = JsonTree::Text(url.bucket);
    JsonTree made = buckets.Create(bucket);
    if (settings.json) fmt::print("{}\n", made.Compact());
  }
}

void Show(const BucketCommand& command, const Settings& settings, Shape shape) {
  Buckets buckets(settings, command.project);
  std::vector<JsonTree> shown;
  if (shape == Shape::kList && command.urls.empty()) {
    shown = buckets.List();
  } else {
    for (const std::string& name : buckets.Names(command.urls))
      shown.push_back(buckets.Call("GET", name));
  }
  fmt::print("{}", command.output.Text(shown, "yaml", shape, settings.json));
}

void Update(const BucketCommand& command, const Settings& settings) {
  Buckets buckets(settings, command.project);
  JsonTree patch = command.set.Resource();
  if (patch.members().empty())
    throw Failure(Code::kInvalid, "nothing to update; name at least one setting");
  for (const std::string& name : buckets.Names(command.urls)) {
    if (!settings.json) fmt::print(stderr, "Updating gs://{}/...\n", name);
    JsonTree updated = buckets.Call("PATCH", name, "", patch.Compact());
    if (settings.json) fmt::print("{}\n", updated.Compact());
  }
}

void Delete(const BucketCommand& command, const Settings& settings) {
  Buckets buckets(settings, command.project);
  for (const std::string& name : buckets.Names(command.urls)) {
    if (!settings.json) fmt::print(stderr, "Removing gs://{}/...\n", name);
    buckets.Call("DELETE", name);
  }
}

void ShowPolicy(const BucketCommand& command, const JsonTree& policy, const Settings& settings) {
  fmt::print("{}", command.output.Text({policy}, "yaml", Shape::kOne, settings.json));
}

constexpr std::string_view kPolicyPath = "/iam?optionsRequestedPolicyVersion=3";

// Reads, changes and writes back; another writer in between is noticed by the etag, and it is tried again.
void EditPolicy(const BucketCommand& command, const Settings& settings, PolicyEdit edit) {
  Buckets buckets(settings, command.project);
  std::string name = buckets.Names(command.urls).front();
  for (int attempt = 0;; ++attempt) {
    JsonTree policy = buckets.Call("GET", name, kPolicyPath);
    edit.Apply(policy);
    try {
      return ShowPolicy(command, buckets.Call("PUT", name, "/iam", policy.Compact()), settings);
    } catch (const Failure& failure) {
      Code code = failure.error().code;
      if ((code != Code::kPrecondition && code != Code::kExists) || attempt > 4) throw;
    }
  }
}

void SetPolicy(const BucketCommand& command, const Settings& settings) {
  std::ifstream file(command.file);
  if (!file) throw Failure(Code::kNotFound, fmt::format("cannot read {}", command.file));
  std::stringstream text;
  text << file.rdbuf();
  Buckets buckets(settings, command.project);
  std::string name = buckets.Names(command.urls).front();
  std::string body = JsonTree::Parse(text.str()).Compact();
  ShowPolicy(command, buckets.Call("PUT", name, "/iam", body), settings);
}

using Shared = std::shared_ptr<BucketCommand>;

Command* AddOne(Command& group, const char* name, const char* help, const Shared& options,
                bool required = true) {
  Command* command = group.AddCommand(name, help);
  Flag* urls = command->AddOption("urls", options->urls, "gs://BUCKET");
  if (required) urls->Required();
  command->AddOption("-p,--project", options->project, "Project (default: the daemon's)");
  return command;
}

void AddPolicyCommands(Command& group, Settings& settings) {
  auto get = std::make_shared<BucketCommand>();
  Command* command = AddOne(group, "get-iam-policy", "Show the IAM policy", get);
  get->output.AddTo(*command, Shape::kOne);
  command->OnRun([get, &settings] {
    Buckets buckets(settings, get->project);
    std::string name = buckets.Names(get->urls).front();
    ShowPolicy(*get, buckets.Call("GET", name, kPolicyPath), settings);
  });
  auto set = std::make_shared<BucketCommand>();
  command = AddOne(group, "set-iam-policy", "Replace the IAM policy with a file", set);
  command->AddOption("file", set->file, "Policy as JSON")->Required();
  set->output.AddTo(*command, Shape::kOne);
  command->OnRun([set, &settings] { SetPolicy(*set, settings); });
  for (bool add : {true, false}) {
    auto edit = std::make_shared<BucketCommand>();
    command = AddOne(group, add ? "add-iam-policy-binding" : "remove-iam-policy-binding",
                     add ? "Grant a role to a member" : "Revoke a role from a member", edit);
    command->AddOption("--member", edit->member, "user:A@B, serviceAccount:..., allUsers")
        ->Required();
    command->AddOption("--role", edit->role, "roles/storage.objectViewer, ...")->Required();
    edit->output.AddTo(*command, Shape::kOne);
    command->OnRun([edit, add, &settings] {
      EditPolicy(*edit, settings, {add, edit->role, edit->member});
    });
  }
}

}  // namespace

void AddBucketCommands(Command& group, Settings& settings) {
  Command* buckets = group.AddCommand("buckets", "Buckets");
  buckets->NeedsCommand();
  auto create = std::make_shared<BucketCommand>();
  Command* command = AddOne(*buckets, "create", "Create buckets", create);
  create->set.AddTo(*command, true);
  command->EndHelpWith(
      "Example:\n  fireweed storage buckets create gs://my-data --location us-central1");
  command->OnRun([create, &settings] { Create(*create, settings); });
  auto list = std::make_shared<BucketCommand>();
  command = AddOne(*buckets, "list", "List buckets", list, false);
  list->output.AddTo(*command, Shape::kList);
  command->OnRun([list, &settings] { Show(*list, settings, Shape::kList); });
  auto describe = std::make_shared<BucketCommand>();
  command = AddOne(*buckets, "describe", "Show a bucket", describe);
  describe->output.AddTo(*command, Shape::kOne);
  command->OnRun([describe, &settings] { Show(*describe, settings, Shape::kOne); });
  auto update = std::make_shared<BucketCommand>();
  command = AddOne(*buckets, "update", "Change buckets", update);
  update->set.AddTo(*command, false);
  command->OnRun([update, &settings] { Update(*update, settings); });
  auto remove = std::make_shared<BucketCommand>();
  command = AddOne(*buckets, "delete", "Delete empty buckets", remove);
  command->OnRun([remove, &settings] { Delete(*remove, settings); });
  AddPolicyCommands(*buckets, settings);
}

void AddStorageCommands(Command& app, Settings& settings) {
  Command* root = app.AddCommand("storage", "Manage buckets and objects");
  root->NeedsCommand();
  AddCopyCommands(*root, settings);
  AddListingCommands(*root, settings);
  AddObjectCommands(*root, settings);
  AddBucketCommands(*root, settings);
}

}  // namespace fireweed::cli
