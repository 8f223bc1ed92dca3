#include "ml/models/deploy_controller.h"

#include <filesystem>
#include <fstream>
#include <set>

#include "base/bytes.h"
#include "control/operations.h"

namespace fireweed::ml {
namespace {

namespace fs = std::filesystem;
using api::ml::VersionState;

constexpr std::string_view kComplaint = "fireweed-serve: ";
constexpr std::streamoff kConsoleTail = 16 << 10;
constexpr std::chrono::seconds kBuildingPause{1};

// The last line in which the process said what is wrong; empty when it did not.
std::string LastComplaint(const std::string& console) {
  std::ifstream file(console, std::ios::binary);
  file.seekg(0, std::ios::end);
  std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kConsoleTail));
  std::string line, found;
  while (std::getline(file, line)) {
    size_t at = line.find(kComplaint);
    if (at != std::string::npos)
      found = Trim(std::string_view(line).substr(at + kComplaint.size()));
  }
  return found;
}

// Trying again is of use unless the request itself was wrong.
bool IsFinal(const Error& error) {
  return error.code == Code::kInvalid || error.code == Code::kNotFound ||
         error.code == Code::kDenied || error.code == Code::kTooLarge;
}

}  // namespace

ServingPlace PlaceOf(const std::string& directory, const VersionRecord& record) {
  std::string root = directory + "/" + record.uid;
  return {root, root + "/model", root + "/run", root + "/run/upper/s", root + "/console.log"};
}

DeployController::DeployController(Catalog& catalog, ControlLoop& loop, ActionPool& pool,
                                   ServingWorld world, ServingTable& table, DeployRules rules,
                                   const Clock& clock, Logger& log)
    : catalog_(catalog),
      loop_(loop),
      pool_(pool),
      world_(std::move(world)),
      table_(table),
      rules_(rules),
      clock_(clock),
      log_(log) {
  world_.driver.OnStopped([this](const std::string& id) { Heard(id); });
}

DeployController::~DeployController() { world_.driver.OnStopped(nullptr); }

void DeployController::Heard(const std::string& machine_id) {
  std::optional<Key> key = sights_.With([&](Sights& sights) -> std::optional<Key> {
    auto found = sights.by_machine.find(machine_id);
    if (found == sights.by_machine.end()) return std::nullopt;
    sights.by_version[found->second].sighting.machine = Sighting::Machine::kUnknown;
    return found->second;
  });
  if (key) loop_.Wake(kind(), *key);
}

VersionView DeployController::ViewOf(const VersionRecord& record) {
  std::shared_ptr<ServingTarget> target = table_.Find(record.key());
  Load load;
  if (target) load = {target->in_flight(), target->waiting(), target->last_use()};
  Sighting seen = sights_.With([&](Sights& sights) {
    Sight& sight = sights.by_version[record.key()];
    // Somebody could not connect: what was seen is no longer true.
    if (sight.published && target && !target->published()) {
      sight.published = false;
      sight.sighting.machine = Sighting::Machine::kUnknown;
    }
    return sight.sighting;
  });
  return {record, seen, load, clock_.Now()};
}

// Requests are let in before the row says READY, and kept out before a process goes.
void DeployController::Show(const VersionRecord& record, DeployPlan& plan) {
  Key key = record.key();
  if (plan.withdraw) {
    std::string why = record.deleting ? "The version is being deleted."
                                      : "The version failed: " + plan.next.resource.errorMessage;
    table_.Ensure(key)->Withdraw({Code::kInvalid, "failedPrecondition", why});
    return;
  }
  if (!plan.publish) {
    std::shared_ptr<ServingTarget> target = table_.Find(key);
    if (!target) return;
    bool shown = target->published();
    target->Unpublish();
    sights_.With([&](Sights& sights) { sights.by_version[key].published = false; });
    // Somebody came in between: it is not idle after all.
    if (!shown || !plan.park || target->in_flight() == 0) return;
    plan = {.next = record, .publish = true, .look_again = clock_.Now() + rules_.last_look};
  }
  table_.Ensure(key)->Publish(PlaceOf(world_.directory, record).socket);
  sights_.With([&](Sights& sights) { sights.by_version[key].published = true; });
}

std::optional<Time> DeployController::Reconcile(const Key& key) {
  auto row = Query(catalog_, [&](Txn& txn) { return txn.Find<VersionRecord>(key); });
  if (!row) {
    table_.Forget(key);
    sights_.With([&](Sights& sights) {
      sights.by_version.erase(key);
      std::erase_if(sights.by_machine, [&](const auto& entry) { return entry.second == key; });
    });
    return std::nullopt;
  }
  DeployPlan plan = PlanVersion(ViewOf(row->value), rules_);
  Show(row->value, plan);
  if (EncodeJson(plan.next) != EncodeJson(row->value)) {
    std::optional<DeployPlan> decided = Decide(key);
    if (!decided) return std::nullopt;
    plan = *std::move(decided);
  }
  if (plan.step != DeployStep::kNone) {
    pool_.Submit(kind(), key, [this, key, step = plan.step] { Act(key, step); });
  }
  return plan.look_again;
}

