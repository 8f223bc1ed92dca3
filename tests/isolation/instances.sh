#!/usr/bin/env bash
# Two instances of two projects on a live daemon. One of them tries, as root, everything that must be refused: the
# host's files and processes, the daemon, the other instance, devices, mounts, the kernel, bombs.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source=tests/instances.sh
. "$(dirname "${BASH_SOURCE[0]}")/../instances.sh"

on_failure() { serial_of isolation-one attacker | tail -20 | sed 's/^/    | /'; }

clean_environment
require_instances
start_daemon
use_daemon
daemon_pid=$(jq -r .pid "$FIREWEED_STATE/endpoint.json")
http=$(jq -r .http "$FIREWEED_STATE/endpoint.json")
echo "secret of the host" >"$FW_SCRATCH/marker"

insert isolation-one attacker g1-small
insert isolation-two victim g1-small
await isolation-one attacker
await isolation-two victim
attacker=$(address_of isolation-one attacker)
victim=$(address_of isolation-two victim)
at "$victim" 'echo word of the other >/var/word'

settings="OTHER_ADDRESS=$victim OTHER_PROJECT=isolation-two OTHER_NAME=victim ZONE=$FW_ZONE HOST_PID=$daemon_pid
  HOST_PORT=${http##*:} HOST_FILE=$FW_SCRATCH/marker HOST_STATE=$FIREWEED_STATE"
at "$attacker" "cat >/root/attempts && env ${settings//$'\n'/} bash /root/attempts" <"$FW_TREE/tests/isolation/attempts.sh" \
  >"$FW_SCRATCH/attempts" || fail "the attempts broke off: $(tail -3 "$FW_SCRATCH/attempts")"

say "$(grep -c '^held' "$FW_SCRATCH/attempts" || true) attempts were refused"
if grep '^BREACH' "$FW_SCRATCH/attempts"; then fail "something was not refused"; fi
tail -1 "$FW_SCRATCH/attempts" | grep -x "done $(grep -c '^held' "$FW_SCRATCH/attempts")" >/dev/null ||
  fail "attempts are missing"

# What an attempt did to others shows outside.
equal "secret of the host" "$(cat "$FW_SCRATCH/marker")" "the host's file"
equal "$daemon_pid" "$(jq -r .pid "$FIREWEED_STATE/endpoint.json")" "the daemon"
kill -0 "$daemon_pid" || fail "the daemon is gone"
equal "word of the other" "$(at "$victim" cat /var/word)" "the other's file"
equal RUNNING "$(status_of isolation-two victim)" "the other's state"
equal RUNNING "$(status_of isolation-one attacker)" "its own state after the bombs"
equal victim "$(at "$victim" hostname)" "the other's name"
say "isolation ok"
