// What a replica is told about its job: TF_CONFIG, CLUSTER_SPEC and the other variables of the cloud's trainers. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ml/job_record.h"

namespace fireweed::ml {

inline constexpr int32_t kReplicaPort = 2222;

// "HOST:PORT" where a replica of the gang listens: the same for all its boots.
std::string ReplicaAddress(const Gang& gang, size_t replica);

// Whether the first replica is called "chief": runtimes from 2.1 on, and images that ask for it.
bool UsesChief(const api::ml::TrainingInput& input);

// TF_CONFIG as the public documentation gives it. An evaluator is no member of the cluster.
std::string TfConfig(const JobRecord& job, const Gang& gang, size_t replica);
std::string ClusterSpec(const JobRecord& job, const Gang& gang, size_t replica);

// The job directory of this gang: that of the job, or below it for a trial. Empty: none.
std::string GangJobDir(const JobRecord& job, const Gang& gang);
// The arguments of the trainer: its own, the trial's, and --job-dir.
std::vector<std::string> TrainerArgs(const JobRecord& job, const Gang& gang);

// Everything above, with identifiers and the number of threads that fit `cpus`.
std::map<std::string, std::string> ReplicaEnvironment(const JobRecord& job, const Gang& gang,
                                                      size_t replica, double cpus);

}  // namespace fireweed::ml
