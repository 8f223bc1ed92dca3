// What commands about models share: versions to be made, operations waited for, files uploaded.
// Threads: one at a time. May block: on the network and on local files.
// A failure: Failure as the server worded it, or the operation's own error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/ml/ml_session.h"

namespace fireweed::cli {

class Command;

// A version as flags describe it.
struct VersionWish {
  std::string model, name, description, labels;
  std::string origin;  // gs://... or a local directory
  std::string staging_bucket, framework, runtime_version, python_version, machine_type;
  std::string prediction_class, service_account, package_uris;
  int min_nodes = -1, nodes = 0;

  void AddTo(Command& command);
};

// Uploads a local origin first. The operation.
JsonTree BeginVersion(MlSession& session, const Settings& settings, const VersionWish& wish);

// Waits until it has ended; its error is thrown.
JsonTree FinishMl(MlSession& session, JsonTree operation);

// Every file below a local directory, to gs://BUCKET/PREFIX/...; the bucket is made where it is missing. How many.
int UploadDirectory(const Settings& settings, const std::string& project,
                    const std::string& directory, const std::string& bucket,
                    const std::string& prefix);

// "a=b,c=d" as an object.
JsonTree PairsOf(std::string_view text);

}  // namespace fireweed::cli
