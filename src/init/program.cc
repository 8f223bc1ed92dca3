#include "init/program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace fireweed {
namespace {

constexpr size_t kLargestFile = 4 << 20;

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace

int Become(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  return errno == ENOENT ? 127 : 126;
}

int RunHere(const std::vector<std::string>& command) {
  pid_t pid = fork();
  if (pid < 0) return 126;
  if (pid == 0) _exit(Become(command));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return 126;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool IsOwnProgram(pid_t pid) {
  struct stat own {
  }, other{};
  std::string path = "/proc/" + std::to_string(pid) + "/exe";
  return stat("/proc/self/exe", &own) == 0 && stat(path.c_str(), &other) == 0 &&
         own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

std::optional<std::string> ReadSmallFile(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  std::string text;
  char buffer[4096];
  ssize_t n;
  while (text.size() <= kLargestFile && (n = read(fd, buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<size_t>(n));
  }
  close(fd);
  return text;
}

bool ReplaceFile(const std::string& path, std::string_view contents, mode_t mode, uid_t uid,
                 gid_t gid) {
  std::string beside = path + ".fireweed-new";
  unlink(beside.c_str());
  int fd = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return false;
  bool good = WriteAll(fd, contents) && fchown(fd, uid, gid) == 0 && fchmod(fd, mode) == 0;
  good = close(fd) == 0 && good;
  if (good && rename(beside.c_str(), path.c_str()) == 0) return true;
  unlink(beside.c_str());
  return false;
}

}  // namespace fireweed
