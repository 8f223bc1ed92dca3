// What for: fills in the rows of trials (trial_record.h) with what their trainers report: event files in the trial's job
//   directory, read as the job's account, and the hypertune file.
// Who calls: the control loop. Reading runs as an action, one at a time for each trial, which may block on the store.
// Owns: how far each file of an open trial was read. It is lost with the process; then files are read once more.
// A failure: a store that cannot be reached is tried again, at the end of a trial a few times; anything else goes into the
//   row's warning, and the trial is complete without it.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "base/clock.h"
#include "base/guarded.h"
#include "catalog/catalog.h"
#include "control/action_pool.h"
#include "control/controller.h"
#include "ml/account_objects.h"
#include "ml/tuning/trial_record.h"

namespace fireweed::ml {

class EventFollower;

class TrialMetrics final : public Controller {
 public:
  // How long a running trial's files are left alone between two looks.
  static constexpr std::chrono::seconds kInterval{3};

  // Told, before a trial is complete, what its owner should know: files that could not be read, a metric that nobody
  // reported. May be told again after a crash.
  using Warn = std::function<void(const Key& trial, const std::string& message)>;

  TrialMetrics(Catalog& catalog, ActionPool& pool, AccountObjects& objects, const Clock& clock,
               Warn warn = nullptr);
  ~TrialMetrics() override;

  std::string_view kind() const override { return kRecordKind<TrialRecord>; }
  std::optional<Time> Reconcile(const Key& key) override;

 private:
  struct Reading {
    std::shared_ptr<EventFollower> events;  // used by the trial's one action only
    std::optional<Time> looked;             // when the last look began
    int failures = 0;                       // in a row
  };

  void Look(const Key& key);
  // The folder of a complete trial goes.
  void Clear(const Key& key, const std::string& folder);
  std::shared_ptr<EventFollower> Begin(const Key& key, const TrialRecord& trial);
  // How often in a row the store could not be read.
  int CountFailure(const Key& key);
  void Tell(const Key& key, const TrialRecord& trial) const;
  // Adds what the files say to the trial, and to its warning.
  void Collect(const Key& key, TrialRecord& trial, EventFollower& events);

  Catalog& catalog_;
  ActionPool& pool_;
  AccountObjects& objects_;
  const Clock& clock_;
  const Warn warn_;
  Guarded<std::map<Key, Reading>> readings_;
};

}  // namespace fireweed::ml
