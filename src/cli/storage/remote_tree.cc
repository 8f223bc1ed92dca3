#include "cli/storage/remote_tree.h"

#include "api/storage/bucket.h"
#include "cli/storage/wildcard.h"

namespace fireweed::cli {
namespace {

namespace storage = api::storage;

RemoteEntry EntryOf(const std::string& bucket, const storage::Object& object, Versions versions) {
  RemoteEntry entry{StorageUrl::Remote(bucket, object.name), object.generation == 0, object};
  if (versions == Versions::kAll && !entry.prefix) entry.url.generation = object.generation;
  entry.object.bucket = bucket;
  return entry;
}

// Level by level: `rest` are the segments of the pattern below `prefix`. False once the visitor has had enough.
bool ExpandLevels(StorageClient& client, const std::string& bucket, const std::string& prefix,
                  std::string_view rest, Versions versions, const VisitRemote& visit) {
  // Literal segments need no look.
  size_t literal = LiteralPrefix(rest).rfind('/');
  std::string base = prefix;
  if (literal != std::string_view::npos) {
    base += rest.substr(0, literal + 1);
    rest.remove_prefix(literal + 1);
  }
  size_t slash = rest.find('/');
  std::string_view segment = rest.substr(0, slash);
  std::string_view after = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
  storage::ListObjects request;
  request.bucket = bucket;
  request.prefix = base + std::string(LiteralPrefix(segment));
  request.delimiter = "/";
  request.versions = versions == Versions::kAll;
  bool more = true;
  client.List(request, [&](const storage::Object& object) {
    std::string_view name = std::string_view(object.name).substr(base.size());
    bool prefix_found = object.generation == 0;
    if (prefix_found && name.ends_with('/')) name.remove_suffix(1);
    if (!MatchesWildcard(segment, name)) return true;
    if (slash == std::string_view::npos || (after.empty() && prefix_found)) {
      more = visit(EntryOf(bucket, object, versions));
    } else if (prefix_found) {
      more = ExpandLevels(client, bucket, object.name, after, versions, visit);
    }
    return more;
  });
  return more;
}

}  // namespace

void WalkPrefix(StorageClient& client, const std::string& bucket, const std::string& prefix,
                Versions versions, const VisitRemote& visit) {
  storage::ListObjects request;
  request.bucket = bucket;
  request.prefix = prefix;
  request.versions = versions == Versions::kAll;
  client.List(request, [&](const storage::Object& object) {
    return visit(EntryOf(bucket, object, versions));
  });
}

void ListLevel(StorageClient& client, const std::string& bucket, const std::string& prefix,
               Versions versions, const VisitRemote& visit) {
  storage::ListObjects request;
  request.bucket = bucket;
  request.prefix = prefix;
  request.delimiter = "/";
  request.versions = versions == Versions::kAll;
  client.List(request, [&](const storage::Object& object) {
    return visit(EntryOf(bucket, object, versions));
  });
}

std::vector<std::string> ExpandBuckets(StorageClient& client, const std::string& pattern,
                                       const std::string& project) {
  if (!HasWildcard(pattern)) return {pattern};
  std::vector<std::string> names;
  storage::ListBuckets request;
  request.project = project;
  request.prefix = LiteralPrefix(pattern);
  while (true) {
    storage::BucketList page = client.rest().Call(storage::kListBuckets, request);
    for (const storage::Bucket& bucket : page.items) {
      if (MatchesWildcard(pattern, bucket.name)) names.push_back(bucket.name);
    }
    if (page.nextPageToken.empty()) return names;
    request.pageToken = page.nextPageToken;
  }
}

void ExpandRemote(StorageClient& client, const StorageUrl& pattern, const std::string& project,
                  Versions versions, const VisitRemote& visit) {
  bool more = true;
  for (const std::string& bucket : ExpandBuckets(client, pattern.bucket, project)) {
    if (!more) return;
    if (pattern.name.find("**") == std::string::npos) {
      more = ExpandLevels(client, bucket, "", pattern.name, versions, visit);
      continue;
    }
    WalkPrefix(client, bucket, std::string(LiteralPrefix(pattern.name)), versions,
               [&](const RemoteEntry& entry) {
                 if (MatchesWildcard(pattern.name, entry.url.name)) more = visit(entry);
                 return more;
               });
  }
}

bool IsRemoteDirectory(StorageClient& client, const StorageUrl& url) {
  storage::ListObjects request;
  request.bucket = url.bucket;
  request.prefix = url.name.empty() || url.name.ends_with('/') ? url.name : url.name + "/";
  request.maxResults = 1;
  bool found = false;
  client.List(request, [&](const storage::Object&) {
    found = true;
    return false;
  });
  return found;
}

}  // namespace fireweed::cli
