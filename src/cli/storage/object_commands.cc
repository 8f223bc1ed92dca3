#include <unistd.h>

#include <fmt/format.h>

#include "api/iam/credentials.h"
#include "api/iam/service_account.h"
#include "cli/format/resource_output.h"
#include "cli/grammar.h"
#include "cli/storage/local_bytes.h"
#include "cli/storage/removal.h"
#include "cli/storage/signed_url.h"
#include "cli/storage/storage_commands.h"
#include "cli/storage/wildcard.h"

namespace fireweed::cli {
namespace {

namespace storage = api::storage;

constexpr TransferOptions kQuiet{.quiet = true};

struct ObjectsCommand {
  std::vector<std::string> urls;
  std::string range;
  bool display_url = false;
  OutputOptions output;
};

// What the address of a bucket names: nothing, or all its objects, of which there may be none.
enum class InBucket { kNothing, kAll };

// The objects that the addresses name; a pattern names what it matches.
std::vector<storage::Object> FindObjects(StorageSession& session,
                                         const std::vector<std::string>& texts,
                                         InBucket in_bucket = InBucket::kNothing) {
  std::vector<storage::Object> objects;
  for (const std::string& text : texts) {
    StorageUrl url = StorageUrl::Parse(text);
    if (!url.remote()) throw Failure(Code::kInvalid, fmt::format("{} is no gs:// address", text));
    bool all = url.IsBucket() && in_bucket == InBucket::kAll;
    if (all) url.name = "**";
    size_t before = objects.size();
    if (HasWildcard(url.name) || HasWildcard(url.bucket)) {
      ExpandRemote(session.client(), url, session.project(), Versions::kLive,
                   [&](const RemoteEntry& entry) {
                     if (!entry.prefix) objects.push_back(entry.object);
                     return true;
                   });
    } else if (auto found = session.client().Find(url.bucket, url.name, url.generation)) {
      objects.push_back(*found);
      objects.back().bucket = url.bucket;
    }
    if (objects.size() == before && !all)
      throw Failure(Code::kNotFound, fmt::format("{} matched no objects", text));
  }
  return objects;
}

// "10-20", "10-", "-5": offset and length of an object's part.
void CatRange(StorageSession& session, const storage::Object& object, const std::string& range) {
  size_t dash = range.find('-');
  if (dash == std::string::npos || range.size() == 1)
    throw Failure(Code::kInvalid, fmt::format("'{}' is no range: write 10-20, 10- or -5", range));
  std::string first = range.substr(0, dash), last = range.substr(dash + 1);
  int64_t begin = 0;
  std::optional<int64_t> length;
  try {
    if (first.empty()) {
      begin = std::max<int64_t>(0, object.size - std::stoll(last));
    } else {
      begin = std::stoll(first);
      if (!last.empty()) length = std::stoll(last) - begin + 1;
    }
  } catch (const std::exception&) {
    throw Failure(Code::kInvalid, fmt::format("'{}' is no range: write 10-20, 10- or -5", range));
  }
  if (begin >= object.size) return;
  if (length) length = std::min(*length, object.size - begin);
  session.downloader().DownloadRange(object, begin, length, STDOUT_FILENO);
}

void Cat(const ObjectsCommand& command, const Settings& settings) {
  StorageSession session(settings, kQuiet);
  for (const storage::Object& object : FindObjects(session, command.urls)) {
    if (command.display_url) {
      fmt::print("==> gs://{}/{} <==\n", object.bucket, object.name);
      std::fflush(stdout);
    }
    if (command.range.empty())
      session.downloader().DownloadStream(object, STDOUT_FILENO, "standard output");
    else
      CatRange(session, object, command.range);
  }
}

JsonTree Shown(const storage::Object& object) {
  JsonTree tree = JsonTree::Parse(EncodeJson(object, Audience::kWire));
  tree["storage_url"] =
      JsonTree::Text(fmt::format("gs://{}/{}#{}", object.bucket, object.name, object.generation));
  return tree;
}

void Describe(const ObjectsCommand& command, const Settings& settings, Shape shape) {
  StorageSession session(settings, kQuiet);
  std::vector<JsonTree> shown;
  InBucket in_bucket = shape == Shape::kList ? InBucket::kAll : InBucket::kNothing;
  for (const storage::Object& object : FindObjects(session, command.urls, in_bucket))
    shown.push_back(Shown(object));
  fmt::print("{}", command.output.Text(shown, "yaml", shape, settings.json));
}

struct UpdateCommand {
  std::vector<std::string> urls, remove_metadata;
  bool clear_metadata = false;
  ObjectSettings set;
  OutputOptions output;
};

void Update(const UpdateCommand& command, const Settings& settings) {
  StorageSession session(settings, kQuiet);
  JsonTree patch = JsonTree::Object();
  if (command.clear_metadata) patch["metadata"] = JsonTree();
  command.set.Apply(patch);
  for (const std::string& key : command.remove_metadata) patch["metadata"][key] = JsonTree();
  std::vector<JsonTree> updated;
  for (const storage::Object& object : FindObjects(session, command.urls)) {
    storage::ChangeObject request;
    request.bucket = object.bucket;
    request.object = object.name;
    request.generation = object.generation;
    request.predefinedAcl = command.set.PredefinedAcl();
    request.ifGenerationMatch = command.set.if_generation_match;
    request.ifMetagenerationMatch = command.set.if_metageneration_match;
    request.body.text = patch.Compact();
    updated.push_back(Shown(session.client().rest().Call(storage::kPatchObject, request)));
  }
  fmt::print("{}", command.output.Text(updated, "list(storage_url)", Shape::kList, settings.json));
}

struct ComposeCommand {
  std::vector<std::string> places;
  ObjectSettings set;
};

void Compose(const ComposeCommand& command, const Settings& settings) {
  if (command.places.size() < 2) throw Failure(Code::kInvalid, "name sources and a destination");
  StorageSession session(settings, kQuiet);
  StorageUrl to = StorageUrl::Parse(command.places.back());
  if (!to.remote() || to.name.empty())
    throw Failure(Code::kInvalid, "the destination must be gs://BUCKET/OBJECT");
  storage::ComposeObject request;
  request.destinationBucket = to.bucket;
  request.destinationObject = to.name;
  request.destinationPredefinedAcl = command.set.PredefinedAcl();
  request.ifGenerationMatch = command.set.if_generation_match;
  request.ifMetagenerationMatch = command.set.if_metageneration_match;
  std::vector<std::string> sources(command.places.begin(), command.places.end() - 1);
  for (const storage::Object& object : FindObjects(session, sources)) {
    if (object.bucket != to.bucket)
      throw Failure(Code::kInvalid, "objects of one bucket only can be composed");
    request.body.sourceObjects.push_back({object.name, object.generation, std::nullopt});
    if (!request.body.destination) {
      request.body.destination.emplace();
      request.body.destination->contentType = object.contentType;
    }
  }
  JsonTree destination = JsonTree::Object();
  command.set.Apply(destination);
  PatchJson(*request.body.destination, destination.Compact());
  storage::Object made = session.client().rest().Call(storage::kComposeObject, request);
  if (settings.json)
    fmt::print("{}\n", EncodeJson(made, Audience::kWire));
  else
    fmt::print(stderr, "Composed {} objects into {}\n", request.body.sourceObjects.size(),
               to.Text());
}

struct SignCommand {
  std::vector<std::string> urls, headers, query;
  std::string duration = "1h", verb = "GET", region = "auto", account;
  OutputOptions output;
};

// The account that stands for the project where none is named.
std::string SigningAccount(StorageSession& session, const std::string& named) {
  if (!named.empty()) return named;
  api::iam::ListServiceAccounts request;
  request.project = session.project();
  auto accounts = session.client().rest().Call(api::iam::kListServiceAccounts, request).accounts;
  for (const api::iam::ServiceAccount& account : accounts) {
    if (account.email.find("-compute@") != std::string::npos) return account.email;
  }
  if (!accounts.empty()) return accounts.front().email;
  throw Failure(Code::kNotFound,
                "the project has no service account to sign with: make one with `fireweed "
                "service-accounts create NAME`, or name one with --impersonate-service-account");
}

std::map<std::string, std::string> Pairs(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> pairs;
  for (const std::string& text : texts) {
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Failure(Code::kInvalid, fmt::format("'{}' is not NAME=VALUE", text));
    pairs[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return pairs;
}

void Sign(const SignCommand& command, const Settings& settings) {
  StorageSession session(settings, kQuiet);
  std::string account = SigningAccount(session, command.account);
  std::vector<JsonTree> made;
  for (const std::string& text : command.urls) {
    StorageUrl url = StorageUrl::Parse(text);
    if (!url.remote()) throw Failure(Code::kInvalid, fmt::format("{} is no gs:// address", text));
    SignedUrlRequest request;
    request.verb = command.verb;
    request.bucket = url.bucket;
    request.object = url.name;
    request.account = account;
    request.region = command.region;
    request.seconds = ParseSeconds(command.duration);
    request.now = session.clock().Now();
    request.headers = Pairs(command.headers);
    request.query = Pairs(command.query);
    if (url.generation) request.query["generation"] = std::to_string(*url.generation);
    SignedUrl signer(request);
    api::iam::SignBlob blob{"-", account, {{}, {signer.string_to_sign()}}};
    api::iam::SignBlobReply reply = session.client().rest().Call(api::iam::kSignBlob, blob);
    JsonTree row = JsonTree::Object();
    row["expiration"] =
        JsonTree::Text(FormatTime(request.now + std::chrono::seconds(request.seconds), 0));
    row["http_verb"] = JsonTree::Text(command.verb);
    row["resource"] = JsonTree::Text(text);
    row["signed_url"] = JsonTree::Text(signer.WithSignature(reply.signedBlob.raw));
    made.push_back(std::move(row));
  }
  fmt::print("{}", command.output.Text(made, "yaml", Shape::kList, settings.json));
}

void AddRemove(Command& group, Settings& settings) {
  struct RemoveCommand {
    std::vector<std::string> urls;
    RemovalOptions options;
    TransferOptions transfer;
  };
  auto remove = std::make_shared<RemoveCommand>();
  Command* command = group.AddCommand("rm", "Remove objects, and with -r buckets");
  command->AddOption("urls", remove->urls, "gs://BUCKET/OBJECT, with wildcards")->Required();
  command->AddFlag("-r,-R,--recursive", remove->options.recursive,
                   "Remove everything below, and the bucket");
  command->AddFlag("-a,--all-versions", remove->options.all_versions, "Include old versions");
  command->AddFlag("-f,-c,--continue-on-error", remove->transfer.continue_on_error,
                   "Continue with the others if one fails");
  command->AddOption("--if-generation-match", remove->options.if_generation_match,
                     "Required generation");
  command->AddOption("--if-metageneration-match", remove->options.if_metageneration_match,
                     "Required metageneration");
  command->AddOption("-j,--jobs", remove->transfer.threads, "Number of parallel removals")
      ->Between(1, 128)
      ->ShowDefault();
  command->AddFlag("-q,--quiet", remove->transfer.quiet, "Print failures only");
  command->EndHelpWith("Example:\n  fireweed storage rm 'gs://bucket/tmp/**'");
  command->OnRun([remove, &settings] {
    StorageSession session(settings, remove->transfer);
    if (Removal(session, remove->options).Run(remove->urls) > 0) throw Exit{1};
  });
}

void AddCat(Command& group, Settings& settings) {
  auto cat = std::make_shared<ObjectsCommand>();
  Command* command = group.AddCommand("cat", "Write objects to standard output");
  command->AddOption("urls", cat->urls, "gs://BUCKET/OBJECT, with wildcards")->Required();
  command->AddOption("-r,--range", cat->range, "Bytes 10-20, 10- or the last: -5");
  command->AddFlag("-d,--display-url", cat->display_url, "Print each name before its object");
  command->OnRun([cat, &settings] { Cat(*cat, settings); });
}

void AddDescribe(Command& group, Settings& settings, const char* name, Shape shape) {
  auto describe = std::make_shared<ObjectsCommand>();
  Command* command =
      group.AddCommand(name, shape == Shape::kOne ? "Show an object's metadata"
                                                  : "List objects with their metadata");
  command
      ->AddOption("url", describe->urls,
                  shape == Shape::kOne ? "gs://BUCKET/OBJECT, with wildcards"
                                       : "gs://BUCKET[/OBJECT], with wildcards")
      ->Required();
  describe->output.AddTo(*command, shape);
  command->OnRun([describe, shape, &settings] { Describe(*describe, settings, shape); });
}

void AddCompose(Command& group, Settings& settings) {
  auto compose = std::make_shared<ComposeCommand>();
  Command* command = group.AddCommand("compose", "Join objects of a bucket into one");
  command->AddOption("places", compose->places, "Sources in order, then the destination")
      ->Required();
  compose->set.AddTo(*command);
  command->OnRun([compose, &settings] { Compose(*compose, settings); });
}

void AddUpdate(Command& group, Settings& settings) {
  auto update = std::make_shared<UpdateCommand>();
  Command* command = group.AddCommand("update", "Change objects' metadata");
  command->AddOption("urls", update->urls, "gs://BUCKET/OBJECT, with wildcards")->Required();
  update->set.AddTo(*command);
  command
      ->AddOption("--update-custom-metadata", update->set.custom_metadata,
                  "Custom metadata to add: KEY=VALUE,...")
      ->Split(',')
      ->OneWordEach();
  command->AddOption("--remove-custom-metadata", update->remove_metadata, "KEY,...")
      ->Split(',')
      ->OneWordEach();
  command->AddFlag("--clear-custom-metadata", update->clear_metadata,
                   "Remove all custom metadata first");
  update->output.AddTo(*command, Shape::kOne);
  command->OnRun([update, &settings] { Update(*update, settings); });
}

void AddSign(Command& group, Settings& settings) {
  auto sign = std::make_shared<SignCommand>();
  Command* command = group.AddCommand(
      "sign-url", "Create a URL that grants access to an object for a limited time");
  command->AddOption("urls", sign->urls, "gs://BUCKET/OBJECT")->Required();
  command->AddOption("-d,--duration", sign->duration, "Lifetime: 30s, 10m, 12h, at most 7d")
      ->ShowDefault();
  command->AddOption("-m,--http-verb", sign->verb, "GET, HEAD, PUT, DELETE, POST")->ShowDefault();
  command->AddOption("--headers", sign->headers, "Headers that requests must send: NAME=VALUE,...")
      ->Split(',')
      ->OneWordEach();
  command->AddOption("--query-params", sign->query, "Query parameters of the URL: NAME=VALUE,...")
      ->Split(',')
      ->OneWordEach();
  command->AddOption("-r,--region", sign->region, "Region of the bucket")->ShowDefault();
  command->AddOption("--impersonate-service-account", sign->account,
                     "Service account that signs (default: the project's compute account)");
  sign->output.AddTo(*command, Shape::kOne);
  command->EndHelpWith(
      "Example:\n  curl \"$(fireweed storage sign-url gs://bucket/a "
      "--format='value(signed_url)')\"");
  command->OnRun([sign, &settings] { Sign(*sign, settings); });
}

void AddHash(Command& group, Settings& settings) {
  auto paths = std::make_shared<std::vector<std::string>>();
  Command* command = group.AddCommand("hash", "Show checksums of files and objects");
  command->AddOption("places", *paths, "Paths and gs:// addresses")->Required();
  auto output = std::make_shared<OutputOptions>();
  output->AddTo(*command, Shape::kOne);
  command->OnRun([paths, output, &settings] {
    std::vector<JsonTree> rows;
    auto add = [&](const std::string& url, const std::string& crc) {
      JsonTree row = JsonTree::Object();
      row["crc32c_hash"] = JsonTree::Text(crc);
      row["url"] = JsonTree::Text(url);
      rows.push_back(std::move(row));
    };
    for (const std::string& path : *paths) {
      if (!path.starts_with("gs://")) {
        add(path, CrcTextOfFile(path));
        continue;
      }
      StorageSession session(settings, kQuiet);
      for (const storage::Object& object : FindObjects(session, {path}))
        add(fmt::format("gs://{}/{}", object.bucket, object.name), object.crc32c);
    }
    fmt::print("{}", output->Text(rows, "yaml", Shape::kList, settings.json));
  });
}

}  // namespace

void AddObjectCommands(Command& group, Settings& settings) {
  AddRemove(group, settings);
  AddCat(group, settings);
  AddDescribe(group, settings, "stat", Shape::kOne);
  AddCompose(group, settings);
  AddSign(group, settings);
  AddHash(group, settings);
  Command* objects = group.AddCommand("objects", "Objects and their metadata");
  objects->NeedsCommand();
  AddDescribe(*objects, settings, "list", Shape::kList);
  AddDescribe(*objects, settings, "describe", Shape::kOne);
  AddUpdate(*objects, settings);
  AddCompose(*objects, settings);
}

}  // namespace fireweed::cli
