#include "init/script.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "init/console.h"
#include "init/going_down.h"
#include "init/metadata.h"

namespace fireweed {
namespace {

constexpr std::string_view kRunner = "google_metadata_script_runner";
constexpr std::string_view kStorageHost = "https://storage.googleapis.com/";
constexpr int kPipeBytes = 65536, kPipeRounds = 8;

void Say(std::string_view text) { SayOnConsole(kRunner, text); }

bool WriteScript(const std::string& file, std::string_view contents) {
  int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
  if (fd < 0) return false;
  bool good = true;
  while (good && !contents.empty()) {
    ssize_t n = write(fd, contents.data(), contents.size());
    good = n > 0;
    if (good) contents.remove_prefix(static_cast<size_t>(n));
  }
  return close(fd) == 0 && good;
}

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

struct Child {
  pid_t pid = -1;
  int output = -1;
};

Child Spawn(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  pid_t pid = fork();
  if (pid == 0) {
    setsid();
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    std::vector<char*> argv = Pointers(command), envp = Pointers(environment);
    execvpe(argv[0], argv.data(), envp.data());
    std::string complaint = command[0] + ": " + std::strerror(errno) + "\n";
    if (write(STDERR_FILENO, complaint.data(), complaint.size()) < 0) _exit(126);
    _exit(errno == ENOENT ? 127 : 126);
  }
  close(ends[1]);
  if (pid < 0) close(ends[0]);
  return pid < 0 ? Child{} : Child{pid, ends[0]};
}

// Copies what scripts print to the console, each line with the script's name before it. A program that a script left
// in the background may go on printing after the script's end.
class Relay {
 public:
  void Add(std::string name, int fd) { sources_.push_back({std::move(name), fd, {}}); }

  // Until the program behind `pidfd` has ended and what it had printed by then is copied.
  void UntilEnded(int pidfd) {
    while (Step(pidfd)) {
    }
    for (Source& source : sources_) {
      fcntl(source.fd, F_SETFL, O_NONBLOCK);
      // No more than a pipe holds: something left in the background may print without end.
      for (int rounds = 0; rounds < kPipeRounds && Copy(source); ++rounds) {
      }
      Print(source, source.lines.Finish());
      fcntl(source.fd, F_SETFL, 0);
    }
    DropClosed();
  }
  void UntilClosed() {
    while (!sources_.empty()) Step(-1);
  }
  bool closed() const { return sources_.empty(); }

 private:
  struct Source {
    std::string name;
    int fd;
    LineCutter lines;
  };

  // One round of waiting and copying; false once `pidfd` is readable.
  bool Step(int pidfd) {
    std::vector<pollfd> waits{{pidfd, POLLIN, 0}};
    for (const Source& source : sources_) waits.push_back({source.fd, POLLIN, 0});
    if (poll(waits.data(), waits.size(), -1) < 0) return errno == EINTR;
    for (size_t i = 0; i < sources_.size(); ++i) {
      if (waits[i + 1].revents && !Copy(sources_[i])) Close(sources_[i]);
    }
    DropClosed();
    return waits[0].revents == 0;
  }
  static void Close(Source& source) {
    Print(source, source.lines.Finish());
    close(std::exchange(source.fd, -1));
  }
  void DropClosed() {
    std::erase_if(sources_, [](const Source& source) { return source.fd < 0; });
  }
  static bool Copy(Source& source) {
    char buffer[kPipeBytes / kPipeRounds];
    ssize_t n = read(source.fd, buffer, sizeof buffer);
    if (n <= 0) return false;
    Print(source, source.lines.Add({buffer, static_cast<size_t>(n)}));
    return true;
  }
  static void Print(const Source& source, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) Say(source.name + ": " + line);
  }

