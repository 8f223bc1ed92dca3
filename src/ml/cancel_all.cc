#include "ml/cancel_all.h"

#include "ml/job_record.h"

namespace fireweed::ml {

int CancelAllJobs(Txn& txn) {
  int cancelled = 0;
  ScanRange range;
  while (true) {
    auto rows = txn.Scan<ActiveJob>(range);
    if (rows.empty()) return cancelled;
    range.after = rows.back().key;
    for (const auto& active : rows) {
      auto row = txn.Find<JobRecord>(active.key);
      if (!row || row->value.cancel || api::ml::HasEnded(row->value.job.state)) continue;
      row->value.cancel = true;
      row->value.job.state = api::ml::JobState::kCancelling;
      txn.Put(row->key, row->value);
      ++cancelled;
    }
  }
}

}  // namespace fireweed::ml
