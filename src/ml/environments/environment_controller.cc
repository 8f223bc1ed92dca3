#include "ml/environments/environment_controller.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "compute/member_instances.h"
#include "compute/records.h"
#include "ml/job_log.h"
#include "ml/job_record.h"

namespace fireweed::ml {
namespace {

using compute::InstanceRecord;

// A failed set is built again when it is asked for after this long: the network, or an index, may be back.
constexpr Duration kFailureHolds = std::chrono::minutes(1);
constexpr Duration kLongestBuild = std::chrono::minutes(45);
constexpr Duration kUseGrain = std::chrono::hours(1);  // last_used is not written more often
// Somebody may have been told "ready" up to kUseGrain after last_used; by twice that it shows who uses it.
constexpr Duration kJustUsed = 2 * kUseGrain;

EnvironmentFailed Refused(const EnvironmentWish& wish, const RuntimeTable& table) {
  return {fmt::format("Runtime version {} is not supported. Supported are: {}.",
                      wish.runtime_version, fmt::join(table.Versions(), ", "))};
}

std::string WhatIsInstalled(const EnvironmentRecord& record) {
  if (record.shared) {
    return fmt::format("{}, which later jobs share",
                       record.runtime.empty() ? "Python" : "runtime " + record.runtime);
  }
  std::vector<std::string> names;
  for (const PackageFile& package : record.packages) {
    names.push_back(std::filesystem::path(package.name).filename().string());
  }
  return fmt::format("{}{}", fmt::join(names, ", "), record.python ? " and its requirements" : "");
}

}  // namespace

EnvironmentController::EnvironmentController(EnvironmentParts parts, EnvironmentPlace place,
                                             EnvironmentRules rules)
    : parts_(std::move(parts)), place_(std::move(place)), rules_(std::move(rules)) {}

std::optional<EnvironmentRecord> EnvironmentController::Find(const Key& key) const {
  auto row = Query(parts_.catalog, [&](Txn& txn) { return txn.Find<EnvironmentRecord>(key); });
  if (!row) return std::nullopt;
  return std::move(row->value);
}

EnvironmentAnswer EnvironmentController::Ask(const EnvironmentWish& wish) {
  const Runtime* runtime = rules_.runtimes.Find(wish.runtime_version);
  if (!runtime) return Refused(wish, rules_.runtimes);
  std::vector<PackageSight> sights;
  for (const std::string& uri : wish.package_uris) {
    Result<PackageSight> sight = parts_.packages.Find(uri, wish.account);
    if (!sight.ok()) {
      return EnvironmentFailed{fmt::format("The package {} cannot be read as {}: {}", uri,
                                           wish.account, sight.error().message)};
    }
    sights.push_back(*sight);
  }
  std::optional<EnvironmentRecord> base = RuntimeEnvironment(*runtime, wish, rules_.world);
  std::optional<EnvironmentRecord> packages;
  if (base) base = Ensure(*base);
  if (!sights.empty()) {
    packages =
        Ensure(PackageEnvironment(*runtime, wish, sights, base ? base->key : "", rules_.world));
  }
  for (const auto& record : {base, packages}) {
    if (!record) continue;
    if (record->state == EnvironmentState::kFailed) return EnvironmentFailed{record->message};
    if (record->state != EnvironmentState::kReady) {
      return EnvironmentBuilding{packages ? packages->key : record->key, record->since,
                                 WhatIsInstalled(*record)};
    }
  }
  EnvironmentReady ready = ReadyOf(*runtime, base ? &*base : nullptr,
                                   packages ? &*packages : nullptr, place_, rules_.world);
  for (std::string& warning : WarningsOf(*runtime, wish)) {
    ready.warnings.push_back(std::move(warning));
  }
  return ready;
}

EnvironmentRecord EnvironmentController::Ensure(const EnvironmentRecord& wanted) {
  Time now = parts_.clock.Now();
  auto fresh = [&](const EnvironmentRecord& stored) {
    if (stored.state == EnvironmentState::kReady) {
      return now - stored.last_used < kUseGrain && place_.IsReady(stored);
    }
    bool old = stored.finished && now - *stored.finished >= kFailureHolds;
    return stored.state != EnvironmentState::kFailed || !old;
  };
  if (std::optional<EnvironmentRecord> stored = Find(wanted.key); stored && fresh(*stored)) {
    return *stored;
  }
  std::lock_guard lock(removing_);
  return Update(parts_.catalog, "environment asked for", [&](Txn& txn) {
    auto row = txn.Find<EnvironmentRecord>(wanted.key);
    EnvironmentRecord record = row ? row->value : wanted;
    if (row && fresh(record)) return record;
    record.last_used = now;
    if (!row || record.state == EnvironmentState::kFailed || !place_.IsReady(record)) {
      // Read anew as whoever asks now.
      record.packages = wanted.packages;
      record.account = wanted.account;
      record.project = wanted.project;
      record.state = EnvironmentState::kWaiting;
      record.since = now;
      record.finished.reset();
      record.attempts = 0;
      record.message.clear();
      record.warnings.clear();
      // A runtime that another daemon of this host has built is simply there.
      if (record.shared && place_.IsReady(record)) record.state = EnvironmentState::kReady;
    }
    txn.Put(record.key, record);
    return record;
  });
}

std::vector<std::string_view> EnvironmentController::also_watches() const {
  return {kRecordKind<InstanceRecord>};
}

std::vector<Key> EnvironmentController::Concerns(std::string_view, const Key& key) {
  // "PROJECT/ZONE/fireweed-KEY-ATTEMPT": most instances are not builders, and their names say so.
  constexpr std::string_view kPrefix = "/fireweed-";
  size_t at = key.rfind(kPrefix), dash = key.rfind('-');
  if (at == key.npos || dash <= at + kPrefix.size()) return {};
  return {key.substr(at + kPrefix.size(), dash - at - kPrefix.size())};
}

std::optional<Time> EnvironmentController::Reconcile(const Key& key) {
  std::optional<EnvironmentRecord> record = Find(key);
  if (!record) return std::nullopt;
  switch (record->state) {
    case EnvironmentState::kWaiting: return Wait(*record);
    case EnvironmentState::kBuilding: return Watch(*record);
    case EnvironmentState::kReady:
    case EnvironmentState::kFailed: break;
  }
  if (record->shared && record->state == EnvironmentState::kReady) place_.ShowInterpreter(*record);
  TellDependents(key);
  if (sink_) sink_(key);
  return std::nullopt;
}

void EnvironmentController::TellDependents(const Key& base) {
  for (const EnvironmentRecord& other : All()) {
    bool waits = other.base == base && other.state == EnvironmentState::kWaiting;
    if (waits) parts_.loop.Wake(kind(), other.key);
  }
}

std::optional<Time> EnvironmentController::Wait(const EnvironmentRecord& record) {
  if (!record.base.empty()) {
    std::optional<EnvironmentRecord> base = Find(record.base);
    if (!base || base->state == EnvironmentState::kFailed) {
      Fail(record, base ? base->message : "The runtime below it is gone.");
      return std::nullopt;
    }
    if (base->state != EnvironmentState::kReady) return std::nullopt;
  }
  parts_.pool.Submit(kind(), record.key, [this, record] { Begin(record); });
  return std::nullopt;
}

std::string EnvironmentController::BasePathOf(const EnvironmentRecord& record) const {
  if (record.base.empty()) return "";
  std::optional<EnvironmentRecord> base = Find(record.base);
  return base ? place_.PathOf(*base) : "";
}

Result<> EnvironmentController::Prepare(const EnvironmentRecord& record,
                                        const std::string& base_path) {
  if (Result<> made = place_.MakeEmpty(record); !made.ok()) return made;
  std::string folder = place_.BuildPathOf(record) + "/upper/packages/";
  for (const PackageFile& package : record.packages) {
    std::error_code failed;
    std::filesystem::create_directories(std::filesystem::path(folder + package.name).parent_path(),
                                        failed);
    Result<> copied = parts_.packages.Copy(package.uri, package.generation, record.account,
                                           folder + package.name);
    if (!copied.ok()) return copied;
  }
  return place_.WriteOrder(record, base_path);
}

void EnvironmentController::Begin(const EnvironmentRecord& record) {
  std::optional<EnvironmentRecord> now = Find(record.key);
  bool still = now && now->state == EnvironmentState::kWaiting && now->attempts == record.attempts;
  if (!still) return;
  std::string base_path = BasePathOf(record);
  if (Result<> prepared = Prepare(record, base_path); !prepared.ok()) {
    return Fail(record, prepared.error().message);
  }
  Change(record, "environment builder", [&](Txn& txn, EnvironmentRecord& stored) {
    compute::InsertContext context{
        .catalogue = parts_.catalogue, .id = parts_.ids.NextNumber(), .now = parts_.clock.Now()};
    api::compute::InsertInstance request = BuilderRequest(stored, rules_.world);
    InstanceRecord builder = compute::MakeMember(
        txn,
        {.request = request,
         .context = context,
         .complete =
             [&](InstanceRecord& made) {
               made.workload = BuilderWorkload(stored, base_path, place_, rules_.world);
             }},
        parts_.ids);
    stored.builder = builder.key();
    stored.builder_id = builder.resource.id;
    stored.state = EnvironmentState::kBuilding;
  });
  parts_.log.Info("environment is being built", {{"environment", record.key}});
}

// What the builder's row says.
std::optional<Time> EnvironmentController::Watch(const EnvironmentRecord& record) {
  auto row =
      Query(parts_.catalog, [&](Txn& txn) { return txn.Find<InstanceRecord>(record.builder); });
  bool ours = row && row->value.resource.id == record.builder_id;
  const std::optional<compute::LastExit> exit = ours ? row->value.last_exit : std::nullopt;
  if (exit && exit->asked_by == "WORKLOAD") {
    parts_.pool.Submit(kind(), record.key, [this, record] { Finish(record); });
    return std::nullopt;
  }
  bool over = parts_.clock.Now() - record.since >= kLongestBuild;
  bool lost = !ours || exit.has_value();
  if (!over && !lost) return record.since + kLongestBuild;
  if (over || record.attempts + 1 >= kMostAttempts) {
    std::string why = over ? "It took too long." : "Its builder was lost several times.";
    Fail(record, "The packages could not be installed. " + why);
    return std::nullopt;
  }
  Change(record, "environment again", [&](Txn& txn, EnvironmentRecord& stored) {
    DropBuilder(txn, stored);
    ++stored.attempts;
    stored.state = EnvironmentState::kWaiting;
  });
  return std::nullopt;
}

void EnvironmentController::Finish(const EnvironmentRecord& record) {
  std::optional<EnvironmentRecord> now = Find(record.key);
  bool still = now && now->state == EnvironmentState::kBuilding && now->builder == record.builder;
  if (!still) return;
  auto row =
      Query(parts_.catalog, [&](Txn& txn) { return txn.Find<InstanceRecord>(record.builder); });
  int code = row && row->value.last_exit ? row->value.last_exit->code : 0;
  Result<BuildResult> result = place_.ReadResult(record);
  if (!result.ok() || !result->error.empty() || code != 0) {
    std::string said = result.ok() ? result->error : "";
    if (said.empty()) said = fmt::format("The builder ended with exit status {}.", code);
    return Fail(record, said);
  }
  Result<int64_t> bytes = place_.Complete(record);
  if (!bytes.ok()) return Fail(record, bytes.error().message);
  Change(record, "environment ready", [&](Txn& txn, EnvironmentRecord& stored) {
    DropBuilder(txn, stored);
    stored.state = EnvironmentState::kReady;
    stored.finished = parts_.clock.Now();
    stored.warnings = result->warnings;
    stored.bytes = *bytes;
  });
  parts_.log.Info("environment is ready", {{"environment", record.key}, {"bytes", *bytes}});
}

void EnvironmentController::Fail(const EnvironmentRecord& record, const std::string& message) {
  parts_.log.Warning("environment failed", {{"environment", record.key}, {"error", message}});
  Change(record, "environment failed", [&](Txn& txn, EnvironmentRecord& stored) {
    DropBuilder(txn, stored);
    stored.state = EnvironmentState::kFailed;
    stored.finished = parts_.clock.Now();
    stored.message = message;
  });
}

void EnvironmentController::DropBuilder(Txn& txn, EnvironmentRecord& record) {
  auto row = txn.Find<InstanceRecord>(record.builder);
  if (row && row->value.resource.id == record.builder_id) {
    compute::MarkGone(txn, row->value, "delete", parts_.ids, parts_.clock.Now());
  }
  record.builder.clear();
  record.builder_id = 0;
}

void EnvironmentController::Change(const EnvironmentRecord& acted_on, std::string_view why,
                                   const std::function<void(Txn&, EnvironmentRecord&)>& change) {
  parts_.catalog.Write(why, [&](Txn& txn) {
    auto row = txn.Find<EnvironmentRecord>(acted_on.key);
    bool same = row && row->value.state == acted_on.state &&
                row->value.attempts == acted_on.attempts && row->value.since == acted_on.since;
    if (!same) return;
    change(txn, row->value);
    txn.Put(acted_on.key, row->value);
  });
}

std::vector<EnvironmentRecord> EnvironmentController::All() const {
  std::vector<EnvironmentRecord> all;
  ForEach<EnvironmentRecord>(parts_.catalog, {}, [&](Row<EnvironmentRecord>& row) {
    all.push_back(std::move(row.value));
  });
  return all;
}

std::set<std::string> EnvironmentController::UsedPaths() const {
  std::set<std::string> paths;
  auto add = [&paths](const std::vector<compute::Mount>& mounts) {
    for (const compute::Mount& mount : mounts) paths.insert(mount.path);
  };
  ForEach<InstanceRecord>(parts_.catalog, {}, [&](const auto& row) {
    bool down = row.value.seen == compute::MachineSeen::kStopped;
    if (row.value.workload && !down) add(row.value.workload->mounts);
  });
  // A job boots with what it was once prepared with: again after a preemption, and for each trial.
  parts_.catalog.Read([&](Txn& txn) {
    txn.ForEach<ActiveJob>({}, [&](const auto& row) {
      auto job = txn.Find<JobRecord>(row.key);
      if (job && job->value.prepared) add(job->value.prepared->mounts);
    });
  });
  return paths;
}

bool EnvironmentController::SetAside(const EnvironmentRecord& record) {
  std::lock_guard lock(removing_);
  std::optional<EnvironmentRecord> now = Find(record.key);
  if (!now || now->last_used != record.last_used) return false;
  // The directory first: a row without one is built again by whoever asks, after a crash as well. A directory without
  // a row would pass for one that another daemon has built.
  if (Result<> moved = place_.SetAside(record); !moved.ok()) {
    parts_.log.Warning("environment not removed",
                       {{"environment", record.key}, {"error", moved.error().message}});
    return false;
  }
  parts_.catalog.Write("environment swept",
                       [&](Txn& txn) { txn.Erase<EnvironmentRecord>(record.key); });
  return true;
}

void EnvironmentController::Sweep() {
  Time now = parts_.clock.Now();
  std::vector<EnvironmentRecord> all = All();
  std::erase_if(all, [](const auto& record) { return record.state != EnvironmentState::kReady; });
  std::ranges::sort(all, {}, &EnvironmentRecord::last_used);
  int64_t total = 0;
  std::set<Key> bases;
  for (const EnvironmentRecord& record : all) {
    total += record.bytes;
    bases.insert(record.base);
  }
  std::set<std::string> used_paths = UsedPaths();
  for (const EnvironmentRecord& record : all) {
    Duration unused = now - record.last_used;
    bool used = unused < kJustUsed || bases.contains(record.key) ||
                used_paths.contains(place_.PathOf(record));
    if (used || (unused <= rules_.keep && total <= rules_.most_bytes)) continue;
    (void)place_.RemoveAside(record);  // what a crash has left is in the way
    if (!SetAside(record)) continue;
    total -= record.bytes;
    Result<> removed = place_.RemoveAside(record);
    parts_.log.Info("environment removed", {{"environment", record.key}, {"ok", removed.ok()}});
  }
}

}  // namespace fireweed::ml
