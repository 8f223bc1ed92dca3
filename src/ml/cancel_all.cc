#include "ml/cancel_all.h"

#include "ml/job_record.h"

namespace fireweed::ml {

int CancelAllJobs(Txn& txn) {
  int cancelled = 0;
  txn.ForEach<ActiveJob>({}, [&](const Row<ActiveJob>& active) {
    auto row = txn.Find<JobRecord>(active.key);
    if (!row || row->value.cancel || api::ml::HasEnded(row->value.job.state)) return;
    row->value.cancel = true;
    row->value.job.state = api::ml::JobState::kCancelling;
    txn.Put(row->key, row->value);
    ++cancelled;
  });
  return cancelled;
}

}  // namespace fireweed::ml
