#!/usr/bin/env bash
# Accelerators by the real gcloud, on a machine that needs none: a harmless device of the host is called a card by the
# settings. One instance has it, others do not see it and are refused it, kill -9 of the daemon does not free it, and the end
# of the instance does.
#
#   tests/compat/compute_cards.sh
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source=tests/instances.sh
. "$(dirname "${BASH_SOURCE[0]}")/../instances.sh"

readonly PROJECT=compat-cards-1
readonly TYPE=fireweed-test-card
on_failure() { serial_of "$PROJECT" one | tail -30 | sed 's/^/    | /'; }
gce() { gcloud --quiet compute "$@"; }
daemon_pid() { jq -r .pid "$FIREWEED_STATE/endpoint.json"; }
# Gone, or a corpse that nobody has collected yet.
ended() { [ ! -d "/proc/$1" ] || grep -E '^State:[[:space:]]*Z' "/proc/$1/status" >/dev/null 2>&1 || [ ! -d "/proc/$1" ]; }
create() { # NAME [FLAG...]
  local name=$1
  shift
  gce instances create "$name" --machine-type g1-small --metadata "ssh-keys=root:$(cat "$FW_SCRATCH/key.pub")" "$@"
}
with_card() { create "$1" --accelerator "type=$TYPE,count=1" --maintenance-policy TERMINATE; }
# refused CMD...: fails as the public cloud does when a zone has no cards left.
refused() {
  refuses "$@"
  grep -E 'ZONE_RESOURCE_POOL_EXHAUSTED|does not have enough resources' "$FW_SCRATCH/refused" >/dev/null ||
    fail "another refusal: $(cat "$FW_SCRATCH/refused")"
}
gone() { [ "$(signed_curl -sS "$(instances_url "$PROJECT")/$1" | jq -r .error.code)" = 404 ]; }
inside() { at "$(address_of "$PROJECT" "$1")" "$2"; }

card=
for path in /dev/fuse /dev/loop-control /dev/net/tun; do
  if [ -z "$card" ] && [ -c "$path" ]; then card=$path; fi
done
[ -n "$card" ] || skip "no device that could pass for a card"
command -v gcloud >/dev/null || skip "no gcloud"
clean_environment
require_instances
mkdir -p "$FIREWEED_STATE"
printf 'a library\n' >"$FW_SCRATCH/libcard.so.1"
cat >"$FIREWEED_STATE/config.yaml" <<YAML
projects: {default: $PROJECT}
compute:
  accelerators: [{type: $TYPE, devices: [$card], libraries: [$FW_SCRATCH/libcard.so.1]}]
YAML
start_daemon
use_daemon

gce accelerator-types list --filter "name=$TYPE AND zone:$FW_ZONE" --format 'value(name)' | grep -x "$TYPE" >/dev/null ||
  fail "the type is not offered"
with_card one >/dev/null 2>&1
create none >/dev/null 2>&1
await "$PROJECT" one
await "$PROJECT" none
inside one "exec 3<>$card" || fail "the card cannot be opened: $(inside one "ls -l $card")"
inside one "test -r /usr/local/nvidia/lib64/libcard.so.1" || fail "its library is not there"
inside one 'ldconfig -v 2>/dev/null | grep -F /usr/local/nvidia/lib64 >/dev/null' || fail "the loader does not look there"
refuses inside none "ls $card"
refuses inside none 'ls /usr/local/nvidia/lib64'
equal "" "$(inside none 'ls /proc/driver')" "what an instance without cards learns of drivers"

refused with_card two
wait_until 30 "the refused one is gone" gone two

pid=$(daemon_pid)
kill -9 "$pid"
wait_until 20 "the daemon is dead" ended "$pid"
start_daemon
refused with_card two
wait_until 30 "the refused one is gone" gone two
inside one "exec 3<>$card" || fail "the card is gone after a restart of the daemon"

# A stopped instance holds none; who comes back too late stays as it was.
gce instances stop one >/dev/null 2>&1
with_card two >/dev/null 2>&1
await "$PROJECT" two
inside two "exec 3<>$card" || fail "the card cannot be opened by the next"
refused gce instances start one
equal TERMINATED "$(status_of "$PROJECT" one)" "an instance without its card"
gce instances delete two >/dev/null 2>&1
gce instances start one >/dev/null 2>&1
await "$PROJECT" one
inside one "exec 3<>$card" || fail "the card is not back"
say "cards ok"
