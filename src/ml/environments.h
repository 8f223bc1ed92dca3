// What for: the place where a trainer's packages are installed, built once for each set of packages and shared read-only
//   by every replica that asks for the same set.
// Who calls: job controllers on the control thread, and any other thread. Ask reads and writes the catalog, and blocks
//   for nothing else.
// A failure: an answer, never an exception: it is told to the job's owner in pip's own words.
//
//   Ask ── unknown set ──► Building ──► Ready      kept until nobody has asked for long, or room is needed
//                              └──────► Failed     tried again when somebody asks a while later
#pragma once

#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "catalog/catalog.h"
#include "compute/workload.h"

namespace fireweed::ml {

struct EnvironmentWish {
  std::string project;  // whose quota and network the builder uses
  // A row of the runtime table: "1.15", "2.8". Empty: plain Python without a framework.
  std::string runtime_version;
  std::string python_version;  // "3.7", "2.7": what is there serves all; said in a warning
  std::vector<std::string>
      package_uris;     // gs://BUCKET/OBJECT, in the order in which they are installed
  std::string account;  // the e-mail of the service account that reads them
  bool strict =
      false;  // a pin that the runtime meets with another version is refused, not warned about
  // False: packages are archives of a program (fireweed's --command), unpacked as they are; no Python is involved.
  bool python = true;
  // An NVIDIA accelerator is used: the runtime's CUDA builds are needed.
  bool accelerated = false;
};

struct EnvironmentReady {
  Key key;
  std::vector<compute::Mount> mounts;              // for Workload::mounts
  std::string interpreter;                         // "/…/bin/python"; empty without Python
  std::map<std::string, std::string> environment;  // for Workload::environment
  std::string tree;                                // for Workload::tree; empty with Python
  std::vector<std::string> warnings;  // for the job's log: pins that were met with another version
};
struct EnvironmentBuilding {
  Key key;  // of the row ("ml.environment") whose commit tells of the end
  Time since{};
  std::string what;  // is being installed: "runtime 2.11", "trainer-0.1.tar.gz"
};
struct EnvironmentFailed {
  std::string message;  // for the job's errorMessage: ends with pip's own last lines
};
using EnvironmentAnswer = std::variant<EnvironmentReady, EnvironmentBuilding, EnvironmentFailed>;

class Environments {
 public:
  virtual ~Environments() = default;
  // The same wish, the same answer, until it changes. `now` and then while a job waits is right; nothing is built twice.
  virtual EnvironmentAnswer Ask(const EnvironmentWish& wish) = 0;
  // `sink` is told, on the control thread, of every key whose answer is no longer Building; it must not block. Set
  // before the loop runs. Controllers may watch the kind "ml.environment" instead.
  virtual void OnChanged(std::function<void(const Key&)> sink) = 0;
};

inline constexpr std::string_view kEnvironmentKind = "ml.environment";

// The command of a Python trainer, after the interpreter: imports as the cloud's own runner did (`-m`).
std::vector<std::string> PythonCommand(const EnvironmentReady& ready, const std::string& module,
                                       const std::vector<std::string>& args);

}  // namespace fireweed::ml
