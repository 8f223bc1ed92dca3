// What for: the figures that a tuning job's trainers report, one row a trial, apart from the job's own row, so that
//   reading them never gets in the way of whoever runs the job.
// Who writes: the job controller opens a trial's row when it makes the trial, and closes it when the trainer has ended;
//   TrialMetrics fills it in between, reads once more after the close, and then says `complete`.
// Key: "PROJECT/JOB/TRIAL". The rows go with the job.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/ml/hyperparameters.h"
#include "catalog/record.h"
#include "describe/type.h"

namespace fireweed::ml {

// TensorFlow's own name for the metric of a job that names none.
inline constexpr std::string_view kDefaultMetricTag = "training/hptuning/metric";

struct TrialRecord {
  std::string account;    // e-mail that may read the trial's files
  std::string directory;  // "gs://bucket/job/3", event files at any depth below; empty: none
  std::string folder;     // on this host, for the hypertune file (metric_folder.h); empty: none
  std::string tag;

  bool closed = false;     // the trainer has ended: nothing more will be written
  bool complete = false;   // everything has been read; nothing changes any more
  bool forgotten = false;  // the job has ended: the row goes once its folder is gone
  std::vector<api::ml::HyperparameterMetric> metrics;  // steps ascending
  std::optional<api::ml::HyperparameterMetric> final_metric;
  std::string warning;  // why something could not be read, for the job's log
};

Key TrialKey(std::string_view project, std::string_view job, std::string_view trial);

// Makes the row where there is none: may run twice.
void OpenTrial(Txn& txn, const Key& key, const TrialRecord& trial);
// Marks it closed; true once it is complete. A trial that was never opened is complete.
bool CloseTrial(Txn& txn, const Key& key);
// Copies what is known of it into what the API shows.
void ShowMetrics(Txn& txn, const Key& key, api::ml::HyperparameterOutput& trial);
// The rows of a job that has ended; those that still have a folder go when TrialMetrics has removed it.
void RemoveTrials(Txn& txn, std::string_view project, std::string_view job);

}  // namespace fireweed::ml

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<ml::TrialRecord> = "TrialRecord";
template <>
inline constexpr auto kFields<ml::TrialRecord> = [](auto...) {
  return Fields{
      F("account", &ml::TrialRecord::account), F("directory", &ml::TrialRecord::directory),
      F("folder", &ml::TrialRecord::folder),   F("tag", &ml::TrialRecord::tag),
      F("closed", &ml::TrialRecord::closed),   F("complete", &ml::TrialRecord::complete),
      F("metrics", &ml::TrialRecord::metrics), F("finalMetric", &ml::TrialRecord::final_metric),
      F("warning", &ml::TrialRecord::warning), F("forgotten", &ml::TrialRecord::forgotten)};
};
template <>
inline constexpr std::string_view kRecordKind<ml::TrialRecord> = "ml.trial";
}  // namespace fireweed
