#include "blob/directory_syncer.h"

namespace fireweed {

Result<> DirectorySyncer::Sync(const std::string& directory) {
  std::unique_lock lock(mu_);
  Progress& progress = directories_[directory];
  // A running round may have started before the caller's changes: only the next one will do.
  const int64_t wanted = progress.started + 1;
  Round& round = progress.rounds[wanted];
  ++round.waiting;
  progress.changed.wait(lock, [&] { return round.done || !progress.running; });
  if (!round.done) {
    progress.running = true;
    ++progress.started;
    lock.unlock();
    Result<> outcome = disk_.SyncDirectory(directory);
    lock.lock();
    progress.running = false;
    round.outcome = outcome;
    round.done = true;
    progress.changed.notify_all();
  }
  Result<> outcome = round.outcome;
  if (--round.waiting == 0) progress.rounds.erase(wanted);
  return outcome;
}

}  // namespace fireweed
