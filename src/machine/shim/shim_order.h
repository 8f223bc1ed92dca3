// What a driver asks of fireweed-shim, as the text file `order` in the machine's directory: one "key value" a line,
// "\n" and "\\" escaped (docs/formats/machine-state.md). Free of the rest of the tree: the shim is static and small.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fireweed {

struct ShimPlacement {
  std::string path;  // inside
  uint32_t mode = 0644;
  std::string source;       // outside, a file with the contents; empty for a link
  std::string link_target;  // not empty: a symbolic link
};

struct ShimVolume {
  std::string directory;  // holds upper/ and work/
  std::string inside;
  std::vector<std::string> layers;  // empty: upper/ as it is
  bool read_only = false;
};

struct ShimOrder {
  // Container: an OCI runtime starts process 1 in a root of its own. Otherwise: a plain process.
  bool container = false;

  // Containers.
  std::string runtime;       // path of crun or runc
  std::string runtime_root;  // its state directory
  std::string container_id;
  std::string bundle;
  std::string cgroup_path;  // as in the bundle, to read the out-of-memory count from
  std::string
      stage;  // a directory the shim mounts over, in its own namespace only; the root is stage/root
  std::vector<std::string> layers;
  std::string disk;                                        // holds upper/ and work/
  std::vector<std::pair<std::string, std::string>> binds;  // outside, inside
  std::vector<std::string>
      devices;          // the host's nodes, of which the stage gets copies: stage/devices/N
  std::string scratch;  // a directory inside that is in memory, for binds; empty: none
  std::vector<ShimVolume> volumes;
  std::vector<ShimPlacement> files;
  int64_t id_base = 0;  // host id of root inside; 0: no user namespace
  // What the machine sees of the host (machine_view.h); 0: the host's own files.
  int64_t view_cpus = 0;
  std::string view_cpu_list;  // "0-1": the processors that it starts on
  int64_t view_memory = 0;    // bytes

  // Plain processes.
  std::vector<std::string> command;
  std::vector<std::string> environment;
  std::string directory;

  std::string console;
  int64_t console_keep = 0;
};

// How `fireweed-shim attach` and `detach` end when they could not do it and nothing is wrong.
inline constexpr int kShimNotRunning = 3;
inline constexpr int kShimVolumeBusy = 4;

std::string FormatShimOrder(const ShimOrder& order);
// nullopt: not such a file, or one with a line this version does not know.
std::optional<ShimOrder> ParseShimOrder(std::string_view text);

// The shim's account of a machine's end, the file `exit`.
struct ShimExit {
  int wait_status = 0;  // of waitpid(2)
  bool stop_asked = false;
  int64_t out_of_memory_kills = 0;
};
std::string FormatShimExit(const ShimExit& exit);
std::optional<ShimExit> ParseShimExit(std::string_view text);

// "key value" of one line in a file such as `running` ("pid 4711") or `stop` ("grace-ms 30000").
std::optional<int64_t> NumberAfter(std::string_view text, std::string_view key);

}  // namespace fireweed
