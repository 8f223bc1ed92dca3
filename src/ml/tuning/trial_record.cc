#include "ml/tuning/trial_record.h"

#include <fmt/format.h>

namespace fireweed::ml {

Key TrialKey(std::string_view project, std::string_view job, std::string_view trial) {
  return fmt::format("{}/{}/{}", project, job, trial);
}

void OpenTrial(Txn& txn, const Key& key, const TrialRecord& trial) {
  if (txn.Find<TrialRecord>(key)) return;
  TrialRecord record = trial;
  if (record.tag.empty()) record.tag = kDefaultMetricTag;
  txn.Put(key, record, 0);
}

bool CloseTrial(Txn& txn, const Key& key) {
  std::optional<Row<TrialRecord>> row = txn.Find<TrialRecord>(key);
  if (!row) return true;
  if (!row->value.closed) {
    row->value.closed = true;
    txn.Put(key, row->value, row->version);
  }
  return row->value.complete;
}

void ShowMetrics(Txn& txn, const Key& key, api::ml::HyperparameterOutput& trial) {
  std::optional<Row<TrialRecord>> row = txn.Find<TrialRecord>(key);
  if (!row) return;
  trial.allMetrics = row->value.metrics;
  trial.finalMetric = row->value.final_metric;
}

void RemoveTrials(Txn& txn, std::string_view project, std::string_view job) {
  txn.ForEach<TrialRecord>({.prefix = TrialKey(project, job, "")}, [&](Row<TrialRecord>& row) {
    if (row.value.folder.empty()) {
      txn.Erase<TrialRecord>(row.key);
      return;
    }
    row.value.closed = row.value.complete = row.value.forgotten = true;
    txn.Put(row.key, row.value, row.version);
  });
}

}  // namespace fireweed::ml
