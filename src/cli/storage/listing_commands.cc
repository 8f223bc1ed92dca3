#include <fmt/format.h>

#include "api/storage/bucket.h"
#include "cli/grammar.h"
#include "cli/storage/listing.h"
#include "cli/storage/storage_commands.h"
#include "cli/storage/storage_session.h"
#include "cli/storage/wildcard.h"

namespace fireweed::cli {
namespace {

namespace storage = api::storage;

struct ListCommand {
  std::vector<std::string> urls;
  bool long_style = false, full = false, readable = false, recursive = false, all_versions = false,
       buckets_only = false, etag = false;
};

// One run of ls: what is printed as it is found, and the sums.
class ListRun {
 public:
  ListRun(const ListCommand& command, const Settings& settings)
      : command_(command), session_(settings, {.quiet = true}) {
    options_.style = command.full         ? ListingStyle::kFull
                     : command.long_style ? ListingStyle::kLong
                                          : ListingStyle::kShort;
    options_.readable = command.readable;
    options_.etag = command.etag;
    versions_ = command.all_versions ? Versions::kAll : Versions::kLive;
  }

  void Run() {
    if (command_.urls.empty()) ListBuckets("*");
    for (const std::string& text : command_.urls) {
      if (text == "gs://")
        ListBuckets("*");
      else
        List(StorageUrl::Parse(text));
    }
    if (session_.settings().json) {
      fmt::print("{}\n", JsonTree::List(std::move(found_)).Pretty());
    } else if (options_.style != ListingStyle::kShort && objects_ > 0) {
      fmt::print("{}", TotalLine(objects_, bytes_));
    }
  }

 private:
  void ListBuckets(const std::string& pattern) {
    for (const std::string& name : ExpandBuckets(session_.client(), pattern, session_.project())) {
      JsonTree bucket = JsonTree::Object();
      bucket["url"] = JsonTree::Text("gs://" + name + "/");
      bucket["type"] = JsonTree::Text("cloud_bucket");
      if (session_.settings().json)
        found_.push_back(std::move(bucket));
      else
        fmt::print("gs://{}/\n", name);
    }
  }

  void List(const StorageUrl& url) {
    if (!url.remote())
      throw Failure(Code::kInvalid, fmt::format("{}: ls lists gs:// addresses", url.name));
    if (url.IsBucket() && (command_.buckets_only || HasWildcard(url.bucket)))
      return ListBuckets(url.bucket);
    int64_t before = shown_;
    if (HasWildcard(url.name) || HasWildcard(url.bucket)) {
      ListPattern(url);
    } else if (!ListExact(url)) {
      std::string prefix = url.name;
      if (!prefix.empty() && !prefix.ends_with('/')) prefix += '/';
      ListDirectory(url.bucket, prefix, false);
    }
    // An empty bucket is no mistake.
    if (shown_ == before && !url.IsBucket()) {
      throw Failure(Code::kNotFound,
                    fmt::format("{}: one or more URLs matched no objects", url.Text()));
    }
  }

  bool ListExact(const StorageUrl& url) {
    if (url.IsBucket() || url.name.ends_with('/')) return false;
    if (versions_ == Versions::kAll) {
      bool any = false;
      WalkPrefix(session_.client(), url.bucket, url.name, versions_, [&](const RemoteEntry& entry) {
        if (entry.url.name != url.name) return entry.url.name < url.name;
        any = true;
        Show(entry);
        return true;
      });
      return any;
    }
    auto object = session_.client().Find(url.bucket, url.name, url.generation);
    if (object) Show({url, false, *object});
    return object.has_value();
  }

  // Objects as they are, prefixes with what lies in them, as gsutil does.
  void ListPattern(const StorageUrl& url) {
    std::vector<RemoteEntry> prefixes;
    ExpandRemote(session_.client(), url, session_.project(), versions_,
                 [&](const RemoteEntry& entry) {
                   if (entry.prefix && !command_.buckets_only)
                     prefixes.push_back(entry);
                   else
                     Show(entry);
                   return true;
                 });
    for (const RemoteEntry& prefix : prefixes)
      ListDirectory(prefix.url.bucket, prefix.url.name, true);
  }

  void ListDirectory(const std::string& bucket, const std::string& prefix, bool heading) {
    if (command_.buckets_only && !prefix.empty()) {
      Show({StorageUrl::Remote(bucket, prefix), true, {}});
      return;
    }
    if (heading && !session_.settings().json)
      fmt::print("{}{}:\n", shown_ > 0 ? "\n" : "", StorageUrl::Remote(bucket, prefix).Text());
    std::vector<std::string> below;
    ListLevel(session_.client(), bucket, prefix, versions_, [&](const RemoteEntry& entry) {
      if (entry.prefix && command_.recursive)
        below.push_back(entry.url.name);
      else
        Show(entry);
      return true;
    });
    for (const std::string& name : below) ListDirectory(bucket, name, true);
  }

