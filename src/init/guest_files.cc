#include "init/guest_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "init/program.h"

namespace fireweed {
namespace {

constexpr std::string_view kGitHelper =
    "[credential \"https://source.developers.google.com\"]\n"
    "\thelper = !/usr/lib/fireweed/init git-credential\n";
constexpr const char* kSdkGitHelper = "/usr/lib/google-cloud-sdk/bin/git-credential-gcloud.sh";
constexpr std::string_view kResolvConf = "nameserver 169.254.169.254\n";

std::string ReadText(const char* path) {
  std::string text;
  char buffer[4096];
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n;
  while (fd >= 0 && (n = read(fd, buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<size_t>(n));
  }
  if (fd >= 0) close(fd);
  return text;
}

void WriteText(const char* path, std::string_view text) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return;
  // A read-only root keeps what the image has; nothing here is worth failing a boot for.
  if (write(fd, text.data(), text.size()) < 0) unlink(path);
  close(fd);
}

// Packages look for /run/systemd/system to start their services by systemctl. Where an image has systemd's own program, which
// cannot work without systemd, ours stands in its place; dpkg puts a new one aside.
void PlaceSystemctl() {
  constexpr const char* kOurs = "/usr/lib/fireweed/init";
  constexpr const char* kPlace = "/usr/bin/systemctl";
  constexpr const char* kDiversions = "/var/lib/dpkg/diversions";
  constexpr std::string_view kEntry = "/bin/systemctl\n/bin/systemctl.systemd\n:\n";
  mkdir("/run/systemd", 0755);
  mkdir("/run/systemd/system", 0755);
  char target[64];
  ssize_t n = readlink(kPlace, target, sizeof target);
  if (n > 0 && std::string_view(target, static_cast<size_t>(n)) == kOurs) return;
  rename(kPlace, "/usr/bin/systemctl.systemd");
  (void)!symlink(kOurs, kPlace);
  std::string diversions = ReadText(kDiversions);
  if (access(kDiversions, F_OK) != 0 || diversions.find(kEntry) != diversions.npos) return;
  WriteText(kDiversions, diversions + std::string(kEntry));
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

bool LineNames(std::string_view line, std::string_view name) {
  line = line.substr(0, line.find('#'));
  for (size_t at = line.find(name); at != line.npos; at = line.find(name, at + 1)) {
    size_t end = at + name.size();
    if (at > 0 && IsBlank(line[at - 1]) && (end == line.size() || IsBlank(line[end]))) return true;
  }
  return false;
}

}  // namespace

std::string HostsWith(std::string_view hosts, std::string_view name) {
  std::string text(hosts);
  while (!hosts.empty()) {
    std::string_view line = hosts.substr(0, hosts.find('\n'));
    if (LineNames(line, name)) return text;
    hosts.remove_prefix(std::min(line.size() + 1, hosts.size()));
  }
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text.append("127.0.1.1 ").append(name).append("\n");
}

std::string GitConfigWith(std::string_view gitconfig) {
  std::string text(gitconfig);
  if (text.find("source.developers.google.com") != text.npos) return text;
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text.append(kGitHelper);
}

void PrepareGuestFiles() {
  mkdir("/etc", 0755);
  utsname host{};
  uname(&host);
  std::string before = ReadText("/etc/hosts");
  std::string after = HostsWith(before, host.nodename);
  if (after != before) WriteText("/etc/hosts", after);
  if (access("/etc/resolv.conf", F_OK) != 0) WriteText("/etc/resolv.conf", kResolvConf);
  std::string git_before = ReadText("/etc/gitconfig");
  std::string git_after = GitConfigWith(git_before);
  if (git_after != git_before) WriteText("/etc/gitconfig", git_after);
  // Guides say `git config credential.helper gcloud.sh`: git looks for it where programs are.
  if (access(kSdkGitHelper, X_OK) == 0 && access("/usr/bin/git-credential-gcloud.sh", F_OK) != 0) {
    (void)!symlink(kSdkGitHelper, "/usr/bin/git-credential-gcloud.sh");
  }
  // The libraries of cards that the host has lent for this boot: the loader has to learn of them.
  if (access("/usr/local/nvidia/lib64", F_OK) == 0) RunHere({"/sbin/ldconfig"});
  PlaceSystemctl();
  mkdir("/run/lock", 0755);
  chmod("/run/lock", 01777);
  mkdir("/run/fireweed", 0700);
  // What is written there shows on the serial port, as on a machine with one.
  for (const char* console : {"/dev/console", "/dev/ttyS0"}) {
    if (symlink("/proc/1/fd/1", console) != 0) continue;  // there already
  }
}

}  // namespace fireweed
