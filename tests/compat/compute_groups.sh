#!/usr/bin/env bash
# Life and death of instances with the real gcloud: a template as the guides write it, a group of one that survives
# preemption, sizes, recreation, and a group whose work gets done.
#
#   tests/compat/compute_groups.sh group|preemption|completion|success
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

[ "$(id -u)" = 0 ] || skip "instances are containers with networks of their own: that needs root"
command -v gcloud >/dev/null || skip "gcloud is not installed, and no package registry offers it"

readonly ZONE=us-central1-a
readonly METADATA=http://metadata.google.internal/computeMetadata/v1/instance

# Polling and Fireweed's own verbs go by curl: gcloud needs seconds to start.
api() { # METHOD PATH [BODY]
  signed_curl -sS -X "$1" -H 'Content-Type: application/json' ${3:+-d "$3"} \
    "https://compute.googleapis.com/compute/v1/projects/$GOOGLE_CLOUD_PROJECT/$2"
}
compute() { gcloud --quiet compute "$@"; }
members() { compute instance-groups managed list-instances "$1" --zone $ZONE --format='value(instance.basename())'; }
status_of() { api GET "zones/$ZONE/instances/$1" | jq -r '.status // .error.code'; }
status_is() { [ "$(status_of "$1")" = "$2" ]; }
id_of() { api GET "zones/$ZONE/instances/$1" | jq -r '.id // empty'; }
said() { # NAME TEXT: on its serial port
  api GET "zones/$ZONE/instances/$1/serialPort" | jq -r '.contents // ""' >"$FW_SCRATCH/serial.$1"
  grep -qF -- "$2" "$FW_SCRATCH/serial.$1"
}

on_failure() {
  local name
  for name in $(api GET "zones/$ZONE/instances" | jq -r '.items[]?.name'); do
    said "$name" '' || true
    sed "s/^/    $name | /" "$FW_SCRATCH/serial.$name" | tail -30
  done
}

make_template() { # NAME FLAG...
  local name=$1
  shift
  gcloud --quiet beta compute instance-templates create "$name" --machine-type n1-standard-1 \
    --accelerator type=nvidia-tesla-k80,count=4 --maintenance-policy TERMINATE --restart-on-failure --preemptible \
    --image-family debian-12 --image-project debian-cloud --scopes cloud-platform "$@"
}

another_runs() { # NAME OLD-ID
  local id
  id=$(id_of "$1")
  [ -n "$id" ] && [ "$id" != "$2" ] && status_is "$1" RUNNING
}

case_group() {
  local name id
  make_template workers --metadata "^~^startup-script=echo worker is up"
  compute instance-groups managed create crew --base-instance-name crew --size 1 --template workers --zone $ZONE
  compute instance-groups managed wait-until crew --stable --zone $ZONE
  name=$(members crew)
  case $name in crew-????) ;; *) fail "the member's name: '$name'" ;; esac
  wait_until 60 "the startup script has run" said "$name" "worker is up"
  id=$(id_of "$name")
  api POST "zones/$ZONE/instances/$name/preempt" >/dev/null
  wait_until 60 "the preempted member is back" another_runs "$name" "$id"
  wait_until 60 "its startup script has run" said "$name" "worker is up"
  compute instance-groups managed resize crew --size 3 --zone $ZONE
  compute instance-groups managed wait-until crew --stable --zone $ZONE
  equal 3 "$(members crew | wc -l)" "members after resize"
  id=$(id_of "$name")
  compute instance-groups managed recreate-instances crew --instances "$name" --zone $ZONE
  wait_until 60 "the member is another" another_runs "$name" "$id"
  compute instance-groups managed list --format='value(name,size,targetSize)' >"$FW_SCRATCH/list"
  grep -qE '^crew[[:space:]]+3[[:space:]]+3' "$FW_SCRATCH/list" || fail "list: $(cat "$FW_SCRATCH/list")"
  refuses compute instance-templates delete workers
  compute instance-groups managed delete crew --zone $ZONE
  compute instance-templates delete workers
  equal 0 "$(api GET "zones/$ZONE/instances" | jq '.items // [] | length')" "instances left"
}

