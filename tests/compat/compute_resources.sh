#!/usr/bin/env bash
# The nouns of Compute Engine as the real gcloud makes and lists them, on a daemon of its own.
#
#   tests/compat/compute_resources.sh nouns|images|bulk
#
# nouns   disks, networks, firewall rules, addresses, machine types, quotas, project metadata: no machine is started
# images  an instance installs something and powers off, its disk becomes an image, another one boots from the family
# bulk    three instances by one request
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

readonly ZONE=us-central1-a

quiet() { gcloud --quiet compute "$@"; }
url() { printf 'https://compute.googleapis.com/compute/v1/projects/%s/%s' "$GOOGLE_CLOUD_PROJECT" "$1"; }
# Polling goes by curl: gcloud needs seconds to start.
status_is() { [ "$(signed_curl -sS "$(url "zones/$ZONE/instances/$1")" | jq -r .status)" = "$2" ]; }
console() { signed_curl -fsS "$(url "zones/$ZONE/instances/$1/serialPort")" | jq -r .contents; }
console_says() { console "$1" | grep "$2" >/dev/null; }

on_failure() {
  local name
  for name in build user; do console "$name" | sed "s/^/    $name | /" || true; done
}

case_nouns() {
  quiet machine-types list --zones "$ZONE" --filter 'name=n1-standard-64' --format='value(CPUS)' >"$FW_SCRATCH/out"
  equal 64 "$(cat "$FW_SCRATCH/out")" "machine-types list"
  equal 4 "$(quiet machine-types describe custom-4-8192 --zone "$ZONE" --format='value(guestCpus)')" "a custom type"
  quiet regions describe us-central1 --format='value(quotas[].metric)' | tr ';' '\n' | grep -x CPUS >/dev/null ||
    fail "a region without CPUS"

  quiet disks create data --size 20 --type pd-ssd --zone "$ZONE" 2>"$FW_SCRATCH/err"
  equal "data 20 READY" "$(quiet disks list --format='value(name,sizeGb,status)' | tr '\t' ' ')" "disks list"
  quiet disks resize data --size 30 --zone "$ZONE"
  equal 30 "$(quiet disks describe data --zone "$ZONE" --format='value(sizeGb)')" "disks resize"
  quiet disks add-labels data --labels team=red --zone "$ZONE"
  equal red "$(quiet disks describe data --zone "$ZONE" --format='value(labels.team)')" "disks add-labels"
  refuses quiet disks create data --zone "$ZONE"
  quiet disks delete data --zone "$ZONE"

  equal default "$(quiet networks list --format='value(name)')" "networks list"
  quiet networks create own --subnet-mode custom
  quiet networks subnets create own-sub --network own --range 10.9.0.0/24 --region us-central1
  equal 10.9.0.1 "$(quiet networks subnets describe own-sub --region us-central1 --format='value(gatewayAddress)')" "gateway"
  quiet firewall-rules create web --network own --allow tcp:80,tcp:443
  equal web "$(quiet firewall-rules list --filter 'network:own' --format='value(name)')" "firewall-rules list"
  quiet firewall-rules describe web --format='value(sourceRanges)' | grep 0.0.0.0/0 >/dev/null || fail "the rule's range"
  refuses quiet networks delete own
  quiet firewall-rules delete web
  quiet networks subnets delete own-sub --region us-central1
  quiet networks delete own

  quiet addresses create ip --region us-central1
  equal RESERVED "$(quiet addresses list --format='value(status)')" "addresses list"
  quiet addresses delete ip --region us-central1

  quiet project-info add-metadata --metadata greeting=hello
  quiet project-info describe --format=json >"$FW_SCRATCH/out"
  equal hello "$(jq -r '.commonInstanceMetadata.items[] | select(.key == "greeting").value' "$FW_SCRATCH/out")" "metadata"
  quiet images list --filter 'family=ubuntu-1604-lts' --format='value(family)' >"$FW_SCRATCH/out"
  equal ubuntu-1604-lts "$(head -1 "$FW_SCRATCH/out")" "images list"
}

case_images() {
  [ "$(id -u)" = 0 ] || skip "instances are containers with networks of their own: that needs root"
  quiet images create base --family lab --source-image-family ubuntu-1604-lts --source-image-project ubuntu-os-cloud
  cat >"$FW_SCRATCH/install.sh" <<'SCRIPT'
# no interpreter line: as old scripts have it
mkdir -p /opt/lab && echo baked >/opt/lab/word && chown 1234:1234 /opt/lab/word
rm -f /etc/issue
sudo shutdown -h now
SCRIPT
  quiet instances create build --image-family lab --zone "$ZONE" --metadata-from-file "startup-script=$FW_SCRATCH/install.sh"
  wait_until 180 "the build has powered itself off" status_is build TERMINATED
  quiet images create lab-1 --family lab --source-disk build --source-disk-zone "$ZONE"
  equal lab-1 "$(quiet images describe-from-family lab --format='value(name)')" "the newest of the family"
  quiet instances delete build --zone "$ZONE"

  quiet disks create work --size 10 --zone "$ZONE" 2>"$FW_SCRATCH/err"
  cat >"$FW_SCRATCH/use.sh" <<'SCRIPT'
#! /bin/bash
echo "the word is $(cat /opt/lab/word), its owner $(stat -c %u /opt/lab/word)"
[ -e /etc/issue ] || echo "the deleted file is gone"
echo kept >>/mnt/disks/work/note && echo "the disk has $(wc -l </mnt/disks/work/note) lines"
SCRIPT
  quiet instances create user --image-family lab --zone "$ZONE" --disk name=work,device-name=work,auto-delete=no \
    --metadata-from-file "startup-script=$FW_SCRATCH/use.sh"
  wait_until 120 "the startup script has ended" console_says user "the disk has 1 lines"
  console_says user "the word is baked, its owner 1234" || fail "the image lacks what was installed"
  console_says user "the deleted file is gone" || fail "a deletion was lost"
  refuses quiet images create live --source-disk user --source-disk-zone "$ZONE"
  refuses quiet disks delete work --zone "$ZONE"
  # An image may go while an instance runs on its layers.
  quiet images delete lab-1
  quiet instances delete user --zone "$ZONE"
  equal work "$(quiet disks list --format='value(name)')" "the data disk is kept, the boot disk is not"
}

case_bulk() {
  [ "$(id -u)" = 0 ] || skip "instances are containers with networks of their own: that needs root"
  quiet instances bulk create --name-pattern 'w-##' --count 3 --zone "$ZONE" --machine-type n1-standard-1 \
    --image-family debian-12 --image-project debian-cloud --format json >"$FW_SCRATCH/out"
  equal 3 "$(jq -r '.. | .createdInstanceCount? // empty' "$FW_SCRATCH/out")" "bulk create"
  equal "w-01 w-02 w-03" "$(quiet instances list --filter 'status=RUNNING' --format='value(name)' | sort | xargs)" "instances list"
  quiet instances delete w-01 w-02 w-03 --zone "$ZONE"
}

case ${1:-} in
  nouns | images | bulk) ;;
  *) fail "usage: compute_resources.sh nouns|images|bulk" ;;
esac
command -v gcloud >/dev/null || skip "gcloud is not installed, and no package registry offers it"
clean_environment
start_daemon
use_daemon
"case_$1"
say "$1 ok"
