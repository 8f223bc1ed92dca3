#!/usr/bin/env bash
# Instances as plain processes, for hosts without root: scripts run, metadata is their own, and shutdown ends the
# instance and nothing else.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source=tests/instances.sh
. "$(dirname "${BASH_SOURCE[0]}")/../instances.sh"

readonly PROJECT=plain-processes
on_failure() { serial_of "$PROJECT" p1 | sed 's/^/    | /'; }
says() { serial_of "$PROJECT" p1 >"$FW_SCRATCH/serial" && grep -F "$1" "$FW_SCRATCH/serial" >/dev/null; }
status_is() { [ "$(status_of "$PROJECT" "$1")" = "$2" ]; }

# start NAME SCRIPT SHUTDOWN-SCRIPT
start() {
  jq -n --arg name "$1" --arg startup "$2" --arg shutdown "$3" --arg type "zones/$FW_ZONE/machineTypes/n1-standard-1" '
    {name: $name, machineType: $type, scheduling: {automaticRestart: false},
     disks: [{boot: true, autoDelete: true, initializeParams: {sourceImage: "projects/debian-cloud/global/images/family/debian-12"}}],
     networkInterfaces: [{network: "global/networks/default"}],
     metadata: {items: [{key: "startup-script", value: $startup}, {key: "shutdown-script", value: $shutdown}, {key: "WORD", value: $name}]}}' |
    signed_curl -fsS -H 'Content-Type: application/json' -d @- "$(instances_url "$PROJECT")" >/dev/null
}

clean_environment
mkdir -p "$FIREWEED_STATE"
chmod 700 "$FIREWEED_STATE"
printf 'instances:\n  driver: process\n' >"$FIREWEED_STATE/config.yaml"
start_daemon
use_daemon
daemon_pid=$(jq -r .pid "$FIREWEED_STATE/endpoint.json")

# shellcheck disable=SC2016
readonly ASK='curl -fsS -H "Metadata-Flavor: Google" "http://$GCE_METADATA_HOST/computeMetadata/v1/instance/attributes/WORD"'
start p1 "#!/bin/bash
echo the word is \$($ASK)
sudo -n true && echo sudo is harmless" 'echo going down in good order'
# The other one powers itself off by the bare names, as guides do. It looks first where they lead, so that a driver
# that is broken does not cost anybody the host.
start p2 "#!/bin/bash
for program in sudo shutdown; do
  case \$(command -v \$program) in $FIREWEED_STATE/*) ;; *) echo \"\$program is the host\'s\"; exit 1 ;; esac
done
[ \"\$($ASK)\" = p2 ] && sudo shutdown -h now" ''
wait_until 60 "the startup script has read its own word" says 'the word is p1'
wait_until 60 "sudo has been tried" says 'sudo is harmless'
wait_until 60 "the other has powered itself off" status_is p2 TERMINATED
equal RUNNING "$(status_of "$PROJECT" p1)" "the first one's state"
kill -0 "$daemon_pid" || fail "the daemon is gone"

# A restarted daemon finds it, and its metadata server is at the same place again.
id=$(signed_curl -fsS "$(instances_url "$PROJECT")/p1" | jq -r .id)
place=$(cat "$FIREWEED_STATE/machines/machines/i-$id/metadata")
fireweed down --state "$FIREWEED_STATE" >"$FW_SCRATCH/down.log" 2>&1
start_daemon
use_daemon
metadata_there() { curl -fs --noproxy '*' -o /dev/null -H 'Metadata-Flavor: Google' "http://$place/computeMetadata/v1/instance/id"; }
wait_until 60 "metadata is there again" metadata_there
equal RUNNING "$(status_of "$PROJECT" p1)" "its state after the restart"

signed_curl -fsS -X POST -d '' "$(instances_url "$PROJECT")/p1/stop" >/dev/null
wait_until 90 "it has stopped" status_is p1 TERMINATED
says 'going down in good order' || fail "no shutdown script"
say "plain processes ok"
