// What for: the one seam between the control plane and things that run. A driver starts a machine
// from a spec, tells
//   the truth about it afterwards, and leaves nothing behind when it is removed.
// Who calls: the instance controller on an action thread, one call per machine at a time, any
// number of machines
//   at once; the metadata and name servers call ListenInside.
// May block: yes. Start takes tens of milliseconds with containers; Stop only delivers the request.
// Who owns: the caller keeps handle and spec; the driver owns what it made until Remove. A machine
// outlives the daemon. A failure: kExhausted, kUnavailable and kInternal may be tried again;
// kInvalid will always fail.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace fireweed {

// What a driver can do, as data: callers ask for the capability and never for the driver's name.
struct DriverCapabilities {
  std::string driver;        // "crun", "process", "fake": for people to read, not to branch on
  bool own_root = false;     // own root file system made of layers
  bool own_network = false;  // own namespace and address
  bool listen_inside = false;
  bool limits = false;  // cpus, memory and pids are enforced
  bool freeze = false;
  bool exec = false;
  bool user_namespace = false;  // root inside is nobody outside
  std::vector<std::string>
      weaknesses;  // what a reader should know before trusting it with strangers' code
};

// A file the driver puts into the machine before each boot, owned by root inside. It replaces what
// is there.
struct MachineFile {
  std::string path;  // absolute inside the machine; missing parents are made
  uint32_t mode = 0644;
  std::string contents;
  std::string link_target;  // not empty: a symbolic link instead of a file
};

// A read-only directory or file of the host, seen inside at `inside`.
struct MachineBind {
  std::string outside;
  std::string inside;
};

// A data disk: a directory that is writable inside and outlives the machine. It holds `upper` and `work`, as a
// writable layer does; with layers below, what is seen is the overlay of them all. Ids on its files are the ids inside.
struct MachineVolume {
  std::string directory;
  std::string inside;  // where it is mounted; missing directories are made
  std::vector<std::string> layers;
  bool read_only = false;
};

// A program that process 1 runs, and whose end is the machine's: its exit code is the machine's, too.
struct MachineWorkload {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;  // on top of what the machine has
  std::string directory;                           // relative: below HOME; empty: HOME
  std::string tree;    // its entries appear as links in the working directory
  bool marks = false;  // before each piece of output on the console (init/console_marks.h)
};

// Accelerators of the host that are lent to the machine, for this boot. It sees the nodes at the same paths, the libraries
// where its loader looks, the programs in its PATH, and no other device of the host.
struct MachineCards {
  std::vector<std::string> devices;    // character devices below /dev
  std::vector<std::string> libraries;  // files
  std::vector<std::string> programs;   // files
  std::vector<std::string>
      ids;  // as CUDA_VISIBLE_DEVICES names them, for machines without roots of their own
};

struct MachineLimits {
  double cpus = 0;           // 0: no limit
  int32_t visible_cpus = 0;  // processors that programs inside count; 0: `cpus`, rounded up
  int64_t memory_bytes = 0;  // 0: no limit
  int64_t pids = 0;          // 0: no limit
};

// Opaque and versioned: JSON text that the caller stores and hands back.
struct MachineHandle {
  std::string text;
  friend bool operator==(const MachineHandle&, const MachineHandle&) = default;
};

struct MachineSpec {
  // Names the machine for good: [a-z0-9-], at most 48 characters, unique within the driver.
  std::string id;
  // Counts boots: Start with the same (id, boot) never boots twice, not even when that boot has
  // ended since; a higher number boots a stopped machine again on the disk it had.
  int64_t boot = 1;
  // With its domain, if it has one; programs inside that ask for the short one get that.
  std::string hostname;

  // Read-only directories, uppermost first. Never changed while a machine uses them.
  std::vector<std::string> image_layers;
  // The writable layer: a directory the caller chose, made when missing, kept across boots and by
  // Remove. Ids on files in it are the ids inside. Empty: the driver keeps one with the machine and
  // Remove deletes it.
  std::string writable_directory;
  std::vector<MachineBind> binds;
  std::vector<MachineVolume> volumes;  // kInvalid for a driver that has no roots of its own
  std::vector<MachineFile> files;
  MachineCards cards;

  MachineLimits limits;
  std::string wanted_address;  // empty: the driver picks one

  // Process 1; empty: fireweed-init.
  std::vector<std::string> command;
  std::optional<MachineWorkload> workload;  // for fireweed-init
  std::map<std::string, std::string> environment;
  std::map<std::string, std::string> labels;  // the fake driver reads its script here

  // The serial port: everything process 1 and its children print is appended here. Only the last
  // `console_keep_bytes` keep their blocks; older ones read as zeros, so that offsets stay true for
  // ever.
  std::string console_path;
  int64_t console_keep_bytes = 16 << 20;

