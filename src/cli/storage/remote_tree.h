// Objects of the store: what a prefix or a pattern holds. May block: on the network. Any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/storage/storage_url.h"
#include "client/storage_client.h"

namespace fireweed::cli {

// An object, or a prefix ("dir/") that stands for all below it.
struct RemoteEntry {
  StorageUrl url;
  bool prefix = false;
  api::storage::Object object;  // when it is no prefix
};

using VisitRemote = std::function<bool(const RemoteEntry&)>;  // false stops

enum class Versions { kLive, kAll };

// All objects whose names begin with `prefix`.
void WalkPrefix(StorageClient& client, const std::string& bucket, const std::string& prefix,
                Versions versions, const VisitRemote& visit);
// What fits a pattern: objects and prefixes of that level, or with '**' objects only. Buckets may have wildcards, too;
// those are looked for in `project`.
void ExpandRemote(StorageClient& client, const StorageUrl& pattern, const std::string& project,
                  Versions versions, const VisitRemote& visit);
// The names of the project's buckets that fit, sorted.
std::vector<std::string> ExpandBuckets(StorageClient& client, const std::string& pattern,
                                       const std::string& project);
// What is directly below gs://bucket/prefix ("" or ends in '/').
void ListLevel(StorageClient& client, const std::string& bucket, const std::string& prefix,
               Versions versions, const VisitRemote& visit);
// Whether there is any object below gs://bucket/name/.
bool IsRemoteDirectory(StorageClient& client, const StorageUrl& url);

}  // namespace fireweed::cli
