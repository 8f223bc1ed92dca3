// What jobs keep in the catalog. A job's key is "PROJECT/JOB".
//
// A job runs one or more gangs: a plain training job has one, a tuning job one for each trial. A gang's replicas are
// hidden instances, which restart under the same name, address and port.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/ml/job.h"
#include "catalog/record.h"
#include "compute/workload.h"
#include "control/backoff.h"

namespace fireweed::ml {

enum class ReplicaType { kMaster, kWorker, kParameterServer, kEvaluator };

// How a replica ended when that decided something.
struct ReplicaEnd {
  int32_t code = 0;
  int32_t signal = 0;
  bool out_of_memory = false;
  std::string message;  // of a machine that never got going
};

struct Replica {
  ReplicaType type = ReplicaType::kMaster;
  int32_t index = 0;
  std::string instance;  // its name; settled when the gang is made
  int64_t instance_id = 0;
  int64_t boot = 0;     // the boot whose end counts; ends of earlier ones are history
  int64_t told = 0;     // the boot whose command was told
  int64_t counted = 0;  // the boot whose end was counted already
  bool running = false;
  std::optional<Time> up_since;  // of the boot that runs, or ran last
  bool done = false;             // ended with success, and stays so
  int32_t failures = 0;          // that used up the budget
  int32_t preemptions = 0;       // that did not
  Backoff backoff;
  std::optional<ReplicaEnd> end;  // the last one that was no success
};

enum class GangPhase { kMaking, kStarting, kRunning, kStopping, kEnded };
enum class GangEnd { kNone, kSucceeded, kFailed, kStopped };

struct Gang {
  std::string trial;  // empty outside tuning
  std::map<std::string, std::string> hyperparameters;
  GangPhase phase = GangPhase::kMaking;
  GangEnd end = GangEnd::kNone;
  std::string error;        // why it failed
  std::string failed_task;  // the replica that made it fail: its last lines belong to the error
  int32_t port = 0;  // of the first replica where all share the host's network; 0: each has its own
  std::vector<Replica> replicas;
  std::optional<Time> started, master_done, ended;
  bool removed = false;  // its instances were told to go
};

// The environment that was prepared for the job's packages.
struct PreparedEnvironment {
  std::string interpreter, tree;
  std::vector<compute::Mount> mounts;
  std::map<std::string, std::string> environment;
};

struct JobRecord {
  std::string project;
  api::ml::Job job;  // as shown
  std::string creator;
  int64_t number = 0;   // unique: in the names of its instances
  std::string account;  // the e-mail that its replicas act as
  std::string zone;

  bool cancel = false;           // wanted
  std::optional<Time> admitted;  // by the queue
  bool oversubscribed = false;   // larger than the machine: runs alone
  std::optional<PreparedEnvironment> prepared;
  std::vector<Gang> gangs;
  std::optional<Time> last_line;  // of the service, while the job is prepared
  // Decided: how it will end once everything is down and every line is in.
  api::ml::JobState outcome = api::ml::JobState::kUnspecified;
  std::optional<Time> stopping, down;

  Key key() const { return project + "/" + job.jobId; }
  std::string resource() const { return "projects/" + project + "/jobs/" + job.jobId; }
};

// How many cards by their type, "nvidia-tesla-t4".
using CardCounts = std::map<std::string, int64_t>;

// A job that has not ended, as the queue sees it. Same key as the job; gone when it has ended.
struct ActiveJob {
  Time created{};
  int64_t number = 0;
  int32_t priority = 0;
  double cpus = 0;
  int64_t memory_mb = 0;
  CardCounts cards;
  bool admitted = false;
  bool freed = false;  // its machines are down: it only waits for its last lines
  Key key;             // not stored: the row's own
};

// Newest first: "PROJECT/(largest number - the job's)".
struct JobOrder {
  std::string job;
};

// Ports of replicas that share the host's network, given out in turn. Key: "next".
struct PortCounter {
  int32_t next = 0;
};

}  // namespace fireweed::ml

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<ml::ReplicaType> = "ReplicaType";
template <>
inline constexpr std::array<std::string_view, 4> kEnumNames<ml::ReplicaType>{"MASTER", "WORKER",
                                                                             "PS", "EVALUATOR"};
template <>
inline constexpr std::string_view kTypeName<ml::GangPhase> = "GangPhase";
template <>
inline constexpr std::array<std::string_view, 5> kEnumNames<ml::GangPhase>{
    "MAKING", "STARTING", "RUNNING", "STOPPING", "ENDED"};
template <>
inline constexpr std::string_view kTypeName<ml::GangEnd> = "GangEnd";
template <>
inline constexpr std::array<std::string_view, 4> kEnumNames<ml::GangEnd>{"NONE", "SUCCEEDED",
                                                                         "FAILED", "STOPPED"};
