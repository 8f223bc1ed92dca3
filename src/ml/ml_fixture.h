// Jobs on a simulated clock: compute's control plane with the fake driver, the queue, the job controller and the API. What
// becomes of a replica is said by a script that sees the machine's labels and boot.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "compute/compute_fixture.h"
#include "identity/projects.h"
#include "ml/job_controller.h"
#include "ml/jobs_service.h"
#include "ml/projects_service.h"
#include "ml/queue_controller.h"

namespace fireweed::ml {

// Passes everything on, machines as the script changes them.
class ScriptedDriver final : public MachineDriver {
 public:
  std::function<void(MachineSpec&)> script;
  void SetInner(MachineDriver& inner) {
    inner_ = &inner;
    if (sink_) inner_->OnStopped(sink_);
  }
  DriverCapabilities capabilities() const override { return inner_->capabilities(); }
  Result<MachineHandle> Start(const MachineSpec& spec) override {
    MachineSpec changed = spec;
    if (script) script(changed);
    return inner_->Start(changed);
  }
  Result<MachineStatus> Observe(const MachineHandle& h) override { return inner_->Observe(h); }
  Result<> Stop(const MachineHandle& h, Duration grace) override { return inner_->Stop(h, grace); }
  Result<> Freeze(const MachineHandle& h, bool on) override { return inner_->Freeze(h, on); }
  Result<> PlaceVolume(const MachineHandle& handle, const MachineVolume& volume,
                       bool there) override {
    return inner_->PlaceVolume(handle, volume, there);
  }
  Result<std::unique_ptr<ExecStream>> Exec(const MachineHandle& h, const ExecSpec& spec) override {
    return inner_->Exec(h, spec);
  }
  Result<UniqueFd> ListenInside(const MachineHandle& h, std::string_view address, uint16_t port,
                                Transport transport) override {
    return inner_->ListenInside(h, address, port, transport);
  }
  Result<> Remove(const MachineHandle& h) override { return inner_->Remove(h); }
  Result<std::vector<std::pair<std::string, MachineHandle>>> List() override {
    return inner_->List();
  }
  void OnStopped(std::function<void(const std::string&)> sink) override {
    sink_ = sink;
    if (inner_) inner_->OnStopped(std::move(sink));
  }
  Result<> Purge() override { return inner_->Purge(); }

 private:
  MachineDriver* inner_ = nullptr;
  std::function<void(const std::string&)> sink_;
};

class FakeEnvironments final : public Environments {
 public:
  EnvironmentAnswer Ask(const EnvironmentWish& wish) override {
    asked.push_back(wish);
    return answer;
  }
  void OnChanged(std::function<void(const Key&)>) override {}
  EnvironmentAnswer answer =
      EnvironmentReady{.key = "e", .mounts = {}, .interpreter = "/env/bin/python"};
  std::vector<EnvironmentWish> asked;
};

class FakeCollector final : public LogCollector {
 public:
  bool Drained(const std::string&, const std::string&) override { return drained; }
  void OnDrained(std::function<void(const std::string&, const std::string&)>) override {}
  bool drained = true;
};

class MlFixture {
 public:
  // `inner`: null for the plain fake driver. `cards`: those of the host, by type.
  explicit MlFixture(MachineDriver* inner = nullptr, uint64_t seed = 1,
                     const std::vector<std::string>& cards = {});

  compute::Reply Ask(std::string_view method, std::string_view target, std::string_view body = "",
                     const char* who = "Bearer ann@example.com");
  // As after a kill -9 of the daemon.
  void Restart();
  void SettleUntil(Time until) { base.SettleUntil(until); }
  void SettleFor(Duration time) { base.SettleUntil(base.clock.Now() + time); }

  // A create body; `training` is JSON added to the training input.
  static std::string JobBody(const std::string& id, const std::string& training = "",
                             const std::string& more = "");
  compute::Reply Submit(const std::string& id, const std::string& training = "") {
    return Ask("POST", "/v1/projects/my-project/jobs", JobBody(id, training));
  }
  JobRecord Job(const std::string& id);
  std::vector<compute::InstanceRecord> Instances();
  // As anybody may do to an instance: "POST", "/suspend".
  compute::Reply Instance(size_t i, std::string_view method, const std::string& what = "");
  std::vector<std::string> LinesOf(const std::string& task) const;

  ScriptedDriver driver;
  compute::ComputeFixture base;
  identity::Projects projects{base.clock, base.random, {}};
  FakeEnvironments environments;
  FakeCollector collector;
  RuntimeTable runtimes{{{.versions = {"1.15", "2.11"}}}};
  std::vector<JobLine> lines;
  std::set<std::string> sealed;         // jobs of which no more lines are expected
  JobRules rules;                       // of planes made from now on
  QueueCapacity capacity{16, 1 << 20};  // likewise
  bool own_network = true;              // likewise
  std::function<bool(const net::Call&, const JobRecord&, Time end)> reads_behind;  // likewise
  StrictRules strict;                                                              // likewise

  struct Plane {
    QueueController queue;
    JobController jobs;
    JobsService service;
    ProjectsService project_service;
    net::Router router;
    explicit Plane(MlFixture& all);
  };
  std::unique_ptr<Plane> plane;
};

}  // namespace fireweed::ml
