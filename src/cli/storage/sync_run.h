// What for: carries out rsync: lists both sides, asks the plan, copies and deletes.
// Threads, blocking, failures: as CopyRun. Memory: the names of both sides.
#pragma once

#include <string>
#include <vector>

#include "cli/storage/copy_run.h"
#include "cli/storage/sync_plan.h"

namespace fireweed::cli {

struct SyncOptions {
  bool recursive = false, dry_run = false, preserve = false;
  std::vector<std::string> exclude;  // regular expressions on relative names, from their start
  SyncRules rules;
  ObjectSettings settings;
};

class SyncRun {
 public:
  SyncRun(StorageSession& session, SyncOptions options)
      : session_(session), options_(std::move(options)) {}

  // The number of transfers and deletions that failed.
  int64_t Run(const std::string& source, const std::string& destination);

 private:
  struct Side {
    StorageUrl root;
    std::vector<SyncEntry> entries;
    std::vector<api::storage::Object> objects;  // of a remote side, by the same index
  };
  Side List(const StorageUrl& root, bool must_exist);
  void ListLocal(Side& side, bool must_exist);
  void ListRemote(Side& side);
  int64_t CopyAll(const std::vector<SyncAction>& actions, const Side& from, const Side& to);
  int64_t DeleteAll(const std::vector<SyncAction>& actions, const Side& to);

  StorageSession& session_;
  const SyncOptions options_;
};

}  // namespace fireweed::cli