  std::vector<Source> sources_;
};

int RunAndRelay(const std::string& name, const std::vector<std::string>& command,
                const ScriptSettings& settings, Relay& relay) {
  Child child = Spawn(command, settings.environment);
  if (child.pid < 0) return 126;
  relay.Add(name, child.output);
  int pidfd = static_cast<int>(syscall(SYS_pidfd_open, child.pid, 0));
  if (pidfd >= 0) {
    relay.UntilEnded(pidfd);
    close(pidfd);
  }
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Fetches a script into `file`; the programs of the image do it, which know TLS and trust the right certificates.
bool Fetch(const std::string& name, const std::string& url, const std::string& file,
           const ScriptSettings& settings, Relay& relay) {
  ScriptSource source = ParseScriptUrl(url);
  if (source.url.empty()) {
    Say(name + ": cannot fetch '" + url + "'");
    return false;
  }
  std::vector<std::string> command{"curl", "-fsSL", "--retry", "5", "-o", file, source.url};
  std::string header_file = file + ".header";
  if (source.with_token) {
    std::optional<std::string> reply =
        AwaitMetadata(settings.metadata, "instance/service-accounts/default/token");
    std::string token = reply ? TokenOf(*reply) : "";
    // In a file, because every process of the machine can read a command line.
    if (!token.empty() && WriteScript(header_file, "Authorization: Bearer " + token + "\n")) {
      command.insert(command.end() - 1, {"-H", "@" + header_file});
    }
  }
  int code = RunAndRelay(name, command, settings, relay);
  unlink(header_file.c_str());
  if (code != 0)
    Say(name + ": fetching '" + source.url + "' failed with exit status " + std::to_string(code));
  return code == 0;
}

std::string ReadStart(const std::string& file) {
  char buffer[256];
  int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read(fd, buffer, sizeof buffer);
  if (fd >= 0) close(fd);
  return {buffer, static_cast<size_t>(std::max<ssize_t>(n, 0))};
}

// The script's exit code; one that cannot be had is a failure of its own.
int RunOne(const std::string& name, const std::string& value, const ScriptSettings& settings,
           Relay& relay) {
  Say("Found " + name + " in metadata.");
  std::string file = settings.directory + "/" + name;
  bool there =
      name.ends_with("-url") ? Fetch(name, value, file, settings, relay) : WriteScript(file, value);
  if (!there || chmod(file.c_str(), 0700) != 0) {
    Say(name + " could not be written");
    return 126;
  }
  std::string shell = access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh";
  int code = RunAndRelay(name, ScriptCommand(ReadStart(file), file, shell), settings, relay);
  // A script that the machine's end has interrupted did not finish, whatever it exits with.
  if (!TermCaught()) Say(name + " exit status " + std::to_string(code));
  return code;
}

// For groups that wait for success. A script that gave way to a preemption has not finished its work, whatever it says;
// without guest attributes the server refuses, and nobody waits for the word.
void PublishStartupExit(const HttpServer& metadata, int code) {
  if (AwaitMetadata(metadata, "instance/preempted").value_or("") == "TRUE") return;
  HttpSend(metadata, "PUT", "/computeMetadata/v1/instance/guest-attributes/fireweed/startup-exit",
           std::to_string(code));
}

}  // namespace

std::vector<std::string> ScriptCommand(std::string_view contents, const std::string& file,
                                       const std::string& shell) {
  if (contents.starts_with("#!")) return {file};
  return {shell, file};
}

ScriptSource ParseScriptUrl(std::string_view url) {
  while (!url.empty() && (url.back() == '\n' || url.back() == ' ' || url.back() == '\r')) {
    url.remove_suffix(1);
  }
  if (url.starts_with("gs://")) {
    std::string_view path = url.substr(5);
    if (path.find('/') == path.npos || path.back() == '/') return {};
    std::string encoded;
    for (char c : path) {
      if (c == ' ' || c == '#' || c == '?' || c == '%') {
        char hex[4];
        std::snprintf(hex, sizeof hex, "%%%02X", static_cast<unsigned>(c));
        encoded += hex;
      } else {
        encoded += c;
      }
    }
    return {std::string(kStorageHost) + encoded, true};
  }
  if (url.starts_with(kStorageHost)) return {std::string(url), true};
  if (url.starts_with("http://") || url.starts_with("https://")) return {std::string(url), false};
  return {};
}

std::string TokenOf(std::string_view json) {
  constexpr std::string_view kKey = "\"access_token\"";
  size_t key = json.find(kKey);
  if (key == json.npos) return "";
  size_t from = json.find('"', json.find(':', key + kKey.size()));
  if (from == json.npos) return "";
  size_t to = json.find('"', from + 1);
  return to == json.npos ? "" : std::string(json.substr(from + 1, to - from - 1));
}

int RunScripts(std::string_view which, const ScriptSettings& settings) {
  std::string kind(which);
  bool startup = which == "startup";
  if (startup) CatchTerm();
  Relay relay;
  bool any = false;
  int worst = 0;
  for (const char* level : {"instance", "project"}) {
    for (const char* suffix : {"-script", "-script-url"}) {
      std::string name = kind + suffix;
      std::optional<std::string> value =
          AwaitMetadata(settings.metadata, std::string(level) + "/attributes/" + name);
      if (!value || value->empty() || TermCaught()) continue;
      if (!std::exchange(any, true)) Say("Starting " + kind + " scripts.");
      worst = std::max(worst, RunOne(name, *value, settings, relay));
    }
    if (any) break;  // the project's scripts are for instances that have none
  }
  if (!TermCaught()) {
    Say(any ? "Finished running " + kind + " scripts." : "No " + kind + " scripts to run.");
    if (any && startup) PublishStartupExit(settings.metadata, worst);
  }
  if (relay.closed()) return 0;
  // Programs that the scripts left running may print until the machine's end. Those of shutdown scripts do not delay that
  // end: another process copies their lines while this one exits.
  CatchTerm();
  if (startup || fork() == 0) relay.UntilClosed();
  return 0;
}

}  // namespace fireweed
