#include "init/workload.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "init/console_marks.h"

namespace fireweed {
namespace {

constexpr size_t kPipeBytes = 65536;
// A program left in the background may print without end: no more than a pipe holds, a few times.
constexpr int kDrainRounds = 64;

int64_t NowNanoseconds() {
  timespec now{};
  // NOHOUSE(clock): process 1 of a machine has no one who could hand it a Clock.
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::string_view NameOf(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

void MakeDirectories(const std::string& path) {
  for (size_t at = path.find('/', 1); at != path.npos; at = path.find('/', at + 1)) {
    mkdir(path.substr(0, at).c_str(), 0755);
  }
  mkdir(path.c_str(), 0755);
}

// What the working directory has already stays: a restarted program finds what it wrote.
void LinkEntries(const std::string& from) {
  DIR* directory = opendir(from.c_str());
  if (!directory) return;
  while (const dirent* entry = readdir(directory)) {
    std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (symlink((from + "/" + entry->d_name).c_str(), entry->d_name) != 0) continue;
  }
  closedir(directory);
}

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

void Complain(const std::string& text) {
  std::string line = text + "\n";
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

}  // namespace

WorkloadRun::WorkloadRun(WorkloadOrder order, const std::vector<std::string>& environment)
    : order_(std::move(order)), environment_(environment) {
  for (const std::string& variable : order_.variables) {
    std::erase_if(environment_,
                  [&](const std::string& old) { return NameOf(old) == NameOf(variable); });
    environment_.push_back(variable);
  }
  for (const std::string& variable : environment_) {
    if (variable.starts_with("HOME=/")) home_ = variable.substr(5);
  }
}

pid_t WorkloadRun::Start(const sigset_t& mask) {
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0) return -1;
  if (pipe2(err, O_CLOEXEC) != 0) return -1;
  pid_t pid = fork();
  if (pid == 0) Run(out[1], err[1], mask);
  close(out[1]);
  close(err[1]);
  streams_[0].fd = out[0];
  streams_[1].fd = err[0];
  for (const Stream& stream : streams_) fcntl(stream.fd, F_SETFL, O_NONBLOCK);
  return pid;
}

// In the child: never returns.
void WorkloadRun::Run(int out, int err, const sigset_t& mask) {
  setsid();
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (!EnterDirectory()) {
    Complain("working directory " + order_.directory + ": " + std::strerror(errno));
    _exit(126);
  }
  std::vector<char*> argv = Pointers(order_.arguments), envp = Pointers(environment_);
  // NOHOUSE(getenv): the environment of the program that is started, whose own PATH counts
  environ = envp.data();
  execvp(argv[0], argv.data());
  int why = errno;
  Complain(order_.arguments[0] + ": " + std::strerror(why));
  _exit(why == ENOENT ? 127 : 126);
}

bool WorkloadRun::EnterDirectory() const {
  std::string directory = order_.directory;
  if (!directory.starts_with("/")) directory = home_ + (directory.empty() ? "" : "/" + directory);
  MakeDirectories(directory);
  if (chdir(directory.c_str()) != 0) return false;
  if (!order_.tree.empty()) LinkEntries(order_.tree);
  return true;
}

void WorkloadRun::Copy() {
  for (Stream& stream : streams_) {
    if (stream.fd >= 0) CopyFrom(stream);
  }
}

void WorkloadRun::Drain() {
  for (Stream& stream : streams_) {
    for (int rounds = 0; rounds < kDrainRounds && stream.fd >= 0 && CopyFrom(stream); ++rounds) {
    }
    Flush(stream);
  }
}

// True when there may be more.
bool WorkloadRun::CopyFrom(Stream& stream) {
  char buffer[kPipeBytes];
  ssize_t n = read(stream.fd, buffer, sizeof buffer);
  if (n > 0) {
    Print(stream, {buffer, static_cast<size_t>(n)});
    return true;
  }
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  close(stream.fd);
  stream.fd = -1;
  Flush(stream);
  return false;
}

// Whole lines, as many as fit, are one piece; a line longer than a piece goes out in several, all but the last without
// a newline.
void WorkloadRun::Print(Stream& stream, std::string_view bytes) {
  if (!order_.marks) return Write(stream.name, bytes);
  stream.partial.append(bytes);
  std::string_view left = stream.partial;
  while (true) {
    std::string_view piece = left.substr(0, kLongestPiece);
    size_t newline = piece.rfind('\n');
    if (newline != piece.npos) {
      piece = piece.substr(0, newline + 1);
    } else if (piece.size() < kLongestPiece) {
      break;
    }
    Write(stream.name, piece);
    left.remove_prefix(piece.size());
  }
  stream.partial.erase(0, stream.partial.size() - left.size());
}

void WorkloadRun::Flush(Stream& stream) {
  if (stream.partial.empty()) return;
  stream.partial += '\n';
  Write(stream.name, stream.partial);
  stream.partial.clear();
}

void WorkloadRun::Write(char stream, std::string_view piece) {
  std::string text;
  if (order_.marks) {
    int64_t time = std::max(NowNanoseconds(), next_time_);
    next_time_ = time + static_cast<int64_t>(piece.size());
    text = FormatMark({stream, time, piece.size()});
  }
  text.append(piece);
  std::string_view left = text;
  while (!left.empty()) {
    ssize_t n = write(STDOUT_FILENO, left.data(), left.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // a console that takes nothing must not stop the machine
    left.remove_prefix(static_cast<size_t>(n));
  }
}

}  // namespace fireweed
