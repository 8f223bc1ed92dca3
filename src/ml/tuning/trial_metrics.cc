#include "ml/tuning/trial_metrics.h"

#include <fmt/format.h>

#include "describe/type.h"
#include "ml/tuning/event_follower.h"
#include "ml/tuning/metric_folder.h"
#include "ml/tuning/trial_report.h"

namespace fireweed::ml {
namespace {

constexpr int kMostFailures = 5;  // of a closed trial, before it is complete without its files

void AddWarning(TrialRecord& trial, const std::string& what) {
  if (trial.warning.find(what) != std::string::npos) return;
  trial.warning += fmt::format("{}{}", trial.warning.empty() ? "" : "; ", what);
}

}  // namespace

TrialMetrics::TrialMetrics(Catalog& catalog, ActionPool& pool, AccountObjects& objects,
                           const Clock& clock, Warn warn)
    : catalog_(catalog), pool_(pool), objects_(objects), clock_(clock), warn_(std::move(warn)) {}

TrialMetrics::~TrialMetrics() = default;

std::optional<Time> TrialMetrics::Reconcile(const Key& key) {
  auto row = Query(catalog_, [&](Txn& txn) { return txn.Find<TrialRecord>(key); });
  if (!row || row->value.complete) {
    readings_.With([&](auto& readings) { readings.erase(key); });
    if (row && !row->value.folder.empty())
      pool_.Submit(kind(), key, [this, key, folder = row->value.folder] { Clear(key, folder); });
    return std::nullopt;
  }
  if (!row->value.closed) {
    std::optional<Time> looked =
        readings_.With([&](auto& readings) { return readings[key].looked; });
    if (looked && clock_.Now() < *looked + kInterval) return *looked + kInterval;
  }
  // While one runs nothing is submitted; its end brings the key here again.
  pool_.Submit(kind(), key, [this, key] { Look(key); });
  return std::nullopt;
}

std::shared_ptr<EventFollower> TrialMetrics::Begin(const Key& key, const TrialRecord& trial) {
  return readings_.With([&](auto& readings) {
    Reading& reading = readings[key];
    reading.looked = clock_.Now();
    if (!reading.events)
      reading.events =
          std::make_shared<EventFollower>(objects_, trial.account, trial.directory, trial.tag);
    return reading.events;
  });
}

int TrialMetrics::CountFailure(const Key& key) {
  return readings_.With([&](auto& readings) { return ++readings[key].failures; });
}

void TrialMetrics::Collect(const Key& key, TrialRecord& trial, EventFollower& events) {
  Result<> followed = events.Follow();
  if (!followed.ok()) {
    bool may_pass = followed.error().code == Code::kUnavailable;
    if (may_pass && (!trial.closed || CountFailure(key) < kMostFailures))
      throw Failure(followed.error());
    AddWarning(trial,
               fmt::format("{} could not be read: {}", trial.directory, followed.error().message));
  }
  if (!events.damage().empty()) AddWarning(trial, events.damage());
  std::vector<records::Measurement> found = events.Measurements();
  if (!trial.folder.empty()) {
    Result<std::string> text = ReadMetricFile(trial.folder);
    if (!text.ok()) {
      AddWarning(trial, text.error().message);
    } else {
      std::vector<records::Measurement> reported = records::ReadHypertune(*text, trial.tag);
      found.insert(found.end(), reported.begin(), reported.end());
    }
  }
  api::ml::HyperparameterOutput shown;
  Report(shown, std::move(found));
  // The hypertune file holds the last hundred reports only: what was seen of earlier ones is kept.
  if (!trial.folder.empty()) KeepEarlier(shown, trial.metrics);
  if (!shown.finalMetric) return;
  trial.metrics = std::move(shown.allMetrics);
  trial.final_metric = shown.finalMetric;
}

void TrialMetrics::Tell(const Key& key, const TrialRecord& trial) const {
  if (!warn_) return;
  if (!trial.warning.empty()) warn_(key, trial.warning);
  if (!trial.final_metric)
    warn_(key, fmt::format("No value of the metric \"{}\" was found: neither in event files below "
                           "{} nor in the hypertune file.",
                           trial.tag, trial.directory.empty() ? "a job dir" : trial.directory));
}

void TrialMetrics::Clear(const Key& key, const std::string& folder) {
  if (Result<> removed = RemoveMetricFolder(folder); !removed.ok()) throw Failure(removed.error());
  catalog_.Write("trial folder", [&](Txn& txn) {
    auto row = txn.Find<TrialRecord>(key);
    if (!row) return;
    row->value.folder.clear();
    if (row->value.forgotten) {
      txn.Erase<TrialRecord>(key);
    } else {
      txn.Put(key, row->value, row->version);
    }
  });
}

void TrialMetrics::Look(const Key& key) {
  auto row = Query(catalog_, [&](Txn& txn) { return txn.Find<TrialRecord>(key); });
  if (!row || row->value.complete) return;
  TrialRecord seen = row->value;
  std::shared_ptr<EventFollower> events = Begin(key, seen);
  Collect(key, seen, *events);
  if (seen.closed) Tell(key, seen);
  catalog_.Write("trial metrics", [&](Txn& txn) {
    auto current = txn.Find<TrialRecord>(key);
    if (!current) return;
    TrialRecord next = current->value;
    next.metrics = seen.metrics;
    next.final_metric = seen.final_metric;
    next.warning = seen.warning;
    // Closed before the look began: it has seen everything.
    next.complete = seen.closed;
    if (!SameValue(next, current->value)) txn.Put(key, next, current->version);
  });
}

}  // namespace fireweed::ml