template <>
inline constexpr std::string_view kTypeName<ml::ReplicaEnd> = "ReplicaEnd";
template <>
inline constexpr auto kFields<ml::ReplicaEnd> = [](auto...) {
  return Fields{F("code", &ml::ReplicaEnd::code), F("signal", &ml::ReplicaEnd::signal),
                F("outOfMemory", &ml::ReplicaEnd::out_of_memory),
                F("message", &ml::ReplicaEnd::message)};
};
template <>
inline constexpr std::string_view kTypeName<ml::Replica> = "Replica";
template <>
inline constexpr auto kFields<ml::Replica> = [](auto...) {
  return Fields{F("type", &ml::Replica::type),         F("index", &ml::Replica::index),
                F("instance", &ml::Replica::instance), F("instanceId", &ml::Replica::instance_id),
                F("boot", &ml::Replica::boot),         F("told", &ml::Replica::told),
                F("counted", &ml::Replica::counted),   F("running", &ml::Replica::running),
                F("upSince", &ml::Replica::up_since),  F("done", &ml::Replica::done),
                F("failures", &ml::Replica::failures), F("preemptions", &ml::Replica::preemptions),
                F("backoff", &ml::Replica::backoff),   F("end", &ml::Replica::end)};
};
template <>
inline constexpr std::string_view kTypeName<ml::Gang> = "Gang";
template <>
inline constexpr auto kFields<ml::Gang> = [](auto...) {
  return Fields{F("trial", &ml::Gang::trial),     F("hyperparameters", &ml::Gang::hyperparameters),
                F("phase", &ml::Gang::phase),     F("end", &ml::Gang::end),
                F("error", &ml::Gang::error),     F("failedTask", &ml::Gang::failed_task),
                F("port", &ml::Gang::port),       F("replicas", &ml::Gang::replicas),
                F("started", &ml::Gang::started), F("masterDone", &ml::Gang::master_done),
                F("ended", &ml::Gang::ended),     F("removed", &ml::Gang::removed)};
};
template <>
inline constexpr std::string_view kTypeName<ml::PreparedEnvironment> = "PreparedEnvironment";
template <>
inline constexpr auto kFields<ml::PreparedEnvironment> = [](auto...) {
  return Fields{F("interpreter", &ml::PreparedEnvironment::interpreter),
                F("tree", &ml::PreparedEnvironment::tree),
                F("mounts", &ml::PreparedEnvironment::mounts),
                F("environment", &ml::PreparedEnvironment::environment)};
};
template <>
inline constexpr std::string_view kTypeName<ml::JobRecord> = "JobRecord";
template <>
inline constexpr auto kFields<ml::JobRecord> = [](auto...) {
  return Fields{F("project", &ml::JobRecord::project),
                F("job", &ml::JobRecord::job),
                F("creator", &ml::JobRecord::creator),
                F("number", &ml::JobRecord::number),
                F("account", &ml::JobRecord::account),
                F("zone", &ml::JobRecord::zone),
                F("cancel", &ml::JobRecord::cancel),
                F("admitted", &ml::JobRecord::admitted),
                F("oversubscribed", &ml::JobRecord::oversubscribed),
                F("prepared", &ml::JobRecord::prepared),
                F("gangs", &ml::JobRecord::gangs),
                F("lastLine", &ml::JobRecord::last_line),
                F("outcome", &ml::JobRecord::outcome),
                F("stopping", &ml::JobRecord::stopping),
                F("down", &ml::JobRecord::down)};
};
extern template const Type& TypeOf<ml::JobRecord>();
template <>
inline constexpr std::string_view kRecordKind<ml::JobRecord> = "ml.job";
template <>
inline constexpr std::string_view kTypeName<ml::ActiveJob> = "ActiveJob";
template <>
inline constexpr auto kFields<ml::ActiveJob> = [](auto...) {
  return Fields{F("created", &ml::ActiveJob::created),    F("number", &ml::ActiveJob::number),
                F("priority", &ml::ActiveJob::priority),  F("cpus", &ml::ActiveJob::cpus),
                F("memoryMb", &ml::ActiveJob::memory_mb), F("admitted", &ml::ActiveJob::admitted),
                F("freed", &ml::ActiveJob::freed),        F("cards", &ml::ActiveJob::cards)};
};
template <>
inline constexpr std::string_view kRecordKind<ml::ActiveJob> = "ml.active";
template <>
inline constexpr std::string_view kTypeName<ml::JobOrder> = "JobOrder";
template <>
inline constexpr auto kFields<ml::JobOrder> =
    [](auto...) { return Fields{F("job", &ml::JobOrder::job)}; };
template <>
inline constexpr std::string_view kRecordKind<ml::JobOrder> = "ml.order";
template <>
inline constexpr std::string_view kTypeName<ml::PortCounter> = "PortCounter";
template <>
inline constexpr auto kFields<ml::PortCounter> =
    [](auto...) { return Fields{F("next", &ml::PortCounter::next)}; };
template <>
inline constexpr std::string_view kRecordKind<ml::PortCounter> = "ml.port";
}  // namespace fireweed
