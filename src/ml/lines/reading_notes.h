// What for: how far consoles were read, in the catalog, so that a restart does not begin again at the start of long ones.
//   A note is written after the lines before it are on the disk; what is noted last counts.
// Who calls: Note and Erase from the collector's thread, Find before its first note of a machine. Note and Erase do not
//   block.
// Owns: a thread, which waits for the disk in their stead. What is pending at the end is still written.
// A failure: logged; the row stays behind, and some lines are read again after a restart.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "base/log.h"
#include "catalog/record.h"
#include "logs/log_store.h"

namespace fireweed::ml {

// How far a console was read. Key: the machine's id.
struct ConsoleRecord {
  int64_t offset = 0;
};

class ReadingNotes {
 public:
  ReadingNotes(Catalog& catalog, logs::LogStore& store, Logger& log);
  ~ReadingNotes();

  // 0: nothing is noted.
  int64_t Find(const std::string& machine);
  void Note(const std::string& machine, const std::string& project, const std::string& job,
            int64_t offset);
  // The machine is gone, and its console with it.
  void Erase(const std::string& machine);

 private:
  struct Pending {
    std::string project, job;
    int64_t offset = 0;  // 0: to be erased
  };
  using Batch = std::map<std::string, Pending>;  // by machine

  void Put(const std::string& machine, Pending pending);
  void Run();
  void Write(const Batch& batch);

  Catalog& catalog_;
  logs::LogStore& store_;
  Logger& log_;
  std::mutex mu_;
  std::condition_variable changed_;
  Batch pending_;      // guarded by mu_
  bool stop_ = false;  // guarded by mu_
  std::thread thread_;
};

}  // namespace fireweed::ml

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<ml::ConsoleRecord> = "ConsoleRecord";
template <>
inline constexpr auto kFields<ml::ConsoleRecord> =
    [](auto...) { return Fields{F("offset", &ml::ConsoleRecord::offset)}; };
template <>
inline constexpr std::string_view kRecordKind<ml::ConsoleRecord> = "ml.console";
}  // namespace fireweed
