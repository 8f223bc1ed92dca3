#!/usr/bin/env bash
# The container driver where cgroup v2 is all there is, on a host whose own layout is another: in a mount namespace with a
# cgroup v2 mount in place of the host's. The controllers that the host has in v1 are missing there, so limits are left out;
# boots, exec, suspension, data disks, accelerators (device rules are BPF programs with v2) and the purge are tested.
# A host with v2 alone needs none of this: there, all tests of machines run on v2, limits included.
set -euo pipefail
readonly TESTS='All/DriverContract.ExecRuns*/crun:All/DriverContract.FreezeAndThaw/crun:All/DriverContract.ARestarted*/crun:'\
'All/DriverContract.DataDisks*/crun:All/DriverContract.Purge*/crun:BootTest.*Cards*:IsolationTest.Device*:ViewTest.*'

skip() {
  printf 'SKIPPED: %s\n' "$*"
  exit 77
}

if [ -z "${FW_CGROUP_NAMESPACE:-}" ]; then
  [ ! -e /sys/fs/cgroup/cgroup.controllers ] || skip "this host has cgroup v2 alone"
  unshare --mount --propagation private true 2>/dev/null || skip "no mount namespaces here (they need root)"
  [ -x "$FIREWEED_BIN/machine_test" ] || skip "machine_test is not built"
  FW_CGROUP_NAMESPACE=1 exec unshare --mount --propagation private "$0" "$@"
fi
mount -t cgroup2 cgroup2 /sys/fs/cgroup 2>/dev/null || skip "no cgroup v2 can be mounted here"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# crun raises a limit before it loads BPF programs, which kernels since 5.11 do not count against it. A root user without
# CAP_SYS_RESOURCE may not raise it, as in some virtual machines for tests.
if ! (ulimit -l unlimited) 2>/dev/null; then
  cat >"$scratch/memlock.c" <<'SOURCE'
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
int setrlimit(__rlimit_resource_t which, const struct rlimit* limit) {
  return which == RLIMIT_MEMLOCK ? 0 : (int)syscall(SYS_setrlimit, which, limit);
}
int setrlimit64(__rlimit_resource_t which, const struct rlimit64* limit) {
  return which == RLIMIT_MEMLOCK ? 0 : (int)syscall(SYS_setrlimit, which, limit);
}
SOURCE
  cc -shared -fPIC -D_GNU_SOURCE -o "$scratch/memlock.so" "$scratch/memlock.c" || skip "no C compiler"
  export LD_PRELOAD=$scratch/memlock.so
fi
"$FIREWEED_BIN/machine_test" --gtest_filter="$TESTS" --gtest_brief=1
if find /sys/fs/cgroup -maxdepth 1 -name 'fireweed-t*' | grep .; then
  printf 'FAILED: cgroups are left\n'
  exit 1
fi
