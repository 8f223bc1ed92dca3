#include "machine/shim/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "machine/shim/complain.h"

namespace fireweed {

std::string ReadSmallFile(const char* path) {
  std::string text;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  char buffer[4096];
  ssize_t n;
  while ((n = read(fd, buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<size_t>(n));
  close(fd);
  return text;
}

void WriteSmallFile(const char* name, std::string_view contents, Keep keep) {
  bool durably = keep == Keep::kDurably;
  std::string fresh = std::string(name) + ".new";
  int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 ||
      write(fd, contents.data(), contents.size()) != static_cast<ssize_t>(contents.size()) ||
      (durably && fsync(fd) != 0) || close(fd) != 0 || std::rename(fresh.c_str(), name) != 0) {
    Fail(std::string("writing ") + name);
  }
  if (!durably) return;
  int directory = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  fsync(directory);
  close(directory);
}

}  // namespace fireweed
