#include "ml/lines/reading_notes.h"

#include <set>
#include <utility>

namespace fireweed::ml {

ReadingNotes::ReadingNotes(Catalog& catalog, logs::LogStore& store, Logger& log)
    : catalog_(catalog), store_(store), log_(log), thread_([this] { Run(); }) {}

ReadingNotes::~ReadingNotes() {
  {
    std::lock_guard lock(mu_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

int64_t ReadingNotes::Find(const std::string& machine) {
  auto row = Query(catalog_, [&](Txn& txn) { return txn.Find<ConsoleRecord>(machine); });
  return row ? row->value.offset : 0;
}

void ReadingNotes::Note(const std::string& machine, const std::string& project,
                        const std::string& job, int64_t offset) {
  Put(machine, {project, job, offset});
}

void ReadingNotes::Erase(const std::string& machine) { Put(machine, {}); }

void ReadingNotes::Put(const std::string& machine, Pending pending) {
  {
    std::lock_guard lock(mu_);
    pending_[machine] = std::move(pending);
  }
  changed_.notify_one();
}

void ReadingNotes::Run() {
  std::unique_lock lock(mu_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || !pending_.empty(); });
    if (pending_.empty()) return;
    Batch batch = std::exchange(pending_, {});
    lock.unlock();
    try {
      Write(batch);
    } catch (const Failure& failure) {
      log_.Warning("console offsets not kept", {{"error", failure.error().message}});
    }
    lock.lock();
  }
}

// What the rows say was read is on the disk first.
void ReadingNotes::Write(const Batch& batch) {
  std::set<std::pair<std::string, std::string>> jobs;
  for (const auto& [machine, note] : batch) {
    if (note.offset > 0) jobs.emplace(note.project, note.job);
  }
  for (const auto& [project, job] : jobs) store_.SyncJob(project, job);
  catalog_.Write("consoles read", [&](Txn& txn) {
    for (const auto& [machine, note] : batch) {
      if (note.offset > 0) {
        txn.Put(machine, ConsoleRecord{.offset = note.offset});
      } else {
        txn.Erase<ConsoleRecord>(machine);
      }
    }
  });
}

}  // namespace fireweed::ml
