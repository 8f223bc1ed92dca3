#!/usr/bin/env bash
# `fireweed up` right after kill -9: it must start a daemon, not report the one that is ending.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

clean_environment
unset HTTPS_PROXY https_proxy HTTP_PROXY http_proxy ALL_PROXY all_proxy
pid_of() { jq -r .pid "$FIREWEED_STATE/endpoint.json"; }
answers() { curl -fsS --max-time 20 -o /dev/null "http://$(jq -r .http "$FIREWEED_STATE/endpoint.json")/healthz"; }

start_daemon
first=$(jq -r .http "$FIREWEED_STATE/endpoint.json")
for round in 1 2 3 4 5 6 7 8; do
  before=$(pid_of)
  kill -9 "$before"
  start_daemon
  [ "$(pid_of)" != "$before" ] || fail "round $round: reports the daemon that was killed: $(cat "$FW_SCRATCH/up.log")"
  answers || fail "round $round: nothing serves"
  equal "$first" "$(jq -r .http "$FIREWEED_STATE/endpoint.json")" "the address after a kill"
done
# One that runs is left alone.
before=$(pid_of)
start_daemon
equal "$before" "$(pid_of)" "up beside a daemon that runs"
grep -q "is running already" "$FW_SCRATCH/up.log" || fail "up: $(cat "$FW_SCRATCH/up.log")"
# Another process has the daemon's number by now, even one of the same name: it is not taken for ours.
kill -9 "$before"
cp "$(command -v sleep)" "$FW_SCRATCH/fireweedd"
"$FW_SCRATCH/fireweedd" 600 &
FW_CHILDREN+=($!)
jq --argjson pid $! '.pid = $pid' "$FIREWEED_STATE/endpoint.json" >"$FW_SCRATCH/endpoint.json"
cp "$FW_SCRATCH/endpoint.json" "$FIREWEED_STATE/endpoint.json"
start_daemon
[ "$(pid_of)" != "${FW_CHILDREN[-1]}" ] || fail "a stranger was taken for the daemon"
answers || fail "nothing serves beside a stranger"
say "restart ok"
