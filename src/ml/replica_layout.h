// From a training input to its replicas: how many of which machine, what they cost, and what they are called. Pure
// tables and arithmetic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/ml/training_input.h"
#include "compute/catalogue.h"
#include "ml/job_record.h"

namespace fireweed::ml {

inline constexpr int64_t kMostReplicas = 256;

// A machine type as compute knows it, for one of its names here: "n1-standard-4", or a name of the early days
// ("complex_model_m_gpu") that brings its accelerators along. nullopt: no such type.
struct ReplicaMachine {
  std::string type;
  std::string accelerator;  // "NVIDIA_TESLA_K80"
  int64_t accelerators = 0;
  // The accelerator as compute knows it, "nvidia-tesla-k80".
  std::string card() const;
};
std::optional<ReplicaMachine> FindReplicaMachine(std::string_view name);

// Replicas of one type that are alike.
struct ReplicaSet {
  ReplicaType type = ReplicaType::kMaster;
  int64_t count = 1;
  ReplicaMachine machine;
  const api::ml::ReplicaConfig* config = nullptr;  // of the input; null: none
};
// In the order master, worker, ps, evaluator; sets of nothing are left out. REQUIRES: the input was checked.
std::vector<ReplicaSet> LayoutOf(const api::ml::TrainingInput& input);
// The set that a replica is of. REQUIRES: there is one.
ReplicaSet SetOf(const api::ml::TrainingInput& input, ReplicaType type);

// How a replica in an image is run: as its own configuration says where that says anything of it, or the master's.
// REQUIRES: UsesImage(input).
const api::ml::ReplicaConfig& ContainerOf(const api::ml::TrainingInput& input, ReplicaType type);

// "master-replica-0"; and in TF_CONFIG "master", "worker", "ps", "evaluator".
std::string_view TypeWord(ReplicaType type);
std::string TaskName(ReplicaType type, int32_t index);

// What a gang takes of the machine after clipping (ADR 27).
struct GangDemand {
  double cpus = 0;
  int64_t memory_mb = 0;
  CardCounts cards;  // of the types that the machine has
};
GangDemand DemandOf(const api::ml::TrainingInput& input, const compute::Catalogue& catalogue);

// How many gangs of a job are under way at once: as many as its search allows, and as there are cards for. Replicas
// take their cards one by one: of more gangs each could have some, and wait for the others' for ever.
int32_t GangsAtOnce(const api::ml::TrainingInput& input, const compute::Catalogue& catalogue);
// Whether a replica gets an NVIDIA accelerator of this host.
bool UsesNvidia(const api::ml::TrainingInput& input, const compute::Catalogue& catalogue);

// Training units of one gang for one hour: the public price of its machines, in units of 0.49 a hour.
double UnitsPerHour(const api::ml::TrainingInput& input, const compute::Catalogue& catalogue);

}  // namespace fireweed::ml
