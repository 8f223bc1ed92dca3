#include "ml/lines/console_collector.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include <fmt/format.h>

#include "compute/records.h"

namespace fireweed::ml {
namespace {

using compute::InstanceRecord;

// A console shorter than this is read again from its start after a restart.
constexpr int64_t kWorthNoting = 256 << 10;
constexpr Duration kTick = std::chrono::seconds(1);

std::string Label(const InstanceRecord& record, const char* name) {
  auto found = record.resource.labels.find(name);
  return found == record.resource.labels.end() ? "" : found->second;
}

// nullopt: not a replica's console.
std::optional<LineSource> SourceOf(const InstanceRecord& record) {
  bool marked = record.workload && record.workload->log_marks;
  LineSource source{record.project, Label(record, kJobLabel), Label(record, kTaskLabel),
                    Label(record, kTrialLabel)};
  if (!marked || source.job.empty()) return std::nullopt;
  return source;
}

// One that is being deleted has no machine any more when its row goes, and one that was stopped before it ever booted
// never had one.
bool HasEnded(const InstanceRecord& record) {
  using compute::InstanceWant;
  if (record.seen != compute::MachineSeen::kNothing) {
    return record.seen == compute::MachineSeen::kStopped;
  }
  bool at_rest = record.want == InstanceWant::kStopped &&
                 record.resource.status == api::compute::InstanceStatus::kTerminated;
  return at_rest || record.want == InstanceWant::kGone;
}

}  // namespace

void ConsoleCollector::Doorbell::Ring() {
  uint64_t one = 1;
  if (write(bell.get(), &one, sizeof one) < 0) return;  // it rings already
}

ConsoleCollector::ConsoleCollector(CollectorParts parts)
    : parts_(std::move(parts)),
      doorbell_(std::make_shared<Doorbell>()),
      notes_(parts_.catalog, parts_.store, parts_.log) {
  doorbell_->bell = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  watch_ = UniqueFd(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  bool watching =
      watch_ && inotify_add_watch(watch_.get(), parts_.console_directory.c_str(), IN_MODIFY) >= 0;
  if (!watching || !doorbell_->bell) {
    throw Failure(ErrnoError(errno, "watching " + parts_.console_directory));
  }
  parts_.catalog.OnCommit([door = doorbell_](std::string_view kind, const Key& key) {
    if (kind != kRecordKind<InstanceRecord>) return;
    door->shared.With([&](Shared& shared) { ++shared.pending[key]; });
    door->Ring();
  });
  thread_ = std::thread([this] { Run(); });
}

ConsoleCollector::~ConsoleCollector() {
  doorbell_->shared.With([](Shared& shared) { shared.stop = true; });
  doorbell_->Ring();
  thread_.join();
  doorbell_->shared.With([](Shared& shared) { shared.sink = nullptr; });
}

// With the lock.
bool ConsoleCollector::IsDrained(const Shared& shared, const JobKey& job) {
  if (shared.undrained.contains(job)) return false;
  // A row that was not looked at yet may be this job's.
  for (const auto& [key, changes] : shared.pending) {
    auto known = shared.job_of.find(key);
    if (known == shared.job_of.end() || known->second == job) return false;
  }
  return true;
}

bool ConsoleCollector::Drained(const std::string& project, const std::string& job) {
  JobKey wanted{project, job};
  return doorbell_->shared.With([&](Shared& shared) {
    bool drained = IsDrained(shared, wanted);
    if (!drained) shared.asked.insert(wanted);
    return drained;
  });
}

void ConsoleCollector::OnDrained(
    std::function<void(const std::string& project, const std::string& job)> sink) {
  doorbell_->shared.With([&](Shared& shared) { shared.sink = std::move(sink); });
}

void ConsoleCollector::Run() {
  LookAtAll();
  while (TakeNews(dirty_.empty())) {
    ReadRound();
    if (parts_.clock.Now() >= next_tick_) Tick();
    Tell();
  }
  Checkpoint();
}

void ConsoleCollector::Tell() {
  std::vector<JobKey> drained;
  auto sink = doorbell_->shared.With([&](Shared& shared) {
    for (const JobKey& job : shared.asked) {
      if (IsDrained(shared, job)) drained.push_back(job);
    }
    for (const JobKey& job : drained) shared.asked.erase(job);
    return shared.sink;
  });
  for (const auto& [project, job] : drained) {
    if (sink) sink(project, job);
  }
}

void ConsoleCollector::LookAtAll() {
  ForEach<InstanceRecord>(parts_.catalog, {}, [&](const auto& row) { Refresh(row.key); });
}

// False: it is time to go.
bool ConsoleCollector::TakeNews(bool wait) {
  pollfd waits[2] = {{doorbell_->bell.get(), POLLIN, 0}, {watch_.get(), POLLIN, 0}};
  bool ticking = false;
  for (const auto& [machine, console] : consoles_) {
    ticking |= console.stalled || (!console.drained && !console.gone);
  }
  auto tick = std::chrono::duration_cast<std::chrono::milliseconds>(kTick).count();
  poll(waits, 2, !wait ? 0 : ticking ? static_cast<int>(tick) : -1);
  uint64_t rings = 0;
  if (waits[0].revents && read(doorbell_->bell.get(), &rings, sizeof rings) < 0) rings = 0;
  if (waits[1].revents) TakeNames();
  auto [stop, pending] =
      doorbell_->shared.With([](Shared& shared) { return std::pair(shared.stop, shared.pending); });
  for (const auto& [key, changes] : pending) {
    Refresh(key);
    Settled(key, changes);
  }
  return !stop;
}

// Only when the row has been looked at is it taken off what is pending, so that Drained never sees a moment in between;
// one that changed meanwhile stays.
void ConsoleCollector::Settled(const Key& key, int64_t changes) {
  doorbell_->shared.With([&](Shared& shared) {
    auto waiting = shared.pending.find(key);
    if (waiting != shared.pending.end() && waiting->second == changes) {
      shared.pending.erase(waiting);
    }
  });
}

void ConsoleCollector::TakeNames() {
  alignas(inotify_event) char buffer[16384];
  ssize_t n;
  while ((n = read(watch_.get(), buffer, sizeof buffer)) > 0) {
    for (ssize_t at = 0; at < n;) {
      auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
      at += static_cast<ssize_t>(sizeof(inotify_event)) + event->len;
      if (event->mask & IN_Q_OVERFLOW) {
        for (const auto& [machine, console] : consoles_) dirty_.insert(machine);
      }
      std::string_view name = event->len ? event->name : "";
      if (name.ends_with(".log")) name.remove_suffix(4);
      auto found = consoles_.find(std::string(name));
      if (found != consoles_.end()) dirty_.insert(found->first);
    }
  }
}

void ConsoleCollector::Refresh(const Key& key) {
  auto row = Query(parts_.catalog, [&](Txn& txn) { return txn.Find<InstanceRecord>(key); });
  std::optional<LineSource> source = row ? SourceOf(row->value) : std::nullopt;
  auto known = machine_of_.find(key);
  if (known != machine_of_.end() && (!row || row->value.machine_id() != known->second)) {
    Console& old = consoles_.at(known->second);
    old.gone = old.ended = true;
    dirty_.insert(known->second);
  }
  if (source) {
    Track(key, *source, row->value.machine_id(), HasEnded(row->value));
  }
}

void ConsoleCollector::Track(const Key& key, const LineSource& source, const std::string& machine,
                             bool ended) {
  auto [at, fresh] = consoles_.try_emplace(machine);
  Console& console = at->second;
  if (fresh) {
    console.noted_offset = notes_.Find(machine);
    std::string path = fmt::format("{}/{}.log", parts_.console_directory, machine);
    console.console = std::make_unique<FollowedConsole>(machine, path, source, console.noted_offset,
                                                        parts_.limits);
    console.instance = key;
    machine_of_[key] = machine;
  }
  bool was = std::exchange(console.ended, ended);
  if (!ended) console.drained = false;
  // Nothing new: a row that changed in something else.
  if (!fresh && was == ended) return;
  JobKey job{source.project, source.job};
  doorbell_->shared.With([&](Shared& shared) {
    shared.job_of[key] = job;
    if (!console.drained) shared.undrained[job].insert(machine);
  });
  dirty_.insert(machine);
}

// A bounded piece of each console that may have news.
void ConsoleCollector::ReadRound() {
  for (const std::string& machine : std::exchange(dirty_, {})) {
    auto found = consoles_.find(machine);
    if (found == consoles_.end() || found->second.stalled) continue;
    if (ReadPiece(machine, found->second)) dirty_.insert(machine);
  }
}

// Whether there may be more.
bool ConsoleCollector::ReadPiece(const std::string& machine, Console& console) {
  bool ended = console.ended;  // before the read: what was printed by the end is read after it
  int64_t safe = console.console->safe_offset();
  FollowedConsole::Piece piece = console.console->Read();
  bool more = piece.more || !piece.lines.empty();
  if (!Store(console, std::move(piece.lines), safe)) return false;
  if (more || !ended) return more;
  if (!console.drained) {
    safe = console.console->safe_offset();
    if (!Store(console, console.console->Finish(), safe)) return false;
    NoteDrained(machine, console);
  }
  if (console.gone) Forget(machine, console);
  return false;
}

bool ConsoleCollector::Store(Console& console, std::vector<logs::LogLine> lines, int64_t safe) {
  if (lines.empty()) return true;
  Time now = parts_.clock.Now();
  for (logs::LogLine& line : lines) line.receiveTimestamp = now;
  try {
    parts_.store.AppendLines(console.console->source().project, console.console->pattern(), lines,
                             logs::Durability::kWritten);
    return true;
  } catch (const Failure& failure) {
    parts_.log.Warning("job lines not stored",
                       {{"instance", console.instance}, {"error", failure.error().message}});
    console.console->Unread(safe);
    console.stalled = true;
    return false;
  }
}

void ConsoleCollector::NoteDrained(const std::string& machine, Console& console) {
  console.drained = true;
  console.console->Close();
  JobKey job{console.console->source().project, console.console->source().job};
  doorbell_->shared.With([&](Shared& shared) {
    auto waiting = shared.undrained.find(job);
    if (waiting != shared.undrained.end()) {
      waiting->second.erase(machine);
      if (waiting->second.empty()) shared.undrained.erase(waiting);
    }
  });
}

// The instance is gone, and its console with it.
void ConsoleCollector::Forget(const std::string& machine, Console& console) {
  if (console.noted_offset > 0) notes_.Erase(machine);
  auto known = machine_of_.find(console.instance);
  if (known != machine_of_.end() && known->second == machine) {
    doorbell_->shared.With([&](Shared& shared) { shared.job_of.erase(known->first); });
    machine_of_.erase(known);
  }
  consoles_.erase(machine);
}

void ConsoleCollector::Tick() {
  next_tick_ = parts_.clock.Now() + kTick;
  Checkpoint();
  for (auto& [machine, console] : consoles_) {
    if (std::exchange(console.stalled, false)) dirty_.insert(machine);
    // A lost notice must not hold a line back for good.
    if (!console.drained) dirty_.insert(machine);
  }
}

void ConsoleCollector::Checkpoint() {
  for (auto& [machine, console] : consoles_) {
    int64_t safe = console.console->safe_offset();
    if (safe - console.noted_offset < kWorthNoting) continue;
    const LineSource& source = console.console->source();
    notes_.Note(machine, source.project, source.job, safe);
    console.noted_offset = safe;
  }
}

}  // namespace fireweed::ml
