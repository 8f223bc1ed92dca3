// What for: examinations and backups of the store at the owner's request, one at a time, beside everything else.
// Threads: requests come on pool threads and do not wait for the work; the work has a thread of its own.
// Owns: that thread, which ends with it; a job that runs is broken off.
// A failure: of a job is its state FAILED with a message; a second job of a kind is refused while one runs.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "api/admin/storage.h"
#include "base/clock.h"
#include "base/log.h"
#include "net/router.h"
#include "storage/object_check.h"

namespace fireweed {

// How the work is done; calls come on the maintenance thread and throw Failure.
struct MaintenanceWork {
  std::function<api::admin::FsckReport(
      const std::function<void(const api::admin::FsckReport&)>& progress,
      const storage::Pace& pace)>
      fsck;
  std::function<api::admin::BackupReport(
      const std::string& directory,
      const std::function<void(const api::admin::BackupReport&)>& progress,
      const storage::Pace& pace)>
      backup;
};

class Maintenance {
 public:
  Maintenance(MaintenanceWork work, const Clock& clock, Logger& log);
  ~Maintenance();

  void Serve(net::Router& router);

 private:
  // A kind of job, and those who wait for it to end.
  template <class Status>
  struct Desk {
    Status status;
    std::list<std::shared_ptr<net::Deferred>> waiting;
  };

  api::admin::Fsck StartFsck(const api::Empty&, const net::Call& call);
  net::Answer GetFsck(const api::Empty&, const net::Call& call);
  api::admin::Backup StartBackup(const api::admin::StartBackup& request, const net::Call& call);
  net::Answer GetBackup(const api::Empty&, const net::Call& call);

  void Run();
  template <class Status, class Report>
  Status Start(Desk<Status>& desk, std::function<Report(Desk<Status>&)> work);
  template <class Status>
  void End(Desk<Status>& desk, const char* state, const std::string& message);
  template <class Status>
  net::Answer Watch(Desk<Status>& desk);
  template <class Report, class Status>
  std::function<void(const Report&)> Progress(Desk<Status>& desk);
  bool GoesOn();

  const MaintenanceWork work_;
  const Clock& clock_;
  Logger& log_;
  std::mutex mu_;
  std::condition_variable changed_;
  bool stop_ = false;                      // guarded by mu_
  std::list<std::function<void()>> jobs_;  // guarded by mu_
  Desk<api::admin::Fsck> fsck_;            // guarded by mu_
  Desk<api::admin::Backup> backup_;        // guarded by mu_
  std::thread thread_;
};

}  // namespace fireweed
