#include "machine/kept/state_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/unique_fd.h"

namespace fireweed {

std::optional<std::string> ReadStateFile(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  std::string text;
  char buffer[4096];
  ssize_t n;
  while ((n = read(fd.get(), buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<size_t>(n));
  return text;
}

Result<> WriteStateFile(const std::string& path, std::string_view contents) {
  std::string fresh = path + ".new";
  UniqueFd fd(open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd) return ErrnoError(errno, path);
  while (!contents.empty()) {
    ssize_t n = write(fd.get(), contents.data(), contents.size());
    if (n < 0) return ErrnoError(errno, path);
    contents.remove_prefix(static_cast<size_t>(n));
  }
  if (std::rename(fresh.c_str(), path.c_str()) != 0) return ErrnoError(errno, path);
  return Done{};
}

std::optional<Time> ModifiedTime(const std::string& path) {
  struct stat seen {};
  if (stat(path.c_str(), &seen) != 0) return std::nullopt;
  return Time(std::chrono::seconds(seen.st_mtim.tv_sec) +
              std::chrono::nanoseconds(seen.st_mtim.tv_nsec));
}

Result<> MakeStateDirectory(const std::string& path, unsigned mode) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  if (mkdir(path.c_str(), mode) != 0 && errno != EEXIST) return ErrnoError(errno, path);
  return Done{};
}

Result<> RemoveTree(const std::string& path) {
  std::error_code failed;
  std::filesystem::remove_all(path, failed);
  if (failed) return ErrnoError(failed.value(), path);
  return Done{};
}

std::optional<int> LockHolder(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CLOEXEC));
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (!fd || fcntl(fd.get(), F_GETLK, &whole) != 0 || whole.l_type == F_UNLCK) return std::nullopt;
  return static_cast<int>(whole.l_pid);
}

}  // namespace fireweed
