#include "init/descendants.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

namespace fireweed {

std::vector<pid_t> ChildrenOf(pid_t parent) {
  std::vector<pid_t> children;
  std::string tasks = "/proc/" + std::to_string(parent) + "/task";
  DIR* directory = opendir(tasks.c_str());
  if (!directory) return children;
  while (const dirent* task = readdir(directory)) {
    if (task->d_name[0] == '.') continue;
    FILE* list = std::fopen((tasks + "/" + task->d_name + "/children").c_str(), "re");
    if (!list) continue;
    for (int pid = 0; std::fscanf(list, "%d", &pid) == 1;) children.push_back(pid);
    std::fclose(list);
  }
  closedir(directory);
  return children;
}

std::vector<pid_t> DescendantsOf(pid_t ancestor) {
  std::vector<pid_t> all = ChildrenOf(ancestor);
  for (size_t i = 0; i < all.size(); ++i) {
    std::vector<pid_t> next = ChildrenOf(all[i]);
    all.insert(all.end(), next.begin(), next.end());
  }
  return all;
}

std::vector<pid_t> AllProcesses() {
  std::vector<pid_t> all;
  DIR* directory = opendir("/proc");
  if (!directory) return all;
  while (const dirent* entry = readdir(directory)) {
    std::string_view name = entry->d_name;
    int pid = 0;
    auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error == std::errc() && end == name.data() + name.size() && pid > 1) all.push_back(pid);
  }
  closedir(directory);
  return all;
}

void SignalDescendants(int signal) {
  // All are found before the first is signalled: the children of one that ends are no longer below it.
  for (pid_t pid : DescendantsOf(getpid())) kill(pid, signal);
}

void KillDescendants() {
  while (true) {
    // Each round takes one generation; the next one has become our children by its end.
    std::vector<pid_t> children = ChildrenOf(getpid());
    if (children.empty() && waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) return;
    for (pid_t pid : children) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }
}

}  // namespace fireweed