std::optional<DeployPlan> DeployController::Decide(const Key& key) {
  return Update(catalog_, "version plan", [&](Txn& txn) -> std::optional<DeployPlan> {
    auto row = txn.Find<VersionRecord>(key);
    if (!row) return std::nullopt;
    DeployPlan plan = PlanVersion(ViewOf(row->value), rules_);
    const VersionRecord& before = row->value;
    Time now = clock_.Now();
    if (plan.failure) Settle(txn, kind(), key, before.generation, plan.failure, now);
    if (plan.next.reached > before.reached) {
      Settle(txn, kind(), key, plan.next.reached, std::nullopt, now);
    }
    txn.Put(key, plan.next);
    return plan;
  });
}

// The record may have moved on while the action waited for its turn; then the loop looks again.
void DeployController::Act(const Key& key, DeployStep step) {
  auto row = Query(catalog_, [&](Txn& txn) { return txn.Find<VersionRecord>(key); });
  if (!row) return;
  const VersionRecord& record = row->value;
  if (PlanVersion(ViewOf(record), rules_).step != step) return;
  sights_.With([&](Sights& sights) { sights.by_machine[record.machine_id()] = key; });
  switch (step) {
    case DeployStep::kStart: Start(record); break;
    case DeployStep::kLook: Look(record); break;
    case DeployStep::kStop: Stop(record); break;
    case DeployStep::kRemove: Remove(record); break;
    case DeployStep::kNone: break;
  }
}

// Complete or not there at all: a copy that was cut off is thrown away.
Result<> DeployController::FetchModel(const VersionRecord& record, const ServingPlace& place) {
  std::error_code failed;
  if (fs::exists(place.model, failed)) return Done{};
  std::string draft = place.model + ".part";
  fs::remove_all(draft, failed);
  fs::create_directories(draft, failed);
  if (failed) return ErrnoError(failed.value(), draft);
  Time begun = clock_.Now();
  if (Result<> fetched = world_.fetch(record, draft); !fetched.ok()) return fetched;
  fs::rename(draft, place.model, failed);
  if (failed) return ErrnoError(failed.value(), place.model);
  log_.Info("model copied",
            {{"version", record.key()},
             {"from", record.resource.deploymentUri},
             {"took", std::chrono::duration<double>(clock_.Now() - begun).count()}});
  return Done{};
}

void DeployController::Start(const VersionRecord& record) {
  ServingPlace place = PlaceOf(world_.directory, record);
  if (Result<> fetched = FetchModel(record, place); !fetched.ok()) {
    return RecordFailure(record, "model cannot be copied", fetched.error());
  }
  std::error_code failed;
  for (const char* layer : {"/upper", "/work"}) fs::create_directories(place.run + layer, failed);
  fs::remove(place.socket, failed);
  Result<MachineSpec> spec = world_.describe(record, place);
  if (!spec.ok()) return RecordFailure(record, "version cannot be served", spec.error());
  spec->id = record.machine_id();
  spec->boot = record.boot;
  spec->console_path = place.console;
  Time begun = clock_.Now();
  Result<MachineHandle> handle = world_.driver.Start(*spec);
  if (!handle.ok()) return RecordFailure(record, "serving process not started", handle.error());
  Time now = clock_.Now();
  log_.Info("serving process started",
            {{"version", record.key()},
             {"boot", record.boot},
             {"took", std::chrono::duration<double>(now - begun).count()}});
  Note(record, {.machine = Sighting::Machine::kRuns,
                .boot = record.boot,
                .started = now,
                .next_look = now + rules_.first_look});
  Record(record, "version started",
         [&](Txn&, VersionRecord& stored) { stored.handle = handle->text; });
}

Sighting DeployController::EndOf(const VersionRecord& record, const MachineStatus& status) const {
  MachineExit exit = status.exit.value_or(MachineExit{});
  Sighting seen{.machine = Sighting::Machine::kEnded, .boot = record.boot};
  seen.reason = LastComplaint(PlaceOf(world_.directory, record).console);
  bool by_itself = exit.asked_by == AskedBy::kNobody && exit.code > 0 && exit.code < 128;
  seen.final = by_itself && !exit.out_of_memory && !seen.reason.empty();
  if (exit.out_of_memory) seen.reason = "The model needs more memory than its machine type has.";
  if (seen.reason.empty()) {
    seen.reason = exit.message.empty()
                      ? "The serving process ended with code " + std::to_string(exit.code) + "."
                      : exit.message;
  }
  return seen;
}

