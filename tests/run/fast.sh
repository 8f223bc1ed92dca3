#!/usr/bin/env bash
# ./run --fast on a state directory of its own: the story ends well, the daemon stays up, and --stop leaves nothing.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

[ "$(id -u)" = 0 ] || skip "instances are containers with networks of their own: that needs root"
[ -d "$(example_packages)/wheels" ] || skip "the examples' packages are not installed (tools/install examples)"
export FIREWEED_BIN

"$FW_TREE/run" --fast --no-install | tee "$FW_SCRATCH/story"
grep -E '^  preempted +once; [0-9.]+ s lost' "$FW_SCRATCH/story" >"$FW_SCRATCH/line" || fail "no line on the preemption"
grep -E '^  searched +8 configurations' "$FW_SCRATCH/story" >"$FW_SCRATCH/line" || fail "no line on the search"

fireweed storage fsck >"$FW_SCRATCH/fsck" || fail "fsck: $(cat "$FW_SCRATCH/fsck")"
equal '' "$(fireweed compute instances list --format='value(name)' 2>/dev/null)" "instances after the story"
url=$(sed -n 's/^  endpoint *//p' "$FW_SCRATCH/story")
equal 401 "$(curl -s --noproxy '*' -o "$FW_SCRATCH/answer" -w '%{http_code}' -d '{}' "$url")" "the endpoint without a token"

"$FW_TREE/run" --stop
[ ! -e "$FIREWEED_STATE" ] || fail "the state directory is still there"
nothing_runs() { ! pgrep -f "$FIREWEED_STATE" >"$FW_SCRATCH/left"; }
wait_until 30 "no process of the daemon is left" nothing_runs
if grep -F "$FIREWEED_STATE" /proc/self/mountinfo; then fail "mounts are left"; fi
say "run ok"
