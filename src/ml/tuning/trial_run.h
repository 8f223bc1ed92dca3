// What for: how a trial's replicas differ from those of a plain job: arguments, job directory, environment. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/ml/hyperparameters.h"

namespace fireweed::ml {

// "--name=value" for every parameter, to go after the job's own arguments.
std::vector<std::string> TrialArguments(const api::ml::HyperparameterOutput& trial);

// "gs://bucket/job" becomes "gs://bucket/job/3"; empty stays empty.
std::string TrialDirectory(const std::string& job_dir, const std::string& trial);

// CLOUD_ML_TRIAL_ID, and where the hypertune package is to write. `metric_file`: the path inside; empty where
// nothing could read it.
std::map<std::string, std::string> TrialEnvironment(const std::string& trial,
                                                    const std::string& metric_file);

}  // namespace fireweed::ml