  void Show(const RemoteEntry& entry) {
    ++shown_;
    if (!entry.prefix) {
      ++objects_;
      bytes_ += entry.object.size;
    }
    if (session_.settings().json)
      found_.push_back(ListingJson(entry));
    else
      fmt::print("{}", ListingLine(entry, options_));
  }

  const ListCommand& command_;
  StorageSession session_;
  ListingOptions options_;
  Versions versions_;
  int64_t shown_ = 0, objects_ = 0, bytes_ = 0;
  std::vector<JsonTree> found_;
};

struct UsageCommand {
  std::vector<std::string> urls;
  bool summary = false, readable = false, total = false, all_versions = false;
};

void ShowUsage(const UsageCommand& command, const Settings& settings) {
  StorageSession session(settings, {.quiet = true});
  std::vector<std::string> urls = command.urls;
  if (urls.empty()) {
    for (const std::string& name : ExpandBuckets(session.client(), "*", session.project()))
      urls.push_back("gs://" + name);
  }
  Versions versions = command.all_versions ? Versions::kAll : Versions::kLive;
  int64_t total = 0;
  for (const std::string& text : urls) {
    StorageUrl url = StorageUrl::Parse(text);
    if (!url.remote())
      throw Failure(Code::kInvalid, fmt::format("{}: du looks at gs:// addresses", text));
    DiskUsage usage(url.Text());
    int64_t count = 0;
    auto visit = [&](const RemoteEntry& entry) {
      ++count;
      if (!entry.prefix) {
        usage.Add(entry);
        return true;
      }
      WalkPrefix(session.client(), entry.url.bucket, entry.url.name, versions,
                 [&](const RemoteEntry& below) {
                   usage.Add(below);
                   return true;
                 });
      return true;
    };
    if (HasWildcard(url.name) || HasWildcard(url.bucket)) {
      ExpandRemote(session.client(), url, session.project(), versions, visit);
    } else {
      WalkPrefix(session.client(), url.bucket, url.name, versions, visit);
    }
    if (count == 0 && !url.IsBucket())
      throw Failure(Code::kNotFound, fmt::format("{}: matched no objects", text));
    total += usage.total();
    fmt::print("{}", usage.Text(command.summary, command.readable));
  }
  if (command.total) fmt::print("{}", UsageLine(total, "total", command.readable));
}

}  // namespace

void AddListingCommands(Command& group, Settings& settings) {
  auto list = std::make_shared<ListCommand>();
  Command* command = group.AddCommand("ls", "List buckets and objects");
  command->LongHelpOnly();
  command->AddOption("urls", list->urls, "gs://BUCKET[/PREFIX]; none: the project's buckets");
  command->AddFlag("-l,--long", list->long_style, "Show sizes, times and a total");
  command->AddFlag("-L,--full", list->full, "Show all metadata");
  command->AddFlag("-h,--readable-sizes", list->readable, "1.5 KiB instead of 1536");
  command->AddFlag("-r,-R,--recursive", list->recursive, "List recursively");
  command->AddFlag("-a,--all-versions", list->all_versions, "Include old versions");
  command->AddFlag("-b,-d,--buckets", list->buckets_only,
                   "List buckets and prefixes, not their contents");
  command->AddFlag("-e,--etag", list->etag, "Include etags in long lists");
  command->EndHelpWith("Example:\n  fireweed storage ls -l 'gs://bucket/**.csv'");
  command->OnRun([list, &settings] { ListRun(*list, settings).Run(); });

  auto usage = std::make_shared<UsageCommand>();
  command = group.AddCommand("du", "Show the space that objects use");
  command->LongHelpOnly();
  command->AddOption("urls", usage->urls, "gs://BUCKET[/PREFIX]; none: all of the project");
  command->AddFlag("-s,--summarize", usage->summary, "Show only totals");
  command->AddFlag("-h,-r,--readable-sizes", usage->readable, "1.5 KiB instead of 1536");
  command->AddFlag("-c,--total", usage->total, "Show a grand total");
  command->AddFlag("-a,--all-versions", usage->all_versions, "Include old versions");
  command->OnRun([usage, &settings] { ShowUsage(*usage, settings); });
}

}  // namespace fireweed::cli
