#include "ml/job_substitutes.h"

#include <fmt/format.h>

#include "base/error.h"
#include "ml/job_plan.h"
#include "ml/replica_layout.h"

namespace fireweed::ml {
namespace {

std::string TypeField(ReplicaType type) {
  if (type == ReplicaType::kParameterServer) return "parameter_server_type";
  return fmt::format("{}_type", TypeWord(type));
}

void AddMachines(const api::ml::TrainingInput& input, const compute::Catalogue& catalogue,
                 std::vector<Substitute>& found) {
  for (const ReplicaSet& set : LayoutOf(input)) {
    std::optional<compute::MachineShape> shape = catalogue.FindShape(set.machine.type);
    if (!shape) continue;
    std::vector<std::string> warnings = catalogue.Clip(*shape).warnings;
    // A machine type may bring its own.
    std::string card = shape->cards > 0 ? shape->card : set.machine.card();
    int64_t wanted = shape->cards > 0 ? shape->cards : set.machine.accelerators;
    for (std::string& text : catalogue.AcceleratorWarnings(card, static_cast<int32_t>(wanted))) {
      warnings.push_back(std::move(text));
    }
    for (const std::string& text : warnings) {
      found.push_back({TypeField(set.type), fmt::format("{}: {}", TypeWord(set.type), text)});
    }
  }
}

void AddRuntime(const api::ml::TrainingInput& input, const RuntimeTable& runtimes,
                std::vector<Substitute>& found) {
  std::string version = RuntimeVersionOf(input);
  const Runtime* runtime = runtimes.Find(version);
  if (!runtime) return;
  std::string provided = ProvidedFramework(*runtime);
  bool other = !provided.empty() && !HasFrameworkOf(*runtime, version);
  if (!other) return;
  found.push_back({"runtime_version",
                   fmt::format("Runtime {} is not available on this host with its own {}; {} {} is "
                               "used instead.",
                               version, runtime->framework, runtime->framework, provided),
                   false});
}

}  // namespace

std::vector<Substitute> SubstitutesOf(const api::ml::TrainingInput& input,
                                      const compute::Catalogue& catalogue,
                                      const RuntimeTable* runtimes) {
  std::vector<Substitute> found;
  AddMachines(input, catalogue, found);
  if (runtimes && !UsesImage(input) && input.command.empty()) AddRuntime(input, *runtimes, found);
  return found;
}

void RefuseSubstitutes(const std::vector<Substitute>& substitutes, const StrictRules& rules) {
  for (const Substitute& substitute : substitutes) {
    if (!(substitute.of_machine ? rules.machines : rules.runtimes)) continue;
    throw Failure(
        Code::kInvalid,
        fmt::format("Field: {} Error: {} Refused: the daemon's setting 'strict' allows no "
                    "substitutes.",
                    substitute.field, substitute.message));
  }
}

}  // namespace fireweed::ml
