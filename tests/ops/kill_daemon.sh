#!/usr/bin/env bash
# kill -9 of the daemon at many moments of insert, attach, detach, stop, start, delete and resize, with real containers: instances keep
# running, every operation ends as if nothing had happened, and nothing is left behind.
#
#   tests/ops/kill_daemon.sh
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

[ "$(id -u)" = 0 ] || skip "instances are containers with networks of their own: that needs root"

readonly ZONE=us-central1-a
# How often the instance is looked at between the request and the kill: from "not begun" to "long done".
readonly MOMENTS=(0 2 6)

api() { # METHOD PATH [BODY]
  signed_curl -sS -X "$1" -H 'Content-Type: application/json' ${3:+-d "$3"} \
    "https://compute.googleapis.com/compute/v1/projects/$GOOGLE_CLOUD_PROJECT/$2"
}
status_of() { api GET "zones/$ZONE/instances/$1" | jq -r '.status // .error.code'; }
status_is() { [ "$(status_of "$1")" = "$2" ]; }

daemon_pid() { jq -r .pid "$FIREWEED_STATE/endpoint.json"; }
# Gone, or a corpse that nobody has collected yet.
ended() { [ ! -d "/proc/$1" ] || grep -qE '^State:[[:space:]]*Z' "/proc/$1/status" 2>/dev/null || [ ! -d "/proc/$1" ]; }

# kill_after MOMENT NAME: looks at the instance MOMENT times, then kills the daemon and starts another.
kill_after() {
  local pid i
  for ((i = 0; i < $1; ++i)); do status_of "$2" >/dev/null; done
  pid=$(daemon_pid)
  kill -9 "$pid"
  wait_until 20 "the daemon is dead" ended "$pid"
  start_daemon
  kills=$((kills + 1))
}

operation_done() { [ "$(api GET "zones/$ZONE/operations/$1" | tee "$FW_SCRATCH/operation" | jq -r .status)" = DONE ]; }

# finishes REPLY: the operation of a reply ends, and well.
finishes() {
  local name
  name=$(jq -r '.name // empty' <<<"$1")
  [ -n "$name" ] || fail "no operation: $1"
  wait_until 60 "operation $name has ended" operation_done "$name"
  equal null "$(jq -c .error "$FW_SCRATCH/operation")" "the error of $name"
}

instance_body() {
  jq -n --arg name "$1" '{name: $name, machineType: "zones/us-central1-a/machineTypes/f1-micro",
    disks: [{boot: true, autoDelete: true,
             initializeParams: {sourceImage: "projects/debian-cloud/global/images/family/debian-12"}}],
    networkInterfaces: [{network: "global/networks/default"}]}'
}

disks_of() { api GET "zones/$ZONE/instances/$1" | jq '.disks | length'; }

rounds_of_one_instance() {
  local moment=$1 name=vm$1 reply
  reply=$(api POST "zones/$ZONE/instances" "$(instance_body "$name")")
  kill_after "$moment" "$name"
  finishes "$reply"
  equal RUNNING "$(status_of "$name")" "after insert and kill ($moment)"
  reply=$(api POST "zones/$ZONE/instances/$name/attachDisk" \
    "{\"source\":\"zones/$ZONE/disks/data\",\"deviceName\":\"data\"}")
  kill_after "$moment" "$name"
  finishes "$reply"
  equal 2 "$(disks_of "$name")" "disks after attach and kill ($moment)"
  reply=$(api POST "zones/$ZONE/instances/$name/detachDisk?deviceName=data")
  kill_after "$moment" "$name"
  finishes "$reply"
  equal 1 "$(disks_of "$name")" "disks after detach and kill ($moment)"
  equal null "$(api GET "zones/$ZONE/disks/data" | jq -c .users)" "who has the disk after detach and kill ($moment)"
  reply=$(api POST "zones/$ZONE/instances/$name/stop")
  kill_after "$moment" "$name"
  finishes "$reply"
  equal TERMINATED "$(status_of "$name")" "after stop and kill ($moment)"
  reply=$(api POST "zones/$ZONE/instances/$name/start")
  kill_after "$moment" "$name"
  finishes "$reply"
  equal RUNNING "$(status_of "$name")" "after start and kill ($moment)"
  reply=$(api DELETE "zones/$ZONE/instances/$name")
  kill_after "$moment" "$name"
  finishes "$reply"
  equal 404 "$(status_of "$name")" "after delete and kill ($moment)"
}

group_is() { # SIZE: stable at this size
  api GET "zones/$ZONE/instanceGroupManagers/g" >"$FW_SCRATCH/group"
  [ "$(jq -c '[.targetSize, .status.isStable]' "$FW_SCRATCH/group")" = "[$1,true]" ]
}

rounds_of_a_group() {
  local reply moment size
  reply=$(api POST global/instanceTemplates "$(instance_body t | jq '{name, properties: (del(.name) | .machineType = "f1-micro")}')")
  equal DONE "$(jq -r .status <<<"$reply")" "the template: $reply"
  api POST "zones/$ZONE/instanceGroupManagers" \
    '{"name":"g","baseInstanceName":"w","targetSize":1,"instanceTemplate":"global/instanceTemplates/t"}' >/dev/null
  for moment in "${MOMENTS[@]}"; do
    size=$((1 + moment % 4))
    api POST "zones/$ZONE/instanceGroupManagers/g/resize?size=$size" >/dev/null
    kill_after "$moment" keeper
    wait_until 60 "the group has $size members" group_is "$size"
  done
  reply=$(api DELETE "zones/$ZONE/instanceGroupManagers/g")
  kill_after 1 keeper
  finishes "$reply"
}

# Machines are kept under the state directory, each by a shim that names it.
machines_left() { pgrep -fc "fireweed-shim.*$FIREWEED_STATE" || true; }
no_machines() { [ "$(machines_left)" = 0 ]; }

clean_environment
start_daemon
use_daemon
kills=0
finishes "$(api POST "zones/$ZONE/instances" "$(instance_body keeper)")"
born=$(api GET "zones/$ZONE/instances/keeper" | jq -r .lastStartTimestamp)
finishes "$(api POST "zones/$ZONE/disks" '{"name":"data"}')"
for moment in "${MOMENTS[@]}"; do rounds_of_one_instance "$moment"; done
rounds_of_a_group
equal RUNNING "$(status_of keeper)" "the instance that nobody touched"
equal "$born" "$(api GET "zones/$ZONE/instances/keeper" | jq -r .lastStartTimestamp)" "its start"
equal 1 "$(api GET "zones/$ZONE/instances/keeper/serialPort" | jq -r .contents | grep -c 'machine is up')" "its boots"
finishes "$(api DELETE "zones/$ZONE/instances/keeper")"
finishes "$(api DELETE "zones/$ZONE/disks/data")"
wait_until 20 "no machine is left" no_machines
equal 0 "$(api GET "zones/$ZONE/disks" | jq '.items // [] | length')" "disks left"
say "kill_daemon ok: $kills kills"
