// What for: batch prediction jobs. Each input file is a shard: read, predicted, and written as two objects; a shard that
//   was cut off is done again, one that is done is done.
// Who calls: the control loop; preparing and shards run on the action pool.
// May block: Reconcile for the catalog; actions for the store and the serving process.
// Owns: nothing but which shards are under way.
// A failure: of an instance goes to the errors file; of a shard it is tried again, then it is the job's.
//
//   QUEUED ──► PREPARING ── files found, version there ──► RUNNING ── all shards done ──► SUCCEEDED
//                  └────────────── nothing to read, no such model ──────────┴───────────► FAILED / CANCELLED
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/result.h"
#include "control/action_pool.h"
#include "control/controller.h"
#include "ml/job_record.h"
#include "ml/models/records.h"

namespace fireweed::ml {

struct BatchShard {
  std::string bucket, name;
  int64_t generation = 0, size = 0;
  bool done = false;
  int64_t predictions = 0, errors = 0;
  Backoff backoff;
};

// Key: the job's.
struct BatchRecord {
  Key version;          // whose process predicts
  bool hidden = false;  // the version was made for this job
  std::vector<BatchShard> shards;
};

struct BatchFile {
  std::string bucket, name;
  int64_t generation = 0, size = 0;
};

// What the world does for a job's account; everything here may block.
struct BatchWorld {
  std::function<bool(const std::string& account, std::string_view permission,
                     const std::string& resource)>
      may;
  std::function<Result<std::vector<BatchFile>>(
      const std::string& account, const std::string& bucket, const std::string& prefix)>
      list;
  std::function<Result<>(const std::string& account, const BatchFile& file,
                         const std::function<void(std::string_view)>& sink)>
      read;
  std::function<Result<>(const std::string& account, const std::string& bucket,
                         const std::string& name, const std::string& bytes)>
      write;
  std::function<Result<std::string>(const Key& version, const std::string& body)> predict;
};

class BatchController final : public Controller {
 public:
  BatchController(Catalog& catalog, ActionPool& pool, BatchWorld world, IdSource& ids,
                  const Clock& clock, Logger& log)
      : catalog_(catalog),
        pool_(pool),
        world_(std::move(world)),
        ids_(ids),
        clock_(clock),
        log_(log) {}

  std::string_view kind() const override;
  std::optional<Time> Reconcile(const Key& key) override;
  std::vector<std::string_view> also_watches() const override;
  std::vector<Key> Concerns(std::string_view kind, const Key& key) override;
  std::optional<std::vector<Key>> start_keys() const override;

 private:
  std::optional<Time> Drive(const Key& key, const JobRecord& job);
  std::optional<Time> RunShards(const Key& key, const JobRecord& job, const BatchRecord& batch);
  int64_t CountRunning(const Key& job);
  bool IsWanted(const Key& key);
  void Prepare(const Key& key);
  Key ChooseVersion(Txn& txn, const JobRecord& job, BatchRecord& batch);
  void RequireModel(const JobRecord& job) const;
  void RunShard(const Key& key, size_t index);
  BatchShard Predict(const JobRecord& job, const BatchRecord& batch, size_t index);
  void Finish(const Key& key, api::ml::JobState state, const std::string& why);

  // Constant after construction.
  Catalog& catalog_;
  ActionPool& pool_;
  const BatchWorld world_;
  IdSource& ids_;
  const Clock& clock_;
  Logger& log_;

  Guarded<std::set<Key>> running_;  // shards: "JOB-KEY#INDEX"
};

}  // namespace fireweed::ml

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<ml::BatchShard> = "BatchShard";
template <>
inline constexpr auto kFields<ml::BatchShard> = [](auto...) {
  return Fields{F("bucket", &ml::BatchShard::bucket),
                F("name", &ml::BatchShard::name),
                F("generation", &ml::BatchShard::generation),
                F("size", &ml::BatchShard::size),
                F("done", &ml::BatchShard::done),
                F("predictions", &ml::BatchShard::predictions),
                F("errors", &ml::BatchShard::errors),
                F("backoff", &ml::BatchShard::backoff)};
};
template <>
inline constexpr std::string_view kTypeName<ml::BatchRecord> = "BatchRecord";
template <>
inline constexpr auto kFields<ml::BatchRecord> = [](auto...) {
  return Fields{F("version", &ml::BatchRecord::version), F("hidden", &ml::BatchRecord::hidden),
                F("shards", &ml::BatchRecord::shards)};
};
template <>
inline constexpr std::string_view kRecordKind<ml::BatchRecord> = "ml.batch";
}  // namespace fireweed
