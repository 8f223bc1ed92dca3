// What for: does what buckets' lifecycle rules say to their objects and unfinished uploads. A bucket is looked at when it
//   changes and once an hour, a page of objects or uploads an action, so that others get their turns.
// Threads: the control thread asks for pages; an action takes one, with a commit for each step and its freed files.
// Owns: how far it has come in each bucket; after a restart it begins anew, which is harmless.
// A failure: an object that was changed meanwhile is left for the next round; anything else is the loop's, which tries
//   the page again.
#pragma once

#include <map>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "control/action_pool.h"
#include "control/controller.h"
#include "storage/bucket_record.h"
#include "storage/lifecycle_plan.h"
#include "storage/object_store.h"
#include "storage/part_uploads.h"

namespace fireweed::storage {

class LifecycleController final : public Controller {
 public:
  static constexpr Duration kEvery = std::chrono::hours(1);
  static constexpr int kPage = 500;

  LifecycleController(Catalog& catalog, ObjectStore& store, PartUploads& uploads,
                      ActionPool& actions, const Clock& clock, Logger& log)
      : catalog_(catalog),
        store_(store),
        uploads_(uploads),
        actions_(actions),
        clock_(clock),
        log_(log) {}

  std::string_view kind() const override { return RecordCodec<api::storage::Bucket>::kKind; }
  std::optional<Time> Reconcile(const Key& bucket) override;

 private:
  struct Page {
    std::vector<ListedVersion>
        versions;      // whole names, but for a name with more than a page of them
    std::string next;  // name to go on with; empty: this was the last page
  };
  // How far the look at a bucket has come: first its objects, then its unfinished uploads.
  struct Place {
    int64_t version = 0;  // of the bucket: a changed one is looked at from its beginning
    Time due{};           // when the next page is
    std::string name;     // objects from it on, or uploads behind it
    std::string upload;   // and within that name behind this upload
    bool in_uploads = false;
  };
  // The page at `place`, which then is the next one's.
  void TakePage(const Key& bucket, const std::vector<LifecycleRule>& rules, Place& place);
  Page ReadPage(const Key& bucket, const std::string& from) const;
  void Apply(const Key& bucket, const std::vector<LifecycleRule>& rules, const Page& page);
  // One page of unfinished uploads from `place` on; true when it was the last.
  bool AbortUploads(const Key& bucket, const std::vector<LifecycleRule>& rules, Place& place);
  void Take(const Key& bucket, const ListedVersion& version, const LifecycleStep& step);

  Catalog& catalog_;
  ObjectStore& store_;
  PartUploads& uploads_;
  ActionPool& actions_;
  const Clock& clock_;
  Logger& log_;
  Guarded<std::map<Key, Place>> reached_;
};

}  // namespace fireweed::storage
