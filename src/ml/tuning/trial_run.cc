#include "ml/tuning/trial_run.h"

#include <fmt/format.h>

#include "records/hypertune.h"

namespace fireweed::ml {

std::vector<std::string> TrialArguments(const api::ml::HyperparameterOutput& trial) {
  std::vector<std::string> arguments;
  for (const auto& [name, value] : trial.hyperparameters)
    arguments.push_back(fmt::format("--{}={}", name, value));
  return arguments;
}

std::string TrialDirectory(const std::string& job_dir, const std::string& trial) {
  if (job_dir.empty()) return "";
  return fmt::format("{}{}{}", job_dir, job_dir.ends_with('/') ? "" : "/", trial);
}

std::map<std::string, std::string> TrialEnvironment(const std::string& trial,
                                                    const std::string& metric_file) {
  std::map<std::string, std::string> environment{{"CLOUD_ML_TRIAL_ID", trial}};
  if (!metric_file.empty()) environment[std::string(records::kHypertuneVariable)] = metric_file;
  return environment;
}

}  // namespace fireweed::ml
