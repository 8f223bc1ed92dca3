#include "source/repo_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <fmt/format.h>

#include "base/error.h"

namespace fireweed::source {
namespace {

namespace fs = std::filesystem;

constexpr Duration kInitPatience = std::chrono::seconds(60);

// Locks of a git that was cut off; its successor would wait for them for ever. Objects are not locked.
void RemoveLocks(const fs::path& repository) {
  std::error_code failed;
  std::vector<fs::path> locks;
  for (const fs::directory_entry& entry : fs::directory_iterator(repository, failed)) {
    if (entry.path().extension() == ".lock") locks.push_back(entry.path());
  }
  fs::recursive_directory_iterator at(repository / "refs", failed), end;
  while (!failed && at != end) {
    if (at->path().extension() == ".lock") locks.push_back(at->path());
    at.increment(failed);
  }
  for (const fs::path& lock : locks) fs::remove(lock, failed);
}

void SyncFileSystem(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || syncfs(fd.get()) != 0) throw Failure(ErrnoError(errno, path));
}

}  // namespace

std::vector<std::string> GitEnvironment() {
  std::vector<std::string> lines{"PATH=/usr/local/bin:/usr/bin:/bin",
                                 "HOME=/nonexistent",
                                 "LC_ALL=C.UTF-8",
                                 "GIT_CONFIG_NOSYSTEM=1",
                                 "GIT_CONFIG_GLOBAL=/dev/null",
                                 "GIT_TERMINAL_PROMPT=0"};
  const std::pair<const char*, const char*> settings[] = {{"core.fsync", "all"},
                                                          {"core.fsyncMethod", "fsync"},
                                                          {"safe.directory", "*"},
                                                          {"gc.autoDetach", "false"},
                                                          {"uploadpack.allowFilter", "true"},
                                                          {"receive.fsckObjects", "true"},
                                                          {"transfer.hideRefs", "refs/internal"}};
  int count = 0;
  for (const auto& [key, value] : settings) {
    lines.push_back(fmt::format("GIT_CONFIG_KEY_{}={}", count, key));
    lines.push_back(fmt::format("GIT_CONFIG_VALUE_{}={}", count++, value));
  }
  lines.push_back(fmt::format("GIT_CONFIG_COUNT={}", count));
  return lines;
}

void RepoStore::Create(const std::string& directory) {
  std::error_code failed;
  fs::create_directories(root_, failed);
  if (failed) throw Failure(ErrnoError(failed.value(), root_));
  std::string path = root_ + "/" + directory;
  ProgramSpec spec{
      .argv = {"git", "init", "--quiet", "--bare", "--template=", "--initial-branch=master", path},
      .environment = GitEnvironment()};
  Result<ProgramOutcome> made = RunProgram(spec, kInitPatience);
  if (!made.ok() && made.error().code == Code::kNotFound) {
    throw Failure(Code::kUnavailable,
                  "Source repositories need git, which this host does not have.");
  }
  if (!made.ok() || !made->ok()) {
    fs::remove_all(path, failed);
    throw Failure(Code::kUnavailable, fmt::format("git init failed: {}",
                                                  made.ok() ? made->error : made.error().message));
  }
  SyncFileSystem(path);
}

void RepoStore::Remove(const std::string& directory) {
  std::error_code ignored;
  fs::remove_all(root_ + "/" + directory, ignored);
}

void RepoStore::RemoveForgotten(const std::set<std::string>& known) {
  std::error_code failed;
  fs::directory_iterator entries(root_, failed);
  if (failed) return;  // none was ever made
  for (const fs::directory_entry& entry : entries) {
    std::string name = entry.path().filename();
    if (known.contains(name)) {
      RemoveLocks(entry.path());
    } else {
      Remove(name);
    }
  }
}

int64_t RepoStore::SizeOf(const std::string& directory) const {
  std::error_code failed;
  int64_t total = 0;
  // Files come and go while git packs; what is seen is what counts.
  fs::recursive_directory_iterator at(root_ + "/" + directory, failed), end;
  while (!failed && at != end) {
    std::error_code gone;
    if (at->is_regular_file(gone)) total += static_cast<int64_t>(at->file_size(gone));
    at.increment(failed);
  }
  return total;
}

}  // namespace fireweed::source
