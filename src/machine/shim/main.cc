// fireweed-shim: keeps one machine, in a process of its own that outlives the daemon.
//
//   fireweed-shim keep DIRECTORY             keep the machine whose `order` lies there; see keeper.h
//   fireweed-shim runtime PID PROGRAM ARGS...    run an OCI runtime where it can work: in a private mount namespace, and
//                                            in the network of the keeper PID (0: in the host's)
//   fireweed-shim attach DIRECTORY           mount the volume in the file `change` there into the machine that runs there;
//   fireweed-shim detach DIRECTORY           unmount it; see live_volume.h
//   fireweed-shim probe DIRECTORY            prints "shift-ids 1" where mounts of DIRECTORY can shift ids
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "machine/shim/complain.h"
#include "machine/shim/keeper.h"
#include "machine/shim/live_volume.h"
#include "machine/shim/root_mount.h"
#include "machine/shim/shim_order.h"
#include "machine/shim/small_file.h"

namespace {

int Keep(const char* directory) {
  // Two generations: the daemon reaps the first at once, and is never the parent of the one that stays.
  pid_t keeper = fork();
  if (keeper < 0) fireweed::Fail("fork");
  if (keeper > 0) return 0;
  setsid();
  umask(022);
  if (chdir(directory) != 0) fireweed::Fail(directory);
  std::optional<fireweed::ShimOrder> order =
      fireweed::ParseShimOrder(fireweed::ReadSmallFile("order"));
  if (!order) fireweed::FailSaying("no order that this shim understands");
  return fireweed::KeepMachine(*order);
}

// The runtime leaves a program it starts in the network it is called in, since its bundle names none.
int RunRuntime(const char* keeper, char** command) {
  if (std::string_view(keeper) != "0") {
    int network = open((std::string("/proc/") + keeper + "/ns/net").c_str(), O_RDONLY | O_CLOEXEC);
    if (network < 0 || setns(network, CLONE_NEWNET) != 0)
      fireweed::Fail("joining the machine's network");
  }
  fireweed::EnterPrivateMounts();
  execv(command[0], command);
  fireweed::Fail(command[0]);
}

}  // namespace

int main(int argc, char** argv) {
  std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "keep" && argc == 3) return Keep(argv[2]);
  if (verb == "attach" && argc == 3) return fireweed::ChangeVolume(argv[2], true);
  if (verb == "detach" && argc == 3) return fireweed::ChangeVolume(argv[2], false);
  if (verb == "runtime" && argc > 3) return RunRuntime(argv[2], argv + 3);
  if (verb == "probe" && argc == 3) {
    std::printf("shift-ids %d\n", fireweed::CanShiftIds(argv[2]) ? 1 : 0);
    return 0;
  }
  std::fprintf(stderr, "fireweed-shim keeps machines for fireweedd; it is not for people to run\n");
  return 2;
}
