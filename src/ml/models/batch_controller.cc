#include "ml/models/batch_controller.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "ml/models/batch_shard.h"
#include "ml/models/model_names.h"
#include "ml/models/versions_service.h"
#include "ml/prediction_model.h"

namespace fireweed::ml {
namespace {

using api::ml::JobState;
using api::ml::PredictionInput;

constexpr int64_t kUsualBatch = 64;   // instances of one request
constexpr int64_t kUsualWorkers = 2;  // shards at the same time
constexpr int64_t kMostWorkers = 4;   // the pool also boots machines
constexpr int kMostTries = 5;         // of a shard
constexpr size_t kMostShards = 10'000;
constexpr size_t kMostStars = 8;  // of a path: more make matching slow
const BackoffRule kPause{.first = std::chrono::seconds(1), .longest = std::chrono::minutes(1)};

Key JobKey(const Key& key) { return key.substr(0, key.find('#')); }

struct Place {
  std::string bucket, name;
};
Place ParsePlace(std::string_view uri) {
  if (uri.starts_with("gs://")) uri.remove_prefix(5);
  size_t slash = uri.find('/');
  if (slash == uri.npos) return {std::string(uri), ""};
  return {std::string(uri.substr(0, slash)), std::string(uri.substr(slash + 1))};
}

bool IsCalledOff(const JobRecord& job) {
  return job.cancel || job.job.state == JobState::kCancelling;
}

bool IsFinal(const Error& error) {
  return error.code == Code::kInvalid || error.code == Code::kNotFound ||
         error.code == Code::kDenied;
}

}  // namespace

std::string_view BatchController::kind() const { return kRecordKind<BatchRecord>; }
std::vector<std::string_view> BatchController::also_watches() const {
  return {kRecordKind<JobRecord>, kRecordKind<VersionRecord>};
}

// A version's end of loading is heard by whoever waits for its target; jobs are what counts here.
std::vector<Key> BatchController::Concerns(std::string_view kind, const Key& key) {
  if (kind == kRecordKind<JobRecord>) return {key};
  return {};
}

std::optional<std::vector<Key>> BatchController::start_keys() const {
  std::vector<Key> keys;
  ForEach<JobRecord>(catalog_, {}, [&](const auto& row) {
    if (row.value.job.predictionInput) keys.push_back(row.key);
  });
  return keys;
}

std::optional<Time> BatchController::Reconcile(const Key& given) {
  Key key = JobKey(given);
  auto job = Query(catalog_, [&](Txn& txn) { return txn.Find<JobRecord>(key); });
  if (!job || !job->value.job.predictionInput || HasEnded(job->value.job.state))
    return std::nullopt;
  return Drive(key, job->value);
}

std::optional<Time> BatchController::Drive(const Key& key, const JobRecord& job) {
  if (IsCalledOff(job)) {
    // After its end a job writes nothing: shards under way stop soon, and the last one wakes us.
    if (CountRunning(key) == 0) Finish(key, JobState::kCancelled, "");
    return std::nullopt;
  }
  auto batch = Query(catalog_, [&](Txn& txn) { return txn.Find<BatchRecord>(key); });
  if (batch) return RunShards(key, job, batch->value);
  if (job.job.state == JobState::kQueued) {
    catalog_.Write("batch job prepares", [&](Txn& txn) {
      auto row = txn.Find<JobRecord>(key);
      if (!row || row->value.job.state != JobState::kQueued) return;
      row->value.job.state = JobState::kPreparing;
      txn.Put(key, row->value);
    });
  }
  pool_.Submit(kind(), key, [this, key] { Prepare(key); });
  return std::nullopt;
}

int64_t BatchController::CountRunning(const Key& job) {
  return running_.With([&](std::set<Key>& running) {
    return std::ranges::count_if(running, [&](const Key& shard) { return JobKey(shard) == job; });
  });
}

std::optional<Time> BatchController::RunShards(const Key& key, const JobRecord& job,
                                               const BatchRecord& batch) {
  int64_t workers = job.job.predictionInput->maxWorkerCount.value_or(kUsualWorkers);
  workers = std::clamp<int64_t>(workers == 0 ? kUsualWorkers : workers, 1, kMostWorkers);
  std::optional<Time> look_again;
  bool all_done = true;
  for (size_t i = 0; i < batch.shards.size(); ++i) {
    const BatchShard& shard = batch.shards[i];
    if (shard.done) continue;
    all_done = false;
    if (!MayTry(shard.backoff, clock_.Now())) {
      look_again = std::min(look_again.value_or(*shard.backoff.next_try), *shard.backoff.next_try);
      continue;
    }
    Key name = fmt::format("{}#{}", key, i);
    bool begins = CountRunning(key) < workers && running_.With([&](std::set<Key>& running) {
      return running.insert(name).second;
    });
    if (!begins) continue;
    bool taken = pool_.Submit(kind(), name, [this, key, i, name] {
      try {
        RunShard(key, i);
      } catch (...) {
        running_.With([&](std::set<Key>& running) { running.erase(name); });
        throw;
      }
      running_.With([&](std::set<Key>& running) { running.erase(name); });
    });
    if (!taken) running_.With([&](std::set<Key>& running) { running.erase(name); });
  }
  if (all_done) Finish(key, JobState::kSucceeded, "");
  return look_again;
}

// The version that predicts; one is made for a model that is given by its place.
Key BatchController::ChooseVersion(Txn& txn, const JobRecord& job, BatchRecord& batch) {
  const PredictionInput& input = *job.job.predictionInput;
  if (!input.uri.empty()) {
    VersionRecord version{.project = job.project,
                          .model = "~" + job.job.jobId,
                          .name = "batch",
                          .uid = ids_.NextWord()};
    version.resource.deploymentUri = input.uri;
    version.resource.runtimeVersion = input.runtimeVersion;
    CompleteVersion(version.resource);
    version.resource.state = api::ml::VersionState::kCreating;
    version.resource.createTime = clock_.Now();
    batch.hidden = true;
    txn.Put(version.key(), version);
    return version.key();
  }
  PredictionModel named = *FindPredictionModel(input, job.project);
  ModelRecord model = LoadModel(txn, named.project, named.name);
  std::string version = named.version.empty() ? model.default_version : named.version;
  if (version.empty()) throw Failure(Code::kInvalid, "The model has no default version.");
  return LoadVersion(txn, named.project, named.name, version).key();
}

// Who submitted the job was asked then; its account asks now, as it does for the files.
void BatchController::RequireModel(const JobRecord& job) const {
  auto model = FindPredictionModel(*job.job.predictionInput, job.project);
  if (!model || world_.may(job.account, model->permission(), model->resource())) return;
  throw Failure(Code::kDenied,
                fmt::format("The account {} may not ask {}: it needs {} there, which "
                            "roles/ml.modelUser has.",
                            job.account, model->resource(), model->permission()));
}

void BatchController::Prepare(const Key& key) {
  auto row = Query(catalog_, [&](Txn& txn) { return txn.Find<JobRecord>(key); });
  if (!row || HasEnded(row->value.job.state)) return;
  const JobRecord& job = row->value;
  BatchRecord batch;
  try {
    RequireModel(job);
    for (const std::string& path : job.job.predictionInput->inputPaths) {
      Place place = ParsePlace(path);
      std::string pattern = place.name.ends_with('/') ? place.name + "**" : place.name;
      if (static_cast<size_t>(std::ranges::count(pattern, '*')) > kMostStars) {
        throw Failure(Code::kInvalid, "There are too many wildcards in " + path + ".");
      }
      std::string prefix = pattern.substr(0, pattern.find_first_of("*?"));
      for (const BatchFile& file : world_.list(job.account, place.bucket, prefix).value()) {
        if (!MatchesPath(pattern, file.name)) continue;
        batch.shards.push_back({file.bucket, file.name, file.generation, file.size});
      }
    }
    if (batch.shards.empty()) throw Failure(Code::kNotFound, "No input file was found.");
    if (batch.shards.size() > kMostShards) throw Failure(Code::kInvalid, "Too many input files.");
    catalog_.Write("batch job starts", [&](Txn& txn) {
      auto stored = txn.Find<JobRecord>(key);
      if (!stored || HasEnded(stored->value.job.state) || txn.Find<BatchRecord>(key)) return;
      batch.version = ChooseVersion(txn, job, batch);
      txn.Put(key, batch);
      stored->value.job.state = JobState::kRunning;
      stored->value.job.startTime = clock_.Now();
      txn.Put(key, stored->value);
    });
  } catch (const Failure& failure) {
    if (!IsFinal(failure.error())) throw;
    Finish(key, JobState::kFailed, failure.what());
  }
}

bool BatchController::IsWanted(const Key& key) {
  auto row = Query(catalog_, [&](Txn& txn) { return txn.Find<JobRecord>(key); });
  return row && !HasEnded(row->value.job.state) && !IsCalledOff(row->value);
}

// Reads, predicts and writes one file. Throws Failure; kCancelled when nobody wants it any more.
BatchShard BatchController::Predict(const JobRecord& job, const BatchRecord& batch, size_t index) {
  const PredictionInput& input = *job.job.predictionInput;
  BatchShard shard = batch.shards[index];
  ShardPredictor::Rules rules{
      .size = static_cast<size_t>(std::max<int64_t>(1, input.batchSize.value_or(kUsualBatch))),
      .last_try = shard.backoff.attempts + 1 >= kMostTries};
  const Error unwanted{Code::kCancelled, "", "The job has ended."};
  ShardPredictor predictor(input, rules, [&](const std::string& body) -> Result<std::string> {
    if (!IsWanted(job.key())) return unwanted;
    return world_.predict(batch.version, body);
  });
  world_
      .read(job.account, {shard.bucket, shard.name, shard.generation, shard.size},
            [&](std::string_view piece) { predictor.Feed(piece); })
      .value();
  predictor.End();
  if (!IsWanted(job.key())) throw Failure(unwanted);
  shard.predictions = predictor.predictions();
  shard.errors = static_cast<int64_t>(predictor.errors().count());
  Place out = ParsePlace(input.outputPath);
  if (!out.name.empty() && !out.name.ends_with('/')) out.name += '/';
  size_t shards = batch.shards.size();
  world_
      .write(job.account, out.bucket, out.name + ShardName("results", index, shards),
             predictor.results())
      .value();
  world_
      .write(job.account, out.bucket, out.name + ShardName("errors_stats", index, shards),
             predictor.errors().Text())
      .value();
  return shard;
}

void BatchController::RunShard(const Key& key, size_t index) {
  auto job = Query(catalog_, [&](Txn& txn) { return txn.Find<JobRecord>(key); });
  auto batch = Query(catalog_, [&](Txn& txn) { return txn.Find<BatchRecord>(key); });
  if (!job || !batch || !IsWanted(key) || index >= batch->value.shards.size()) return;
  if (batch->value.shards[index].done) return;
  BatchShard shard = batch->value.shards[index];
  try {
    shard = Predict(job->value, batch->value, index);
    shard.done = true;
  } catch (const Failure& failure) {
    if (!IsWanted(key)) return;
    log_.Warning("shard failed",
                 {{"job", key}, {"shard", index}, {"error", failure.error().message}});
    shard.backoff = AfterFailure(shard.backoff, kPause, key, clock_.Now());
    if (IsFinal(failure.error()) || shard.backoff.attempts >= kMostTries) {
      return Finish(key, JobState::kFailed, fmt::format("{}: {}", shard.name, failure.what()));
    }
  }
  catalog_.Write("batch shard", [&](Txn& txn) {
    auto stored = txn.Find<BatchRecord>(key);
    if (!stored) return;
    stored->value.shards[index] = shard;
    txn.Put(key, stored->value);
  });
}

void BatchController::Finish(const Key& key, JobState state, const std::string& why) {
  catalog_.Write("batch job ends", [&](Txn& txn) {
    auto row = txn.Find<JobRecord>(key);
    if (!row || HasEnded(row->value.job.state)) return;
    api::ml::Job& job = row->value.job;
    job.state = state;
    job.errorMessage = why;
    job.endTime = clock_.Now();
    auto batch = txn.Find<BatchRecord>(key);
    api::ml::PredictionOutput output{.outputPath = job.predictionInput->outputPath};
    if (batch) {
      for (const BatchShard& shard : batch->value.shards) {
        output.predictionCount += shard.predictions;
        output.errorCount += shard.errors;
      }
      Duration ran = *job.endTime - job.startTime.value_or(*job.endTime);
      output.nodeHours = std::chrono::duration<double>(ran).count() / 3600;
      auto version = txn.Find<VersionRecord>(batch->value.version);
      if (batch->value.hidden && version) {
        version->value.deleting = true;
        version->value.delete_since = clock_.Now();
        txn.Put(version->key, version->value);
      }
      txn.Erase<BatchRecord>(key);
    }
    job.predictionOutput = output;
    txn.Put(key, row->value);
  });
  log_.Info("batch job ended", {{"job", key}, {"state", EnumName(state)}, {"why", why}});
}

}  // namespace fireweed::ml
