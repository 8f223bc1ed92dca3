// What for: carries out rm: objects, prefixes, patterns, and with -r buckets.
// Threads, blocking, failures: as CopyRun.
#pragma once

#include <string>
#include <vector>

#include "cli/storage/remote_tree.h"
#include "cli/storage/storage_session.h"

namespace fireweed::cli {

struct RemovalOptions {
  bool recursive = false, all_versions = false;
  std::optional<int64_t> if_generation_match, if_metageneration_match;
};

class Removal {
 public:
  Removal(StorageSession& session, RemovalOptions options) : session_(session), options_(options) {}

  // The number of removals that failed.
  int64_t Run(const std::vector<std::string>& urls);

 private:
  bool AddMatches(class TransferPool& pool, const StorageUrl& url);
  bool AddOne(class TransferPool& pool, const RemoteEntry& entry, bool exact_generation);
  void RemoveBucket(const std::string& name);

  StorageSession& session_;
  const RemovalOptions options_;
  int64_t found_ = 0;
};

}  // namespace fireweed::cli
