#!/usr/bin/env bash
# Two daemons on one host: each with an instance, neither in the other's way. One is purged; the other's instance does
# not notice.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source=tests/instances.sh
. "$(dirname "${BASH_SOURCE[0]}")/../instances.sh"

readonly OTHER_STATE=$FW_SCRATCH/other-state
end_other() { if [ -d "$OTHER_STATE" ]; then fireweed down --state "$OTHER_STATE" --purge >/dev/null 2>&1 || true; fi; }
trap 'rc=$?; end_other; (exit $rc); finish' EXIT

# on WHICH COMMAND...: with the client settings of one of the daemons.
on() (
  eval "$(fireweed env --state "$1")"
  FW_TOKEN=$(fireweed auth print-access-token)
  shift
  "$@"
)

clean_environment
require_instances
start_daemon
fireweed up --state "$OTHER_STATE" --http 127.0.0.1:0 --https 127.0.0.1:0 >"$FW_SCRATCH/up2.log" 2>&1 ||
  fail "a second daemon: $(cat "$FW_SCRATCH/up2.log")"
[ "$(jq -r .daemonId "$FIREWEED_STATE/endpoint.json")" != "$(jq -r .daemonId "$OTHER_STATE/endpoint.json")" ] ||
  fail "both daemons have one id"

for state in "$FIREWEED_STATE" "$OTHER_STATE"; do on "$state" insert two-daemons t1; done
for state in "$FIREWEED_STATE" "$OTHER_STATE"; do on "$state" await two-daemons t1; done
mine=$(on "$FIREWEED_STATE" address_of two-daemons t1)
theirs=$(on "$OTHER_STATE" address_of two-daemons t1)
[ "${mine%.*}" != "${theirs%.*}" ] || fail "both instances are in one subnet: $mine $theirs"

# Neither sees the other, by address or by name.
refuses at "$mine" "timeout 5 bash -c '</dev/tcp/$theirs/22'"
refuses at "$theirs" "timeout 5 bash -c '</dev/tcp/$mine/22'"
equal "$(on "$FIREWEED_STATE" signed_curl -fsS "$(instances_url two-daemons)/t1" | jq -r .id)" \
  "$(at "$mine" "curl -fsS -H 'Metadata-Flavor: Google' http://metadata/computeMetadata/v1/instance/id")" \
  "an instance's metadata is its own daemon's"

fireweed down --state "$OTHER_STATE" --purge >"$FW_SCRATCH/down2.log" 2>&1 || fail "purge: $(cat "$FW_SCRATCH/down2.log")"
refuses at "$theirs" true
equal RUNNING "$(on "$FIREWEED_STATE" status_of two-daemons t1)" "the instance of the daemon that stays"
equal t1 "$(at "$mine" "curl -fsS -H 'Metadata-Flavor: Google' http://metadata.google.internal/computeMetadata/v1/instance/name")" \
  "its metadata after the other daemon is gone"
at "$mine" "getent hosts storage.googleapis.com" >/dev/null || fail "its names after the other daemon is gone"
equal 1 "$(cat /proc/sys/net/ipv4/ip_forward)" "forwarding, which one of them still needs"
say "two daemons ok"
