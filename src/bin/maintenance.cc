#include "bin/maintenance.h"

#include "describe/json_codec.h"
#include "net/errors.h"

namespace fireweed {
namespace {

constexpr int64_t kWatchMillis = 1000;  // a watcher hears of the progress at least this often

bool IsBusy(const std::string& state) { return state == "RUNNING"; }

}  // namespace

Maintenance::Maintenance(MaintenanceWork work, const Clock& clock, Logger& log)
    : work_(std::move(work)), clock_(clock), log_(log), thread_([this] { Run(); }) {}

Maintenance::~Maintenance() {
  {
    std::lock_guard lock(mu_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Maintenance::Serve(net::Router& router) {
  router.On(api::admin::kStartFsck, this, &Maintenance::StartFsck);
  router.On(api::admin::kGetFsck, this, &Maintenance::GetFsck);
  router.On(api::admin::kStartBackup, this, &Maintenance::StartBackup);
  router.On(api::admin::kGetBackup, this, &Maintenance::GetBackup);
}

void Maintenance::Run() {
  std::unique_lock lock(mu_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
    if (stop_) return;
    std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

bool Maintenance::GoesOn() {
  std::lock_guard lock(mu_);
  return !stop_;
}

template <class Status, class Report>
Status Maintenance::Start(Desk<Status>& desk, std::function<Report(Desk<Status>&)> work) {
  std::lock_guard lock(mu_);
  if (IsBusy(desk.status.state)) {
    throw Failure(Code::kUnavailable, "One is running already.");
  }
  desk.status = Status{};
  desk.status.state = "RUNNING";
  desk.status.started = clock_.Now();
  jobs_.push_back([this, &desk, work = std::move(work)] {
    try {
      Report report = work(desk);
      std::unique_lock ended(mu_);
      desk.status.report = std::move(report);
      ended.unlock();
      End(desk, "DONE", "");
    } catch (const Failure& failure) {
      log_.Error("maintenance failed", {{"why", failure.error().message}});
      End(desk, "FAILED", failure.error().message);
    } catch (const std::exception& failure) {
      log_.Error("maintenance failed", {{"why", failure.what()}});
      End(desk, "FAILED", failure.what());
    }
  });
  changed_.notify_all();
  return desk.status;
}

template <class Status>
void Maintenance::End(Desk<Status>& desk, const char* state, const std::string& message) {
  std::list<std::shared_ptr<net::Deferred>> waiting;
  std::string json;
  {
    std::lock_guard lock(mu_);
    desk.status.state = state;
    desk.status.message = message;
    desk.status.ended = clock_.Now();
    json = EncodeJson(desk.status, Audience::kWire);
    waiting.swap(desk.waiting);
  }
  for (const auto& deferred : waiting) deferred->Complete(net::JsonResponse(200, json));
}

template <class Report, class Status>
std::function<void(const Report&)> Maintenance::Progress(Desk<Status>& desk) {
  return [this, &desk](const Report& report) {
    std::lock_guard lock(mu_);
    desk.status.report = report;
  };
}

// Answers when the job has ended, or a moment later with how far it is.
template <class Status>
net::Answer Maintenance::Watch(Desk<Status>& desk) {
  std::lock_guard lock(mu_);
  auto now = [this, &desk] {
    std::lock_guard inner(mu_);
    return net::JsonResponse(200, EncodeJson(desk.status, Audience::kWire));
  };
  if (!IsBusy(desk.status.state)) {
    return net::JsonResponse(200, EncodeJson(desk.status, Audience::kWire));
  }
  auto deferred = std::make_shared<net::Deferred>();
  deferred->timeout_ms = kWatchMillis;
  deferred->on_timeout = now;
  desk.waiting.remove_if([](const auto& old) { return old->settled(); });
  desk.waiting.push_back(deferred);
  return deferred;
}

api::admin::Fsck Maintenance::StartFsck(const api::Empty&, const net::Call&) {
  std::function<api::admin::FsckReport(Desk<api::admin::Fsck>&)> work = [this](auto& desk) {
    return work_.fsck(Progress<api::admin::FsckReport>(desk), [this](int64_t) { return GoesOn(); });
  };
  return Start(fsck_, std::move(work));
}

net::Answer Maintenance::GetFsck(const api::Empty&, const net::Call&) { return Watch(fsck_); }

api::admin::Backup Maintenance::StartBackup(const api::admin::StartBackup& request,
                                            const net::Call&) {
  std::string directory = request.body.directory;
  if (!directory.starts_with('/')) {
    throw Failure(Code::kInvalid, "'directory' must be an absolute path.");
  }
  std::function<api::admin::BackupReport(Desk<api::admin::Backup>&)> work =
      [this, directory](auto& desk) {
        return work_.backup(directory, Progress<api::admin::BackupReport>(desk),
                            [this](int64_t) { return GoesOn(); });
      };
  return Start(backup_, std::move(work));
}

net::Answer Maintenance::GetBackup(const api::Empty&, const net::Call&) { return Watch(backup_); }

}  // namespace fireweed
