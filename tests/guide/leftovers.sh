# shellcheck shell=bash
# Sourced by run_guide after tests/lib.sh: what a story may have left on the machine or in its daemon.

# footprint DAEMON_ID: names on this machine that are that daemon's. Other daemons may be at work beside it.
footprint() {
  ip -o link | awk -F': ' -v id="$1" 'index($2, id) {print "link", $2}'
  ip netns list 2>/dev/null | awk -v id="$1" 'index($0, id) {print "netns", $1}'
  nft list tables 2>/dev/null | awk -v id="$1" 'index($0, id) {print "table", $0}'
  awk -v id="$1" -v state="$FIREWEED_STATE" 'index($0, id) || index($5, state) {print "mount", $5}' /proc/self/mountinfo
  find /sys/fs/cgroup -type d -name "*fireweed-$1*" -printf 'cgroup %p\n' 2>/dev/null
  ps -eo pid=,args= | awk -v state="$FIREWEED_STATE" 'index($0, state) && !/awk|watch[.]py/ {print "process", $0}'
}

# A story ends with its daemon down and its things deleted: nothing is in there but what people keep.
check_daemon_is_empty() {
  local left
  start_daemon
  use_daemon
  left=$(for noun in instances disks instanceGroupManagers; do
    signed_curl -fsS "https://compute.googleapis.com/compute/v1/projects/$GOOGLE_CLOUD_PROJECT/aggregated/$noun" |
      jq -r --arg noun $noun '.items[]?[$noun][]? | "\($noun) \(.name)"'
  done)
  # Instances of jobs are listed only where their label is asked for.
  left+=$(signed_curl -fsS -G --data-urlencode 'filter=labels.fireweed-hidden:*' \
    "https://compute.googleapis.com/compute/v1/projects/$GOOGLE_CLOUD_PROJECT/aggregated/instances" |
    jq -r '.items[]?.instances[]? | "job instance \(.name)"')
  [ -z "$left" ] || fail "left in the daemon: $left"
  fireweed storage fsck >"$FW_SCRATCH/fsck" 2>&1 || fail "fsck: $(cat "$FW_SCRATCH/fsck")"
  stop_daemon --purge || fail "the daemon cannot be purged: $(cat "$FW_SCRATCH/down.log")"
}

check_machine_is_clean() { # DAEMON_ID...
  local id left
  for id in "$@"; do
    left=$(footprint "$id")
    [ -z "$left" ] || fail "left on the machine: $left"
  done
}
