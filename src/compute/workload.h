// What for: the one program that an instance was made for. A job's replica and the builder of an environment have one;
//   instances that people make have none, and no request can set it.
// Where it goes: into the instance's row; from there into the machine's spec, and by the driver to process 1, which
//   runs it instead of the startup scripts and powers off with its exit code.
// A program that cannot be started ends with 127 (not there) or 126 (not to be run), as in a shell.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "describe/type.h"

namespace fireweed::compute {

// A directory of the host, seen inside at the same path under every driver (plain processes see the host's own), so
// that paths written into it hold everywhere.
struct Mount {
  std::string path;
  // What is seen, and written, is PATH/upper, which must be there; the mount is at PATH/upper as well. For whoever builds
  // something that outlives the instance.
  bool writable = false;
};

struct Workload {
  std::vector<std::string> argv;                   // empty: no workload
  std::map<std::string, std::string> environment;  // besides what the machine has: PATH, HOME
  // Made where missing; relative: below HOME. Empty: HOME.
  std::string directory;
  // A directory whose entries appear, as links, in the working directory: a program and the files beside it.
  std::string tree;
  std::vector<Mount> mounts;
  // Every piece of output on the console has its stream and time before it (docs/formats/console-marks.md).
  bool log_marks = false;
};

// How the machine of the last boot ended, for whoever made the instance.
struct LastExit {
  int64_t boot = 0;
  int32_t code = 0;    // as the shell shows it: 128 + signal for one that was killed
  int32_t signal = 0;  // 0: it ended by itself
  bool out_of_memory = false;
  // STOP: somebody outside asked (stop, delete, preemption), whatever the code. WORKLOAD: it ended by itself. LOST: the
  // machine is gone without a word: its keeper was killed, or the host restarted. GUEST: no workload, powered off inside.
  std::string asked_by;
  std::string message;  // of a machine that never got going
  Time time{};
};

}  // namespace fireweed::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<compute::Mount> = "Mount";
template <>
inline constexpr auto kFields<compute::Mount> = [](auto...) {
  return Fields{F("path", &compute::Mount::path), F("writable", &compute::Mount::writable)};
};
template <>
inline constexpr std::string_view kTypeName<compute::Workload> = "Workload";
template <>
inline constexpr auto kFields<compute::Workload> = [](auto...) {
  return Fields{F("argv", &compute::Workload::argv),
                F("environment", &compute::Workload::environment),
                F("directory", &compute::Workload::directory),
                F("tree", &compute::Workload::tree),
                F("mounts", &compute::Workload::mounts),
                F("logMarks", &compute::Workload::log_marks)};
};
template <>
inline constexpr std::string_view kTypeName<compute::LastExit> = "LastExit";
template <>
inline constexpr auto kFields<compute::LastExit> = [](auto...) {
  return Fields{F("boot", &compute::LastExit::boot),
                F("code", &compute::LastExit::code),
                F("signal", &compute::LastExit::signal),
                F("outOfMemory", &compute::LastExit::out_of_memory),
                F("askedBy", &compute::LastExit::asked_by),
                F("message", &compute::LastExit::message),
                F("time", &compute::LastExit::time)};
};
}  // namespace fireweed
