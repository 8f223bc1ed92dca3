// fireweed-shim: keeps one machine, in a process of its own that outlives the daemon.
//
//   fireweed-shim keep DIRECTORY             keep the machine whose `order` lies there; see keeper.h
//   fireweed-shim runtime PROGRAM ARGS...    run an OCI runtime where it can work (private mount namespace)
//   fireweed-shim probe DIRECTORY            prints "shift-ids 1" where mounts of DIRECTORY can shift ids
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "machine/shim/complain.h"
#include "machine/shim/keeper.h"
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

}  // namespace

int main(int argc, char** argv) {
  std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "keep" && argc == 3) return Keep(argv[2]);
  if (verb == "runtime" && argc > 2) {
    fireweed::EnterPrivateMounts();
    execv(argv[2], argv + 2);
    fireweed::Fail(argv[2]);
  }
  if (verb == "probe" && argc == 3) {
    std::printf("shift-ids %d\n", fireweed::CanShiftIds(argv[2]) ? 1 : 0);
    return 0;
  }
  std::fprintf(stderr, "fireweed-shim keeps machines for fireweedd; it is not for people to run\n");
  return 2;
}
