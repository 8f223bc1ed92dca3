#include "ml/environments/environment_place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <fmt/format.h>

#include "base/unique_fd.h"
#include "describe/json_codec.h"

namespace fireweed::ml {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLargestResult = 1 << 20;
constexpr const char* kAside = ".gone";

Result<> Outcome(const std::error_code& failed, const std::string& path) {
  if (failed) return ErrnoError(failed.value(), path);
  return Done{};
}

Result<> MakeDirectory(const std::string& path) {
  std::error_code failed;
  fs::create_directories(path, failed);
  if (!failed && chmod(path.c_str(), 0755) != 0) return ErrnoError(errno, path);
  return Outcome(failed, path);
}

Result<> WriteFile(const std::string& path, std::string_view text) {
  UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd) return ErrnoError(errno, path);
  while (!text.empty()) {
    ssize_t n = write(fd.get(), text.data(), text.size());
    if (n < 0) return ErrnoError(errno, path);
    text.remove_prefix(static_cast<size_t>(n));
  }
  return Done{};
}

int64_t SizeOf(const std::string& path) {
  int64_t bytes = 0;
  std::error_code failed;
  for (auto at = fs::recursive_directory_iterator(path, failed); !failed && at != fs::end(at);
       at.increment(failed)) {
    std::error_code none;
    if (at->is_regular_file(none) && !at->is_symlink(none)) {
      bytes += static_cast<int64_t>(at->file_size(none));
    }
  }
  return bytes;
}

}  // namespace

std::string EnvironmentPlace::PathOf(const EnvironmentRecord& record) const {
  return fmt::format("{}/{}", record.shared ? settings_.runtimes : settings_.directory, record.key);
}

std::string EnvironmentPlace::BuildPathOf(const EnvironmentRecord& record) const {
  return record.shared ? PathOf(record) + "." + settings_.daemon_id : PathOf(record);
}

bool EnvironmentPlace::IsReady(const EnvironmentRecord& record) const {
  return access((PathOf(record) + "/ready").c_str(), F_OK) == 0;
}

Result<> EnvironmentPlace::MakeEmpty(const EnvironmentRecord& record) const {
  std::string path = BuildPathOf(record);
  std::error_code failed;
  fs::remove_all(path, failed);
  if (failed) return ErrnoError(failed.value(), path);
  for (const char* below : {"", "/upper", "/upper/packages"}) {
    if (Result<> made = MakeDirectory(path + below); !made.ok()) return made;
  }
  return Done{};
}

Result<> EnvironmentPlace::WriteOrder(const EnvironmentRecord& record,
                                      const std::string& base) const {
  std::string target = BuildPathOf(record) + "/upper";
  JsonWriter out;
  out.BeginObject().Field("target", target);
  out.Field("base", base.empty() ? "" : base + "/upper");
  out.Key("packages").BeginArray();
  for (const PackageFile& package : record.packages) out.String(package.name);
  out.EndArray().Key("requirements").BeginArray();
  for (const std::string& requirement : record.requirements) out.String(requirement);
  out.EndArray().Field("python", record.python).Field("strict", record.strict);
  out.Field("runtime",
            record.runtime.empty() ? std::string("the runtime") : "runtime " + record.runtime);
  out.EndObject();
  return WriteFile(target + "/order.json", out.text());
}

Result<BuildResult> EnvironmentPlace::ReadResult(const EnvironmentRecord& record) const {
  std::string path = BuildPathOf(record) + "/upper/result.json";
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (!fd || fstat(fd.get(), &info) != 0) return ErrnoError(errno, path);
  if (!S_ISREG(info.st_mode) || info.st_size > static_cast<off_t>(kLargestResult)) {
    return Error{Code::kInvalid, "", "the builder left no result"};
  }
  std::string text(static_cast<size_t>(info.st_size), '\0');
  ssize_t n = pread(fd.get(), text.data(), text.size(), 0);
  text.resize(static_cast<size_t>(std::max<ssize_t>(n, 0)));
  try {
    return DecodeJson<BuildResult>(text);
  } catch (const Failure& failure) {
    return failure.error();
  }
}

Result<int64_t> EnvironmentPlace::Complete(const EnvironmentRecord& record) const {
  std::string building = BuildPathOf(record), path = PathOf(record);
  std::error_code failed;
  for (const char* rest : {"/upper/packages", "/upper/wheels", "/work"}) {
    fs::remove_all(building + rest, failed);
  }
  int64_t bytes = SizeOf(building);
  UniqueFd directory(open(building.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Thousands of files that a builder wrote and nobody synced.
  if (!directory || syncfs(directory.get()) != 0) return ErrnoError(errno, building);
  if (Result<> marked = WriteFile(building + "/ready", ""); !marked.ok()) return marked.error();
  if (fsync(directory.get()) != 0) return ErrnoError(errno, building);
  if (building == path) return bytes;
  // Another daemon may have been faster: then its one is as good.
  fs::rename(building, path, failed);
  if (failed && !IsReady(record)) return ErrnoError(failed.value(), path);
  if (failed) fs::remove_all(building, failed);
  return bytes;
}

void EnvironmentPlace::ShowInterpreter(const EnvironmentRecord& record) const {
  if (settings_.interpreter.empty()) return;
  std::error_code failed;
  std::string fresh = settings_.interpreter + ".new";
  fs::remove(fresh, failed);
  fs::create_symlink(PathOf(record) + "/upper/venv/bin/python", fresh, failed);
  if (!failed) fs::rename(fresh, settings_.interpreter, failed);
}

Result<> EnvironmentPlace::SetAside(const EnvironmentRecord& record) const {
  std::error_code failed;
  std::string path = PathOf(record);
  fs::rename(path, path + kAside, failed);
  if (failed == std::errc::no_such_file_or_directory) return Done{};
  return Outcome(failed, path);
}

Result<> EnvironmentPlace::RemoveAside(const EnvironmentRecord& record) const {
  std::error_code failed;
  std::string aside = PathOf(record) + kAside;
  fs::remove_all(aside, failed);
  return Outcome(failed, aside);
}

}  // namespace fireweed::ml
