// What machine tests share: a temporary state directory, a tiny root file system, and drivers over them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "machine/crun/crun_driver.h"
#include "machine/machine_driver.h"

namespace fireweed {

// A directory that is gone when the test is.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Directory with fireweed-shim and fireweed-init: beside the running test program.
std::string ProgramDirectory();

// A root file system of busybox and four files, made under `directory`. Empty when this host has no static busybox.
std::string MakeTinyRoot(const std::string& directory);

// Settings for a driver with a daemon id of its own under `directory`.
CrunSettings TestCrunSettings(const std::string& directory);
// Why container tests cannot run here; empty when they can.
std::string WhyNoContainerTests();

// Collects the ids that a driver's OnStopped tells, and waits for one.
class StoppedLog {
 public:
  void Listen(MachineDriver& driver);
  // False when it was not told within a generous time.
  bool Await(const std::string& id);

 private:
  std::mutex mu_;
  std::condition_variable told_;
  std::multiset<std::string> ids_;  // guarded by mu_
};

// Runs a shell command in a machine; its output and exit code.
struct ShellResult {
  int code = -1;
  std::string output;  // both streams
};
ShellResult ShellIn(MachineDriver& driver, const MachineHandle& handle, const std::string& command);

// Waits until a file holds `text`; false when it does not within a generous time.
bool AwaitText(const std::string& path, const std::string& text);
std::string ReadFileText(const std::string& path);

// Whether a process of the host, or of a machine on it, has `word` in its command line.
bool RunsOnHost(const std::string& word);

}  // namespace fireweed
