// What for: a training job from a command line: the flags of `jobs submit training`, a --config file, and the two as one
//   job. Pure, but for reading the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/ml/job.h"

namespace fireweed::cli {

class Command;

// --master-machine-type, --worker-count and the like, of one kind of replica.
struct ReplicaFlags {
  std::string machine_type, accelerator, image;
  std::optional<int64_t> count;
};

struct JobFlags {
  std::string job, config, region, scale_tier, runtime_version, python_version, module, job_dir;
  std::string staging_bucket, package_path, service_account, network, kms_key;
  std::vector<std::string> packages, labels, user_args, command;
  ReplicaFlags master, worker, server;
  bool use_chief = false, web_access = false, strict = false;

  void AddTo(Command& command_line);
  // Throws Failure(kInvalid) for flags that exclude one another, as gcloud words it.
  void Check() const;
};

// The job that a --config file describes, in YAML or JSON. Throws Failure(kInvalid) that names what is wrong.
api::ml::Job JobFromConfig(std::string_view yaml);

// The file's job with what the flags say instead. `packages`: gs:// addresses of what was uploaded.
api::ml::Job MakeJob(const JobFlags& flags, api::ml::Job config,
                     const std::vector<std::string>& packages);

}  // namespace fireweed::cli
