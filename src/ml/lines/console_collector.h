// The collector of production: watches the directory of consoles (inotify) and the rows of instances (the catalog's feed),
// and reads on a thread of its own.
//
// How far a long console was read is noted once a second (reading_notes.h); short ones are read again from the start
// after a restart, which gives the same entries with the same ids. The thread itself never waits for a disk: a line
// of one replica must not wait for what another has printed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "logs/log_store.h"
#include "ml/lines/followed_console.h"
#include "ml/lines/reading_notes.h"
#include "ml/log_collector.h"

namespace fireweed::ml {

struct CollectorParts {
  Catalog& catalog;
  logs::LogStore& store;
  const Clock& clock;
  Logger& log;
  std::string console_directory;  // exists
  LineLimits limits = {};
};

class ConsoleCollector final : public LogCollector {
 public:
  // Throws Failure when the directory cannot be watched. References outlive it.
  explicit ConsoleCollector(CollectorParts parts);
  ~ConsoleCollector() override;

  bool Drained(const std::string& project, const std::string& job) override;
  void OnDrained(
      std::function<void(const std::string& project, const std::string& job)> sink) override;

 private:
  using JobKey = std::pair<std::string, std::string>;  // project, job
  struct Console {
    std::unique_ptr<FollowedConsole> console;
    Key instance;
    bool ended = false;    // the machine has
    bool gone = false;     // the instance has
    bool drained = false;  // ended, and read to its end
    int64_t noted_offset = 0;
    bool stalled = false;  // the log store took nothing: not before the next tick
  };
  // What other threads see.
  struct Shared {
    bool stop = false;
    std::map<Key, int64_t> pending;  // instances whose rows have changed, and how often
    std::map<Key, JobKey> job_of;
    std::map<JobKey, std::set<std::string>> undrained;  // machines; never an empty set
    std::set<JobKey> asked;                             // and the answer was no
    std::function<void(const std::string&, const std::string&)> sink;
  };
  // Outlives the collector: the catalog's sinks stay.
  struct Doorbell {
    Guarded<Shared> shared;
    UniqueFd bell;
    void Ring();
  };

  void Run();
  void LookAtAll();
  bool TakeNews(bool wait);
  void TakeNames();
  void Refresh(const Key& key);
  void Settled(const Key& key, int64_t changes);
  void Track(const Key& key, const LineSource& source, const std::string& machine, bool ended);
  void ReadRound();
  bool ReadPiece(const std::string& machine, Console& console);
  bool Store(Console& console, std::vector<logs::LogLine> lines, int64_t safe);
  void NoteDrained(const std::string& machine, Console& console);
  void Forget(const std::string& machine, Console& console);
  static bool IsDrained(const Shared& shared, const JobKey& job);
  void Tell();
  void Checkpoint();
  void Tick();

  const CollectorParts parts_;
  const std::shared_ptr<Doorbell> doorbell_;
  UniqueFd watch_;
  ReadingNotes notes_;
  // The thread's alone.
  std::map<std::string, Console> consoles_;  // by machine
  std::map<Key, std::string> machine_of_;    // instance to machine
  std::set<std::string> dirty_;              // may have news
  Time next_tick_{};
  std::thread thread_;
};

}  // namespace fireweed::ml