case_preemption() {
  cat >"$FW_SCRATCH/startup.sh" <<SCRIPT
echo "waits for the end"
curl -sS -H 'Metadata-Flavor: Google' '$METADATA/preempted?wait_for_change=true' | sed 's/^/woken by: /'
SCRIPT
  cat >"$FW_SCRATCH/shutdown.sh" <<SCRIPT
curl -sS -H 'Metadata-Flavor: Google' '$METADATA/preempted' | sed 's/^/goes down, preempted: /'
SCRIPT
  compute instances create spot --provisioning-model SPOT --zone $ZONE \
    --metadata-from-file "startup-script=$FW_SCRATCH/startup.sh,shutdown-script=$FW_SCRATCH/shutdown.sh"
  wait_until 60 "it waits" said spot "waits for the end"
  # As the guides do it: on a Spot machine, maintenance is preemption.
  compute instances simulate-maintenance-event spot --zone $ZONE
  wait_until 60 "it has ended" status_is spot TERMINATED
  said spot "goes down, preempted: TRUE" || fail "the shutdown script did not see the preemption"
  said spot "woken by: TRUE" || fail "wait_for_change did not see the preemption"
  compute operations list --filter='operationType=compute.instances.preempted' --format='value(targetLink.basename(),status)' \
    >"$FW_SCRATCH/operations"
  grep -qE '^spot[[:space:]]+DONE' "$FW_SCRATCH/operations" || fail "operations: $(cat "$FW_SCRATCH/operations")"
  compute instances start spot --zone $ZONE
  equal RUNNING "$(status_of spot)" "started again"
  compute instances suspend spot --zone $ZONE
  equal SUSPENDED "$(status_of spot)" "suspended"
  compute instances resume spot --zone $ZONE
  equal RUNNING "$(status_of spot)" "resumed"
  compute instances delete spot --zone $ZONE
}

group_is_done() {
  api GET "zones/$ZONE/instanceGroupManagers/$1" >"$FW_SCRATCH/group"
  [ "$(jq -c '[.targetSize, .status.isStable, .status.completedInstances]' "$FW_SCRATCH/group")" = '[0,true,1]' ]
}

case_completion() {
  make_template trainers --metadata "^~^fireweed-completion=on-poweroff~startup-script=echo trained; shutdown -h now"
  compute instance-groups managed create training --size 1 --template trainers --zone $ZONE
  wait_until 60 "the group's work is done" group_is_done training
  equal '' "$(members training)" "members of a group that is done"
  compute instance-groups managed delete training --zone $ZONE
}

# Success is the startup script's exit code: of a group of two, the member that fails stays.
case_success() {
  cat >"$FW_SCRATCH/startup.sh" <<SCRIPT
case \$(hostname) in *-good) echo trained ;; *) echo failed; exit 3 ;; esac
SCRIPT
  make_template judged --metadata fireweed-completion=on-success,enable-guest-attributes=TRUE \
    --metadata-from-file "startup-script=$FW_SCRATCH/startup.sh"
  compute instance-groups managed create judged --size 0 --template judged --zone $ZONE
  fireweed compute instance-groups managed create-instance judged --instance judged-bad --zone $ZONE
  wait_until 60 "the bad one has failed" said judged-bad "startup-script exit status 3"
  fireweed compute instance-groups managed create-instance judged --instance judged-good --zone $ZONE
  wait_until 60 "the good one is done" one_is_done judged
  equal judged-bad "$(members judged)" "members when one of two has succeeded"
  compute instance-groups managed delete judged --zone $ZONE
}
one_is_done() {
  api GET "zones/$ZONE/instanceGroupManagers/$1" >"$FW_SCRATCH/group"
  [ "$(jq -c '[.targetSize, .status.completedInstances]' "$FW_SCRATCH/group")" = '[1,1]' ]
}

declare -F "case_${1:-}" >/dev/null || fail "usage: ${0##*/} group|preemption|completion|success"
clean_environment
start_daemon
use_daemon
"case_$1"
say "compute_groups $1 ok"
