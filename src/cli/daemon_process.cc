#include "cli/daemon_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/disk.h"
#include "base/error.h"
#include "base/unique_fd.h"

namespace fireweed::cli {
namespace {

std::vector<char*> Arguments(const DaemonStart& start, std::vector<std::string>& words) {
  words = {start.program};
  words.insert(words.end(), start.arguments.begin(), start.arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return argv;
}

std::string LastLines(const std::string& path, int64_t from, size_t count) {
  std::ifstream file(path);
  file.seekg(from);
  std::deque<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
    if (lines.size() > count) lines.pop_front();
  }
  return fmt::format("{}", fmt::join(lines, "\n  "));
}

}  // namespace

void StartDaemon(const DaemonStart& start) {
  MakeRealDisk()->MakeDirectories(std::filesystem::path(start.log_path).parent_path()).value();
  UniqueFd log(open(start.log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log) throw Failure(ErrnoError(errno, "open " + start.log_path));
  int64_t log_start = lseek(log.get(), 0, SEEK_END);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Failure(ErrnoError(errno, "pipe"));
  UniqueFd reader(ends[0]), writer(ends[1]);

  DaemonStart with_pipe = start;
  with_pipe.arguments.push_back("--ready-fd");
  with_pipe.arguments.push_back("3");
  std::vector<std::string> words;
  std::vector<char*> argv = Arguments(with_pipe, words);
  pid_t child = fork();
  if (child < 0) throw Failure(ErrnoError(errno, "fork"));
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);  // the daemon is nobody's child, so nobody has to reap it
    int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(log.get(), 1);
    dup2(log.get(), 2);
    dup2(writer.get(), 3);
    execv(argv[0], argv.data());
    dprintf(2, "fireweed: cannot run %s: %m\n", argv[0]);
    _exit(127);
  }
  waitpid(child, nullptr, 0);
  writer.reset();
  char word[16] = {};
  ssize_t got;
  do got = read(reader.get(), word, sizeof word - 1);
  while (got < 0 && errno == EINTR);
  if (got > 0) return;
  throw Failure(Code::kUnavailable, fmt::format("fireweedd exited before it was ready:\n  {}",
                                                LastLines(start.log_path, log_start, 5)));
}

void BecomeDaemon(const DaemonStart& start) {
  std::vector<std::string> words;
  std::vector<char*> argv = Arguments(start, words);
  execv(argv[0], argv.data());
  throw Failure(ErrnoError(errno, "run " + start.program));
}

bool WaitForEnd(int64_t pid, std::chrono::milliseconds limit) {
  UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)));
  if (!process) return errno == ESRCH;
  pollfd end{process.get(), POLLIN, 0};
  return poll(&end, 1, static_cast<int>(limit.count())) == 1;
}

bool StopDaemon(int64_t pid, std::chrono::milliseconds limit) {
  UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)));
  if (!process) return errno == ESRCH;
  if (kill(static_cast<pid_t>(pid), SIGTERM) != 0) {
    if (errno == ESRCH) return true;
    throw Failure(ErrnoError(errno, fmt::format("stop process {}", pid)));
  }
  pollfd end{process.get(), POLLIN, 0};
  if (poll(&end, 1, static_cast<int>(limit.count())) == 1) return true;
  kill(static_cast<pid_t>(pid), SIGKILL);
  poll(&end, 1, -1);
  return false;
}

}  // namespace fireweed::cli
