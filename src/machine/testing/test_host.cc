#include "machine/testing/test_host.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <stdlib.h>

#include "base/process.h"
#include "base/random.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kGenerous(60);

void WriteText(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

std::string ReadToEnd(int fd) {
  std::string all;
  char buffer[4096];
  ssize_t n;
  while ((n = read(fd, buffer, sizeof buffer)) > 0) all.append(buffer, static_cast<size_t>(n));
  return all;
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = fs::temp_directory_path() / "fireweed-machine-XXXXXX";
  path_ = mkdtemp(pattern.data());
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code failed;
  fs::remove_all(path_, failed);
}

std::string ProgramDirectory() { return fs::read_symlink("/proc/self/exe").parent_path(); }

std::string MakeTinyRoot(const std::string& directory) {
  fs::path root = fs::path(directory) / "tiny-root";
  fs::path busybox = "/bin/busybox";
  if (!fs::exists(busybox)) return "";
  for (const char* name : {"bin", "dev", "proc", "sys", "run", "tmp", "root", "var", "usr/bin"}) {
    fs::create_directories(root / name);
  }
  fs::copy_file(busybox, root / "bin/busybox");
  Result<ProgramOutcome> applets = RunProgram({.argv = {busybox, "--list"}}, kGenerous);
  if (!applets.ok()) return "";
  std::istringstream names(applets->output);
  for (std::string name; std::getline(names, name);) {
    if (name != "busybox" && name != "reboot" && name != "poweroff" && name != "halt") {
      fs::create_symlink("/bin/busybox", root / "bin" / name);
    }
  }
  fs::create_symlink("/bin/busybox", root / "usr/bin/env");
  WriteText(root / "etc/passwd", "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000::/tmp:/bin/sh\n");
  WriteText(root / "etc/group", "root:x:0:\ntty:x:5:\nuser:x:1000:\n");
  WriteText(root / "etc/secret", "for root only\n");
  chmod((root / "etc/secret").c_str(), 0600);
  chmod((root / "tmp").c_str(), 01777);
  return root;
}

CrunSettings TestCrunSettings(const std::string& directory) {
  SystemRandom random;
  return {.daemon_id = "t" + random.Hex(5),
          .state_directory = directory + "/state",
          .shared_directory = "/run/fireweed-host",
          .shim = ProgramDirectory() + "/fireweed-shim",
          .init = ProgramDirectory() + "/fireweed-init",
          .runtime = FindRuntime()};
}

std::string WhyNoContainerTests() {
  if (!fs::exists("/bin/busybox")) return "busybox-static is not installed";
  return WhyNoContainers(TestCrunSettings(fs::temp_directory_path()));
}

void StoppedLog::Listen(MachineDriver& driver) {
  driver.OnStopped([this](const std::string& id) {
    std::lock_guard lock(mu_);
    ids_.insert(id);
    told_.notify_all();
  });
}

bool StoppedLog::Await(const std::string& id) {
  std::unique_lock lock(mu_);
  bool told = told_.wait_for(lock, kGenerous, [&] { return ids_.contains(id); });
  if (told) ids_.erase(ids_.find(id));
  return told;
}

ShellResult ShellIn(MachineDriver& driver, const MachineHandle& handle,
                    const std::string& command) {
  Result<std::unique_ptr<ExecStream>> stream =
      driver.Exec(handle, {.argv = {"/bin/sh", "-c", "exec 2>&1; " + command}});
  if (!stream.ok()) return {-1, stream.error().message};
  (*stream)->input.reset();
  std::string output = ReadToEnd((*stream)->output.get());
  output += ReadToEnd((*stream)->error.get());
  return {(*stream)->Wait().value(), output};
}

bool AwaitText(const std::string& path, const std::string& text) {
  constexpr int kStepMs = 2, kSteps = 30'000;
  for (int i = 0; i < kSteps; ++i) {
    if (ReadFileText(path).find(text) != std::string::npos) return true;
    poll(nullptr, 0, kStepMs);
  }
  return false;
}

std::string ReadFileText(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool RunsOnHost(const std::string& word) {
  for (const auto& process : fs::directory_iterator("/proc")) {
    if (ReadFileText(process.path() / "cmdline").find(word) != std::string::npos) return true;
  }
  return false;
}

}  // namespace fireweed
