#include "ml/replica_layout.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "ml/tuning/trial_plan.h"

namespace fireweed::ml {
namespace {

using api::ml::ScaleTier;
using api::ml::TrainingInput;

struct EarlyName {
  std::string_view name, type, accelerator;
  int64_t accelerators;
};
constexpr std::string_view kK80 = "NVIDIA_TESLA_K80", kP100 = "NVIDIA_TESLA_P100",
                           kV100 = "NVIDIA_TESLA_V100";
constexpr EarlyName kEarlyNames[] = {
    {"standard", "n1-standard-4", "", 0},
    {"large_model", "n1-highmem-8", "", 0},
    {"complex_model_s", "n1-highcpu-8", "", 0},
    {"complex_model_m", "n1-highcpu-16", "", 0},
    {"complex_model_l", "n1-highcpu-32", "", 0},
    {"standard_gpu", "n1-standard-8", kK80, 1},
    {"complex_model_m_gpu", "n1-standard-16", kK80, 4},
    {"complex_model_l_gpu", "n1-standard-32", kK80, 8},
    {"standard_p100", "n1-standard-8", kP100, 1},
    {"complex_model_m_p100", "n1-standard-16", kP100, 4},
    {"standard_v100", "n1-standard-8", kV100, 1},
    {"large_model_v100", "n1-highmem-8", kV100, 1},
    {"complex_model_m_v100", "n1-standard-16", kV100, 4},
    {"complex_model_l_v100", "n1-standard-32", kV100, 8},
};

struct Tier {
  std::string_view master, worker, server;
  int64_t workers, servers;
};
Tier TierOf(ScaleTier tier) {
  switch (tier) {
    case ScaleTier::kStandard1: return {"n1-highcpu-8", "n1-highcpu-8", "n1-standard-4", 4, 3};
    case ScaleTier::kPremium1: return {"n1-highcpu-16", "n1-highcpu-16", "n1-highmem-8", 19, 11};
    case ScaleTier::kBasicGpu: return {"standard_gpu", "", "", 0, 0};
    case ScaleTier::kBasic:
    case ScaleTier::kBasicTpu:
    case ScaleTier::kCustom: break;
  }
  return {"n1-standard-4", "", "", 0, 0};
}

ReplicaSet MakeSet(ReplicaType type, int64_t count, std::string_view machine,
                   const std::optional<api::ml::ReplicaConfig>& config) {
  ReplicaSet set{.type = type, .count = count, .config = config ? &*config : nullptr};
  set.machine = FindReplicaMachine(machine).value_or(ReplicaMachine{std::string(machine), "", 0});
  if (set.config && set.config->acceleratorConfig) {
    set.machine.accelerator = set.config->acceleratorConfig->type;
    set.machine.accelerators = set.config->acceleratorConfig->count;
  }
  return set;
}

// Public prices for an hour, which training units are counted in.
constexpr double kCpuHour = 0.03168, kGigabyteHour = 0.004219, kUnit = 0.49;
double AcceleratorHour(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, double>, 6> kPrices{
      {{kK80, 0.45},
       {kP100, 1.46},
       {kV100, 2.48},
       {"NVIDIA_TESLA_P4", 0.60},
       {"NVIDIA_TESLA_T4", 0.35},
       {"NVIDIA_TESLA_A100", 2.93}}};
  for (const auto& [name, price] : kPrices) {
    if (name == type) return price;
  }
  return 0;
}

int64_t CountOf(const compute::Catalogue& catalogue, const std::string& card) {
  return std::ranges::count(catalogue.host().accelerators, card);
}

}  // namespace

std::string ReplicaMachine::card() const {
  std::string type = accelerator;
  std::ranges::transform(type, type.begin(), [](unsigned char c) {
    return c == '_' ? '-' : static_cast<char>(std::tolower(c));
  });
  return type;
}

std::optional<ReplicaMachine> FindReplicaMachine(std::string_view name) {
  for (const EarlyName& early : kEarlyNames) {
    if (early.name != name) continue;
    return ReplicaMachine{std::string(early.type), std::string(early.accelerator),
                          early.accelerators};
  }
  if (name.empty() || name.find('_') != name.npos) return std::nullopt;
  return ReplicaMachine{std::string(name), "", 0};
}

std::vector<ReplicaSet> LayoutOf(const TrainingInput& input) {
  std::vector<ReplicaSet> sets;
  if (input.scaleTier != ScaleTier::kCustom) {
    Tier tier = TierOf(input.scaleTier);
    sets.push_back(MakeSet(ReplicaType::kMaster, 1, tier.master, input.masterConfig));
    sets.push_back(MakeSet(ReplicaType::kWorker, tier.workers, tier.worker, input.workerConfig));
    sets.push_back(MakeSet(ReplicaType::kParameterServer, tier.servers, tier.server,
                           input.parameterServerConfig));
  } else {
    sets.push_back(MakeSet(ReplicaType::kMaster, 1, input.masterType, input.masterConfig));
    sets.push_back(MakeSet(ReplicaType::kWorker, input.workerCount.value_or(0), input.workerType,
                           input.workerConfig));
    sets.push_back(MakeSet(ReplicaType::kParameterServer, input.parameterServerCount.value_or(0),
                           input.parameterServerType, input.parameterServerConfig));
    sets.push_back(MakeSet(ReplicaType::kEvaluator, input.evaluatorCount.value_or(0),
                           input.evaluatorType, input.evaluatorConfig));
  }
  std::erase_if(sets, [](const ReplicaSet& set) { return set.count == 0; });
  return sets;
}

ReplicaSet SetOf(const TrainingInput& input, ReplicaType type) {
  std::vector<ReplicaSet> sets = LayoutOf(input);
  return *std::ranges::find(sets, type, &ReplicaSet::type);
}

const api::ml::ReplicaConfig& ContainerOf(const TrainingInput& input, ReplicaType type) {
  const api::ml::ReplicaConfig* own = SetOf(input, type).config;
  bool says = own && !(own->imageUri.empty() && own->containerCommand.empty() &&
                       own->containerArgs.empty());
  return says ? *own : *input.masterConfig;
}

std::string_view TypeWord(ReplicaType type) {
  switch (type) {
    case ReplicaType::kMaster: return "master";
    case ReplicaType::kWorker: return "worker";
    case ReplicaType::kParameterServer: return "ps";
    case ReplicaType::kEvaluator: return "evaluator";
  }
  return "master";
}

std::string TaskName(ReplicaType type, int32_t index) {
  return fmt::format("{}-replica-{}", TypeWord(type), index);
}

GangDemand DemandOf(const TrainingInput& input, const compute::Catalogue& catalogue) {
  GangDemand demand;
  for (const ReplicaSet& set : LayoutOf(input)) {
    std::optional<compute::MachineShape> shape = catalogue.FindShape(set.machine.type);
    if (!shape) continue;
    compute::ClippedShape clipped = catalogue.Clip(*shape);
    demand.cpus += clipped.cpus * static_cast<double>(set.count);
    demand.memory_mb += clipped.memory_mb * set.count;
    // A machine type may bring its own.
    std::string card = shape->cards > 0 ? shape->card : set.machine.card();
    int64_t wanted = shape->cards > 0 ? shape->cards : set.machine.accelerators;
    int64_t cards = std::min<int64_t>(wanted, CountOf(catalogue, card));
    if (cards > 0) demand.cards[card] += cards * set.count;
  }
  return demand;
}

bool UsesNvidia(const TrainingInput& input, const compute::Catalogue& catalogue) {
  GangDemand demand = DemandOf(input, catalogue);
  return std::ranges::any_of(demand.cards,
                             [](const auto& card) { return card.first.starts_with("nvidia-"); });
}

int32_t GangsAtOnce(const TrainingInput& input, const compute::Catalogue& catalogue) {
  if (!input.hyperparameters) return 1;
  int64_t gangs =
      std::min(MaxParallelTrials(*input.hyperparameters), MaxTrials(*input.hyperparameters));
  for (const auto& [card, count] : DemandOf(input, catalogue).cards) {
    gangs = std::min(gangs, CountOf(catalogue, card) / count);
  }
  return static_cast<int32_t>(std::max<int64_t>(gangs, 1));
}

double UnitsPerHour(const TrainingInput& input, const compute::Catalogue& catalogue) {
  double price = 0;
  for (const ReplicaSet& set : LayoutOf(input)) {
    std::optional<compute::MachineShape> shape = catalogue.FindShape(set.machine.type);
    if (!shape) continue;
    double one =
        shape->cpus * kCpuHour + static_cast<double>(shape->memory_mb) / 1024 * kGigabyteHour +
        static_cast<double>(set.machine.accelerators) * AcceleratorHour(set.machine.accelerator);
    price += one * static_cast<double>(set.count);
  }
  return price / kUnit;
}

}  // namespace fireweed::ml
