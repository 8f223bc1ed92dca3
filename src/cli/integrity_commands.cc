#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

#include "api/admin/storage.h"
#include "cli/commands.h"
#include "cli/daemon_process.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "client/rest_client.h"
#include "describe/json_codec.h"

namespace fireweed::cli {
namespace {

namespace fw = api::admin;

std::string Size(int64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

// Exit status 1 when something is wrong.
void PrintProblems(int64_t count, const std::vector<std::string>& problems) {
  if (count == 0) return;
  for (const std::string& problem : problems) fmt::print("  {}\n", problem);
  int64_t more = count - static_cast<int64_t>(problems.size());
  if (more > 0) fmt::print("  and {} more\n", more);
  throw Exit{1};
}

void Print(const fw::FsckReport& report, const Settings& settings) {
  if (settings.json) {
    fmt::print("{}\n", EncodeJson(report, Audience::kWire));
    if (report.problemCount > 0) throw Exit{1};
    return;
  }
  fmt::print("{} objects in {} buckets, {} read: {} blobs in files, {} in the catalog\n",
             report.objects, report.buckets, Size(report.bytes), report.blobs, report.smallBlobs);
  if (report.unreferenced > 0) {
    fmt::print("{} files that nothing refers to; the next sweep removes them\n",
               report.unreferenced);
  }
  if (report.problemCount == 0) {
    fmt::print("every object is whole, every byte matches its checksum, every reference counts\n");
  } else {
    fmt::print("{} problems:\n", report.problemCount);
  }
  PrintProblems(report.problemCount, report.problems);
}

void Print(const fw::BackupReport& report, std::string_view what, const Settings& settings) {
  if (settings.json) {
    fmt::print("{}\n", EncodeJson(report, Audience::kWire));
    if (report.problemCount > 0) throw Exit{1};
    return;
  }
  fmt::print("{} {}: {} objects verified, {} blobs ({}), of which {} ({}) were copied\n", what,
             report.directory, report.objects, report.blobs, Size(report.bytes), report.copiedBlobs,
             Size(report.copiedBytes));
  if (report.problemCount > 0) fmt::print("{} problems:\n", report.problemCount);
  PrintProblems(report.problemCount, report.problems);
}

// Starts a job of the daemon and watches it to its end; how far it is goes to standard error.
template <class Status, class StartMethod, class Request, class WatchMethod, class Tell>
Status RunJob(RestClient& client, const StartMethod& start, const Request& request,
              const WatchMethod& watch, const Tell& tell) {
  Status status = client.Call(start, request);
  while (status.state == "RUNNING") {
    tell(status);
    status = client.Call(watch, api::Empty{});
  }
  if (status.state != "DONE") throw Failure(Code::kInternal, status.message);
  return status;
}

bool ShowsProgress(const Settings& settings) {
  return !settings.json && isatty(STDERR_FILENO) == 1;
}

// A daemon that serves is asked; else its program does it on the directory.
void Fsck(const Settings& settings) {
  std::optional<Endpoint> endpoint = ReadEndpoint(settings.State());
  if (!endpoint || !IsAlive(*endpoint)) {
    DaemonStart start{settings.context->program_directory + "/fireweedd",
                      {"--state", std::filesystem::absolute(settings.State()).string(), "--fsck"},
                      ""};
    BecomeDaemon(start);
  }
  RestClient client(*endpoint, ReadOwner(settings.State()));
  bool shows = ShowsProgress(settings);
  auto tell = [&](const fw::Fsck& now) {
    if (shows) fmt::print(stderr, "\r{} objects, {} ", now.report.objects, Size(now.report.bytes));
  };
  fw::Fsck done = RunJob<fw::Fsck>(client, fw::kStartFsck, api::Empty{}, fw::kGetFsck, tell);
  if (shows) fmt::print(stderr, "\r");
  Print(done.report, settings);
}

void BackUp(const std::string& directory, const Settings& settings) {
  Endpoint endpoint = settings.Daemon();
  RestClient client(endpoint, ReadOwner(settings.State()));
  fw::StartBackup request;
  request.body.directory = std::filesystem::absolute(directory).lexically_normal().string();
  bool shows = ShowsProgress(settings);
  auto tell = [&](const fw::Backup& now) {
    if (shows) fmt::print(stderr, "\r{} blobs, {} ", now.report.blobs, Size(now.report.bytes));
  };
  fw::Backup done = RunJob<fw::Backup>(client, fw::kStartBackup, request, fw::kGetBackup, tell);
  if (shows) fmt::print(stderr, "\r");
  Print(done.report, "backed up to", settings);
}

void Restore(const std::string& directory, const Settings& settings) {
  DaemonStart start{settings.context->program_directory + "/fireweedd",
                    {"--state", std::filesystem::absolute(settings.State()).string(), "--restore",
                     std::filesystem::absolute(directory).string()},
                    ""};
  BecomeDaemon(start);
}

}  // namespace

void AddIntegrityCommands(Command& app, Settings& settings) {
  auto directory = std::make_shared<std::string>();
  Command* backup = app.AddCommand("backup", "Back up everything stored while the daemon runs");
  backup->AddOption("directory", *directory, "Empty directory, or an earlier backup to update")
      ->Required();
  backup->OnRun([directory, &settings] { BackUp(*directory, settings); });
  Command* restore = app.AddCommand("restore", "Fill an empty state directory from a backup");
  restore->AddOption("directory", *directory, "A backup")->Required();
  restore->OnRun([directory, &settings] { Restore(*directory, settings); });
  app.Find("storage")
      ->AddCommand("fsck", "Verify every stored object against its checksums")
      ->OnRun([&settings] { Fsck(settings); });
}

}  // namespace fireweed::cli
