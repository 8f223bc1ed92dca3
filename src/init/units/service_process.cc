#include "init/units/service_process.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "init/account_files.h"
#include "init/program.h"

namespace fireweed {
namespace {

constexpr int kExitExec = 203;  // systemd's number for a program that cannot be run

std::string Host() {
  utsname host{};
  uname(&host);
  return host.nodename;
}

struct Identity {
  bool known = true;
  uid_t uid = 0;
  gid_t gid = 0;
  std::string name = "root", home = "/root";
};

Identity IdentityOf(const Unit& unit) {
  Identity identity;
  std::string user = ExpandSpecifiers(unit.file.Value("Service.User", "root"), unit.name, Host());
  std::optional<PasswdEntry> entry = FindPasswd(ReadSmallFile("/etc/passwd").value_or(""), user);
  identity.known = entry.has_value();
  if (!entry) return identity;
  identity = {true, entry->uid, entry->gid, user, entry->home};
  if (std::string group = unit.file.Value("Service.Group"); !group.empty()) {
    std::optional<uint32_t> gid = FindGroup(ReadSmallFile("/etc/group").value_or(""), group);
    identity.known = gid.has_value();
    identity.gid = gid.value_or(0);
  }
  return identity;
}

void SetLimits(const Unit& unit) {
  std::string files = unit.file.Value("Service.LimitNOFILE");
  if (files.empty()) return;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  rlim_t wanted = files == "infinity" ? limit.rlim_max : std::strtoull(files.c_str(), nullptr, 10);
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

// "append:/path", "file:/path", "null"; everything else is the machine's console.
void Redirect(const std::string& where, int output, int fd) {
  int target = output;
  if (where.starts_with("append:")) {
    target = open(where.c_str() + 7, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  } else if (where.starts_with("file:") || where.starts_with("truncate:")) {
    target = open(where.c_str() + where.find(':') + 1, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  } else if (where == "null") {
    target = open("/dev/null", O_WRONLY | O_CLOEXEC);
  }
  dup2(target < 0 ? output : target, fd);
}

std::string EnterDirectory(const Unit& unit, const Identity& identity) {
  std::string directory = unit.file.Value("Service.WorkingDirectory", "/");
  bool optional = directory.starts_with('-');
  if (optional) directory.erase(0, 1);
  directory = directory == "~" ? identity.home : ExpandSpecifiers(directory, unit.name, Host());
  if (chdir(directory.c_str()) == 0 || optional) return "";
  return "WorkingDirectory " + directory + ": " + std::strerror(errno);
}

std::string BecomeUser(const Identity& identity) {
  if (identity.uid == 0 && identity.gid == 0) return "";
  std::vector<gid_t> groups{identity.gid};
  for (uint32_t gid : GroupsOfMember(ReadSmallFile("/etc/group").value_or(""), identity.name)) {
    groups.push_back(gid);
  }
  if (setgroups(groups.size(), groups.data()) == 0 && setgid(identity.gid) == 0 &&
      setuid(identity.uid) == 0) {
    return "";
  }
  return "user " + identity.name + ": " + std::strerror(errno);
}

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// In the child. Returns only a problem.
std::string Execute(const Unit& unit, const UnitCommand& command,
                    const std::vector<std::string>& environment, int output) {
  setsid();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_IGN);  // as systemd's IgnoreSIGPIPE
  int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  std::string out = ExpandSpecifiers(unit.file.Value("Service.StandardOutput"), unit.name, Host());
  std::string err =
      ExpandSpecifiers(unit.file.Value("Service.StandardError", out), unit.name, Host());
  Redirect(out, output, STDOUT_FILENO);
  Redirect(err, output, STDERR_FILENO);
  umask(static_cast<mode_t>(
      std::strtoul(unit.file.Value("Service.UMask", "0022").c_str(), nullptr, 8)));
  SetLimits(unit);
  Identity identity = IdentityOf(unit);
  if (!identity.known) return "unknown user or group";
  if (std::string problem = EnterDirectory(unit, identity); !problem.empty()) return problem;
  if (!command.as_root) {
    if (std::string problem = BecomeUser(identity); !problem.empty()) return problem;
  }
  std::vector<std::string> words;
  for (const std::string& word : command.words) {
    words.push_back(ExpandSpecifiers(word, unit.name, Host()));
  }
  words = ExpandVariables(words, environment);
  std::string program = ExpandSpecifiers(command.program, unit.name, Host());
  std::vector<char*> argv = Pointers(words), envp = Pointers(environment);
  execvpe(program.c_str(), argv.data(), envp.data());
  return program + ": " + std::strerror(errno);
}

void MakeBelow(const std::string& base, const std::string& names, const Identity& identity) {
  for (const std::string& name : SplitWords(names)) {
    std::string path = base + "/" + name;
    for (size_t at = path.find('/', base.size() + 1); at != path.npos;
         at = path.find('/', at + 1)) {
      mkdir(path.substr(0, at).c_str(), 0755);
    }
    mkdir(path.c_str(), 0755);
    if (chown(path.c_str(), identity.uid, identity.gid) != 0) return;
  }
}

}  // namespace

std::vector<std::string> UnitEnvironment(const Unit& unit, const std::vector<std::string>& more) {
  std::vector<std::string> environment{
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"};
  auto add = [&](const std::string& variable) {
    std::string name = variable.substr(0, variable.find('=') + 1);
    std::erase_if(environment, [&](const std::string& old) { return old.starts_with(name); });
    environment.push_back(variable);
  };
  for (const std::string& variable :
       ParseEnvironmentFile(ReadSmallFile("/etc/environment").value_or(""))) {
    add(variable);
  }
  Identity identity = IdentityOf(unit);
  add("HOME=" + identity.home);
  add("USER=" + identity.name);
  add("LOGNAME=" + identity.name);
  for (const std::string& variable : unit.file.Words("Service.Environment")) {
    if (variable.find('=') != variable.npos) {
      add(ExpandSpecifiers(variable, unit.name, Host()));
    }
  }
  for (std::string file : unit.file.Values("Service.EnvironmentFile")) {
    if (file.starts_with('-')) file.erase(0, 1);
    file = ExpandSpecifiers(file, unit.name, Host());
    for (const std::string& variable : ParseEnvironmentFile(ReadSmallFile(file).value_or(""))) {
      add(variable);
    }
  }
  for (const std::string& variable : more) add(variable);
  return environment;
}

void MakeUnitDirectories(const Unit& unit) {
  Identity identity = IdentityOf(unit);
  MakeBelow("/run", unit.file.Value("Service.RuntimeDirectory"), identity);
  MakeBelow("/var/lib", unit.file.Value("Service.StateDirectory"), identity);
  MakeBelow("/var/cache", unit.file.Value("Service.CacheDirectory"), identity);
  MakeBelow("/var/log", unit.file.Value("Service.LogsDirectory"), identity);
}

Launched LaunchUnitCommand(const Unit& unit, const UnitCommand& command,
                           const std::vector<std::string>& environment, int output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {-1, std::strerror(errno)};
  pid_t pid = fork();
  if (pid == 0) {
    std::string problem = Execute(unit, command, environment, output);
    if (write(ends[1], problem.data(), problem.size()) < 0) _exit(kExitExec);
    _exit(kExitExec);
  }
  close(ends[1]);
  // A program that runs has closed the pipe.
  char buffer[512];
  ssize_t n = pid < 0 ? 0 : read(ends[0], buffer, sizeof buffer);
  close(ends[0]);
  if (pid < 0) return {-1, "fork failed"};
  return {pid, std::string(buffer, static_cast<size_t>(n > 0 ? n : 0))};
}

}  // namespace fireweed