void DeployController::Look(const VersionRecord& record) {
  Result<MachineStatus> status = world_.driver.Observe({record.handle});
  Time now = clock_.Now();
  Sighting before =
      sights_.With([&](Sights& sights) { return sights.by_version[record.key()].sighting; });
  if (!status.ok() && status.error().code != Code::kNotFound) {
    before.next_look = now + rules_.last_look;
    before.machine = Sighting::Machine::kRuns;
    log_.Warning("serving process cannot be observed",
                 {{"version", record.key()}, {"error", status.error().message}});
    return Note(record, before);
  }
  Sighting seen{.machine = Sighting::Machine::kRuns, .boot = record.boot};
  if (!status.ok()) {
    seen = {.machine = Sighting::Machine::kEnded, .boot = record.boot};
  } else if (status->phase == MachinePhase::kStopped) {
    seen = EndOf(record, *status);
    seen.answers = before.answers && before.boot == record.boot;
    log_.Warning("serving process ended", {{"version", record.key()}, {"why", seen.reason}});
  } else {
    seen.started = status->started ? status->started : before.started;
    if (!seen.started) seen.started = now;
    seen.answers = world_.ready(PlaceOf(world_.directory, record).socket);
    seen.next_look = now + LookPause(now - *seen.started, rules_);
    if (seen.answers) {
      log_.Info("version answers",
                {{"version", record.key()},
                 {"took", std::chrono::duration<double>(now - *seen.started).count()}});
    }
  }
  Note(record, seen);
}

void DeployController::Note(const VersionRecord& record, Sighting sighting) {
  sights_.With(
      [&](Sights& sights) { sights.by_version[record.key()].sighting = std::move(sighting); });
}

Result<> DeployController::RemoveMachine(const VersionRecord& record) {
  if (record.boot == 0) return Done{};
  if (!record.handle.empty()) return world_.driver.Remove({record.handle});
  // A start may have been cut off before its handle was written down.
  auto all = world_.driver.List();
  if (!all.ok()) return all.error();
  for (const auto& [id, handle] : *all) {
    if (id != record.machine_id()) continue;
    if (Result<> removed = world_.driver.Remove(handle); !removed.ok()) return removed;
  }
  return Done{};
}

void DeployController::Stop(const VersionRecord& record) {
  if (Result<> removed = RemoveMachine(record); !removed.ok()) {
    return RecordFailure(record, "serving process cannot be removed", removed.error());
  }
  Record(record, "version stopped", [](Txn&, VersionRecord& stored) { stored.handle.clear(); });
  log_.Info("serving process stopped", {{"version", record.key()}, {"boot", record.boot}});
}

void DeployController::Remove(const VersionRecord& record) {
  if (Result<> removed = RemoveMachine(record); !removed.ok()) {
    return RecordFailure(record, "serving process cannot be removed", removed.error());
  }
  std::error_code ignored;
  fs::remove_all(PlaceOf(world_.directory, record).root, ignored);
  catalog_.Write("version delete", [&](Txn& txn) {
    auto row = txn.Find<VersionRecord>(record.key());
    if (!row || row->value.uid != record.uid) return;
    txn.Erase<VersionRecord>(record.key());
    Settle(txn, kind(), record.key(), kGone, std::nullopt, clock_.Now());
  });
  log_.Info("version deleted", {{"version", record.key()}});
}

void DeployController::Record(const VersionRecord& acted_on, std::string_view why,
                              const std::function<void(Txn&, VersionRecord&)>& change) {
  catalog_.Write(why, [&](Txn& txn) {
    auto row = txn.Find<VersionRecord>(acted_on.key());
    bool same = row && row->value.uid == acted_on.uid && row->value.boot == acted_on.boot;
    if (!same) return;
    change(txn, row->value);
    txn.Put(acted_on.key(), row->value);
  });
}

void DeployController::RecordFailure(const VersionRecord& acted_on, std::string_view what,
                                     const Error& error) {
  log_.Warning(what, {{"version", acted_on.key()}, {"error", error.message}});
  Time now = clock_.Now();
  Record(acted_on, "version action failed", [&](Txn& txn, VersionRecord& stored) {
    stored.wanted = false;
    if (error.reason == kBuildingReason) {
      stored.backoff.next_try = now + kBuildingPause;
      return;
    }
    bool first = stored.resource.state == VersionState::kCreating;
    stored.backoff = AfterFailure(stored.backoff, rules_.backoff, stored.uid, now);
    if (!first || !IsFinal(error)) return;
    stored.resource.state = VersionState::kFailed;
    stored.resource.errorMessage = error.message;
    Settle(txn, kind(), stored.key(), stored.generation, error, now);
  });
}

void DeployController::RemoveForgotten() {
  std::set<std::string> known;
  ForEach<VersionRecord>(catalog_, {}, [&](const auto& row) { known.insert(row.value.uid); });
  auto all = world_.driver.List();
  if (!all.ok()) return log_.Warning("machines cannot be listed", {{"error", all.error().message}});
  for (const auto& [id, handle] : *all) {
    if (known.contains(id.substr(std::string_view("serve-").size()))) continue;
    Result<> removed = world_.driver.Remove(handle);
    log_.Info("forgotten serving process removed", {{"machine", id}, {"ok", removed.ok()}});
  }
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(world_.directory, failed)) {
    std::error_code ignored;
    if (!known.contains(entry.path().filename())) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace fireweed::ml
