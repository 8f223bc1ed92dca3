// What for: from a replica to its instance: made, started again, stopped and removed as rows, in the caller's
//   transaction. The instance controller does the rest.
// Who calls: the job controller, on the control thread.
// A failure: Failure with words for the job's owner.
#pragma once

#include <string>

#include "base/ids.h"
#include "catalog/catalog.h"
#include "compute/catalogue.h"
#include "compute/records.h"
#include "ml/job_record.h"

namespace fireweed::ml {

struct ReplicaTerms {
  const compute::Catalogue& catalogue;
  IdSource& ids;
  bool strict = false;       // refuse what is larger than the machine
  bool own_network = true;   // each instance has an address and ports of its own
  bool preemptible = false;  // chance may end replicas, as it does preemptible instances
  std::string metric_root;   // where trials report to; empty: nowhere
};

// Settles names and ports of a gang that is about to be made. Twice is once.
void NameReplicas(Txn& txn, const JobRecord& job, Gang& gang, bool own_network);

// Stores the instance with its disk and its workload; gives its id.
int64_t MakeReplica(Txn& txn, const JobRecord& job, const Gang& gang, size_t replica,
                    const ReplicaTerms& terms, Time now);
Key ReplicaKey(const JobRecord& job, const Replica& replica);

// Throws Failure(kInvalid) for an image of the job that is not registered or not ready.
void CheckImages(Txn& txn, const JobRecord& job);

// Nothing happens when it is gone.
void RestartReplica(Txn& txn, const JobRecord& job, const Replica& replica);
void StopReplica(Txn& txn, const JobRecord& job, const Replica& replica);
void RemoveReplica(Txn& txn, const JobRecord& job, const Replica& replica);

// The compute image that an image URI of a container stands for: "gcr.io/p/trainer:v2" is the image "trainer-v2" of the
// project, or "trainer"; a link of a compute image is itself. Pure.
std::vector<std::string> ImageCandidates(const std::string& uri);

}  // namespace fireweed::ml
