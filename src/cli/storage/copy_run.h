// What for: carries out cp and mv: finds what the command line names, asks the plan where it goes, and hands it to the
//   transfer threads.
// Threads: one owner. May block: yes. A failure: Failure for what makes no sense as a whole; failures of single
//   transfers are told as they happen, and Run says how many there were.
#pragma once

#include <string>
#include <vector>

#include "cli/storage/copy_plan.h"
#include "cli/storage/remote_tree.h"
#include "cli/storage/storage_session.h"

namespace fireweed::cli {

struct CopyOptions {
  bool recursive = false, no_clobber = false, preserve = false, all_versions = false;
  bool move = false;  // sources are removed once their copies are there
  ObjectSettings settings;
};

class CopyRun {
 public:
  CopyRun(StorageSession& session, CopyOptions options)
      : session_(session), options_(std::move(options)) {}

  // The number of transfers that failed.
  int64_t Run(const std::vector<std::string>& sources, const std::string& destination);

  // One thing to one place, on the calling thread.
  void Copy(const StorageUrl& from, const api::storage::Object* object, const StorageUrl& to);

 private:
  struct Source {
    CopyRoot root;
    api::storage::Object object;  // of a single remote source
  };
  void FindSources(const StorageUrl& url);
  void FindLocal(const StorageUrl& url);
  void FindRemote(const StorageUrl& url);
  void FindOneRemote(const StorageUrl& url);
  void AddContainer(const StorageUrl& url);
  CopyTarget FindTarget(const StorageUrl& url);
  bool AddSource(class TransferPool& pool, const Source& source, const CopyTarget& target);
  bool AddContents(class TransferPool& pool, const Source& source, const CopyTarget& target);
  bool AddOne(class TransferPool& pool, const Source& source, std::string_view relative,
              const StorageUrl& from, const api::storage::Object* object, const CopyTarget& target);
  void CopyRemote(const api::storage::Object& from, const StorageUrl& to);
  void RemoveSource(const StorageUrl& from, const api::storage::Object* object);

  StorageSession& session_;
  const CopyOptions options_;
  std::vector<Source> sources_;
};

}  // namespace fireweed::cli