  // Called by Start, on its thread, when the machine's network is there and process 1 does not run yet: the place for
  // ListenInside, so that a machine never meets its metadata server closed. An error fails the start. Not called
  // when the machine runs already.
  std::function<Result<>(const MachineHandle&)> before_boot;
};

enum class MachinePhase { kStarting, kRunning, kStopped };

enum class ExitKind {
  kOff,      // powered off in good order
  kReboot,   // wants to be booted again
  kKilled,   // by the host: grace used up, out of memory, Stop with no grace
  kCrashed,  // process 1 ended on its own or never got going
};

enum class AskedBy {
  kNobody,   // nobody asked: a crash, an out-of-memory kill
  kInside,   // shutdown, reboot and the like typed inside
  kOutside,  // Stop
};

struct MachineExit {
  ExitKind kind = ExitKind::kCrashed;
  AskedBy asked_by = AskedBy::kNobody;
  int code = 0;                // as the shell shows it: 0..255, 128 + signal
  bool out_of_memory = false;  // the machine hit its memory limit at some time
  bool stop_asked = false;     // Stop was called; asked_by also knows what process 1 says of it
  std::string message;         // for a crash before process 1 ran: what the runtime said
};

struct MachineStatus {
  MachinePhase phase = MachinePhase::kStarting;
  bool frozen = false;
  std::optional<MachineExit> exit;     // there exactly when kStopped
  std::vector<std::string> addresses;  // empty where the machine has no network of its own
  std::optional<Time> started;
  std::optional<Time> ended;
  // When the phase is known to change by itself (the fake driver knows); a simulation jumps there.
  std::optional<Time> look_again;
};

struct ExecSpec {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;
  std::string directory = "/";
  uint32_t uid = 0;
  uint32_t gid = 0;
};

// A program running in a machine. The three descriptors are pipes of the caller's; closing `input`
// is end of file.
class ExecStream {
 public:
  virtual ~ExecStream() = default;  // ends the program where it still runs
  UniqueFd input;
  UniqueFd output;
  UniqueFd error;
  // Blocks until the program has ended; its exit code as the shell shows it.
  virtual Result<int> Wait() = 0;
};

enum class Transport { kTcp, kUdp };

class MachineDriver {
 public:
  virtual ~MachineDriver() = default;

  virtual DriverCapabilities capabilities() const = 0;

  // Idempotent on (spec.id, spec.boot), so a crash between Start and storing the handle loses
  // nothing. Returns once process 1 runs; what a failed start had made is gone. kPrecondition: an
  // earlier boot still runs.
  virtual Result<MachineHandle> Start(const MachineSpec& spec) = 0;

  // The truth, also after a daemon restart. kNotFound: removed, never started here, or booted again
  // since.
  virtual Result<MachineStatus> Observe(const MachineHandle& handle) = 0;

  // Asks the machine to go down and returns; it is killed when `grace` has passed, even if the
  // daemon is gone by then. Again with a shorter grace: the earlier end counts. Zero kills at once.
  // Stopped already is success.
  virtual Result<> Stop(const MachineHandle& handle, Duration grace) = 0;

  // Suspend (true) and resume. kInvalid without the capability.
  virtual Result<> Freeze(const MachineHandle& handle, bool frozen) = 0;

  // Mounts a data disk into a running machine (true) or takes one away that was mounted, now or at the boot. As it
  // is wanted already is success. kNotFound: the machine does not run. kPrecondition: a program inside has files open on
  // it or works in it, and it stays. kInvalid: a driver that has no roots of its own.
  virtual Result<> PlaceVolume(const MachineHandle& handle, const MachineVolume& volume,
                               bool there) = 0;

  virtual Result<std::unique_ptr<ExecStream>> Exec(const MachineHandle& handle,
                                                   const ExecSpec& spec) = 0;

  // A bound (TCP: also listening) non-blocking socket that lives in the machine's network. The
  // caller owns it; it dies with the machine at the latest. Any address of the machine, or
  // 169.254.169.254. kInvalid: the driver has no such socket, and the machine does without.
  virtual Result<UniqueFd> ListenInside(const MachineHandle& handle, std::string_view address,
                                        uint16_t port, Transport transport) = 0;

  // Kills it where it runs and forgets it: files, namespaces, cgroups. Gone already is success.
  virtual Result<> Remove(const MachineHandle& handle) = 0;

  // Every machine of this driver and daemon, also those nobody remembers.
  virtual Result<std::vector<std::pair<std::string, MachineHandle>>> List() = 0;

  // Called with the id when a machine has stopped, on a thread of the driver's, soon but at least
  // once only as far as this process saw it running: a caller that missed it learns the same from
  // Observe. Set before the first Start; the sink must not call the driver.
  virtual void OnStopped(std::function<void(const std::string& id)> sink) = 0;

  // Removes every machine and everything else this daemon id has on the host (bridge, firewall
  // table, cgroups), and restores what was changed. Safe to repeat.
  virtual Result<> Purge() = 0;
};

}  // namespace fireweed
