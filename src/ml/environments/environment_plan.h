// From a wish to the environments that meet it, and from an environment to what a replica gets. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/compute/instance_methods.h"
#include "compute/workload.h"
#include "ml/environments/environment_place.h"
#include "ml/environments/environment_record.h"
#include "ml/environments/package_store.h"
#include "ml/environments/runtime_table.h"

namespace fireweed::ml {

// How programs run here: differs between containers and plain processes.
struct ReplicaWorld {
  bool own_root = true;                     // containers: paths and PATH are the image's
  std::string python = "/usr/bin/python3";  // of the image
  std::string zone = "us-central1-a";       // where builders are made
};

// The environment of a runtime: what its row provides. Nothing for a row that provides nothing.
std::optional<EnvironmentRecord> RuntimeEnvironment(const Runtime& runtime,
                                                    const EnvironmentWish& wish,
                                                    const ReplicaWorld& world);
// The environment of the wish's packages over `base`. REQUIRES: a sight for every package.
EnvironmentRecord PackageEnvironment(const Runtime& runtime, const EnvironmentWish& wish,
                                     const std::vector<PackageSight>& sights,
                                     const std::string& base, const ReplicaWorld& world);

// What a replica gets. `base` and `packages` are complete; either may be null.
EnvironmentReady ReadyOf(const Runtime& runtime, const EnvironmentRecord* base,
                         const EnvironmentRecord* packages, const EnvironmentPlace& place,
                         const ReplicaWorld& world);

// Pins of the wish itself that are met by something else: the Python version.
std::vector<std::string> WarningsOf(const Runtime& runtime, const EnvironmentWish& wish);

// The instance that builds it: no account, hidden, never restarted.
api::compute::InsertInstance BuilderRequest(const EnvironmentRecord& record,
                                            const ReplicaWorld& world);
compute::Workload BuilderWorkload(const EnvironmentRecord& record, const std::string& base_path,
                                  const EnvironmentPlace& place, const ReplicaWorld& world);

}  // namespace fireweed::ml
