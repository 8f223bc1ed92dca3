#include "bin/ground.h"

#include <unistd.h>

#include <fmt/format.h>

#include "base/bytes.h"
#include "storage/backup.h"

namespace fireweed {
namespace {

LogLevel LevelByName(const std::string& name) {
  for (LogLevel level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError}) {
    if (LogLevelName(level) == name) return level;
  }
  return LogLevel::kInfo;
}

SqliteCatalogOptions CatalogOptions(Disk& disk, const StateDirectory& state) {
  if (disk.Exists(state.Path(storage::kRestoringFile)).value()) {
    throw Failure(
        Code::kPrecondition,
        fmt::format("A restore into {} was cut off: run `fireweed restore` again.", state.path()));
  }
  return {.path = state.Path("catalog.db")};
}

}  // namespace

std::string ReadIfThere(Disk& disk, const std::string& path) {
  Result<std::unique_ptr<File>> file = disk.Open(path, OpenMode::kRead);
  if (!file.ok()) return "";
  std::string text(static_cast<size_t>((*file)->Size().value()), '\0');
  text.resize((*file)->ReadAt(0, std::as_writable_bytes(std::span(text))).value());
  return text;
}

std::string Ground::Keep(const std::string& name, const std::function<std::string()>& make) {
  std::string path = state.Path(name);
  std::string kept(Trim(ReadIfThere(*disk, path)));
  if (!kept.empty()) return kept;
  kept = make();
  WriteDurably(*disk, path, kept + "\n");
  return kept;
}

void Ground::LogFullDisk(int64_t free) {
  constexpr auto kPause = std::chrono::minutes(1);
  Time now = clock.Now();
  bool due = full_logged.With([&](Time& last) {
    if (now - last < kPause) return false;
    last = now;
    return true;
  });
  if (!due) return;
  log.Error("the disk is full: uploads are refused",
            {{"free_bytes", free},
             {"reserve_bytes", options.config.storage.reserve_bytes},
             {"state", options.state}});
}

Ground::Ground(DaemonOptions given)
    : options(std::move(given)),
      log(STDERR_FILENO, clock, LevelByName(options.config.log.level)),
      disk(MakeRealDisk()),
      state(*disk, options.state),
      daemon_id(Keep("daemon-id", [&] { return random.Hex(4); })),
      sockets(OpenSockets(options.config.listen.http, options.config.listen.https, *disk,
                          state.Path("ports.json"), random)),
      ids(clock, random),
      catalog(CatalogOptions(*disk, state), log),
      blobs(FileBlobStore::Open(*disk, state.Path("blobs"), ids,
                                {.reserve_bytes = options.config.storage.reserve_bytes,
                                 .on_full = [this](int64_t free) { LogFullDisk(free); }})
                .value()) {}

}  // namespace fireweed
