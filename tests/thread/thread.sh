#!/usr/bin/env bash
# One thread through the whole house, with the clients people use: a bucket is made and written to, an instance boots,
# reads its metadata, writes an object and powers itself off; everything is deleted and nothing is left behind.
#
#   tests/thread/thread.sh            its own daemon, in a state directory of its own
#
# Called by ctest. gcloud does what needs gcloud; where it is not installed,
# `fireweed compute` takes the same words.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

[ "$(id -u)" = 0 ] || skip "instances are containers with networks of their own: that needs root"

readonly ZONE=us-central1-a
readonly BUCKET=thread-$$-$RANDOM
readonly WORD=fireweed-$RANDOM

# Seconds with two decimals, from the kernel's clock that never goes back.
now() { cut -d' ' -f1 /proc/uptime; }
since() { awk -v a="$1" -v b="$(now)" 'BEGIN {printf "%.2f s", b - a}'; }
step() { say "--- $*"; }

# What a daemon could leave on a machine. Only names that are ours: other work goes on beside this.
footprint() {
  say "ip_forward $(cat /proc/sys/net/ipv4/ip_forward)"
  ip -o link | awk -F': ' '$2 ~ /^(fw|fireweed)/ {print "link", $2}'
  ip netns list 2>/dev/null | awk '$1 ~ /^(fw|fireweed)/ {print "netns", $1}'
  nft list tables 2>/dev/null | awk '/fireweed|fw/ {print "table", $0}'
  awk -v state="$FW_SCRATCH" '/fireweed/ || index($5, state) {print "mount", $5, $9}' /proc/self/mountinfo
  find /sys/fs/cgroup -type d -name '*fireweed*' -printf 'cgroup %p\n' 2>/dev/null
  ps -eo pid=,args= | awk -v state="$FW_SCRATCH/state" 'index($0, state) && !/awk/ {print "process", $0}'
}

gsutil_here() { "$(gsutil_programs | head -1)" "$@"; }

compute() {
  if command -v gcloud >/dev/null; then gcloud --quiet compute "$@"; else fireweed compute "$@"; fi
}

instance_url() {
  printf 'https://compute.googleapis.com/compute/v1/projects/%s/zones/%s/instances/t1' "$GOOGLE_CLOUD_PROJECT" "$ZONE"
}
# Polling goes by curl: gcloud and gsutil need seconds to start.
status_is() { [ "$(signed_curl -sS "$(instance_url)" | jq -r .status)" = "$1" ]; }
visible() { signed_curl -fs -o /dev/null "$(object_url "$BUCKET" "$1")"; }
nothing_left() { [ "$(footprint | sort)" = "$before" ]; }

show_serial_port() {
  signed_curl -fsS "$(instance_url)/serialPort" 2>/dev/null | jq -r .contents | sed 's/^/    | /' || true
}

on_failure() {
  say "what is there beyond the beginning:"
  diff <(printf '%s\n' "$before") <(footprint | sort) || true
  show_serial_port
}

write_startup_script() {
  cat >"$FW_SCRATCH/startup.sh" <<SCRIPT
#! /bin/bash
# what an instance of this kind does in every guide: read metadata, work, store, power off
word=\$(curl -fsS -H 'Metadata-Flavor: Google' \\
  http://metadata.google.internal/computeMetadata/v1/instance/attributes/WORD)
echo "the word is \$word"
echo "\$word" >/var/tmp/word.txt
gsutil -q cp /var/tmp/word.txt gs://$BUCKET/word.txt || gcloud storage cp /var/tmp/word.txt gs://$BUCKET/word.txt
sudo shutdown -h now
SCRIPT
}

storage_steps() {
  step "gsutil mb, gsutil cp"
  gsutil_here mb "gs://$BUCKET"
  echo "$WORD" >"$FW_SCRATCH/word"
  gsutil_here -q cp "$FW_SCRATCH/word" "gs://$BUCKET/from-host.txt"
  equal "$WORD" "$(gsutil_here cat "gs://$BUCKET/from-host.txt")" "gsutil cat"
}

instance_steps() {
  local began created word
  write_startup_script
  if command -v gcloud >/dev/null; then
    began=$(now)
    gcloud config get-value project >/dev/null 2>&1
    say "gcloud's own start-up: $(since "$began")"
  fi
  step "instances create t1"
  began=$(now)
  compute instances create t1 --preemptible --scopes cloud-platform --metadata "WORD=$WORD" \
    --metadata-from-file "startup-script=$FW_SCRATCH/startup.sh"
  created=$(now)
  say "create took $(since "$began")"
  wait_until 180 "the instance has written its object" visible word.txt
  say "from create returning to the object visible: $(since "$created")"
  wait_until 60 "the instance has powered itself off" status_is TERMINATED
  say "from create returning to TERMINATED: $(since "$created")"
  show_serial_port
  step "instances list"
  compute instances list | tee "$FW_SCRATCH/list"
  grep -qE '^t1 .*TERMINATED' "$FW_SCRATCH/list" || fail "instances list does not say TERMINATED"
  step "gsutil cat"
  word=$(gsutil_here cat "gs://$BUCKET/word.txt")
  say "$word"
  equal "$WORD" "$word" "the word"
}

cleanup_steps() {
  step "delete"
  compute instances delete t1
  if compute instances list 2>/dev/null | grep -q '^t1 '; then fail "t1 is listed after its delete"; fi
  gsutil_here -q rm -r "gs://$BUCKET"
  eval "$(fireweed env --unset)"
  stop_daemon --purge || fail "fireweed down --purge: $(cat "$FW_SCRATCH/down.log")"
  wait_until 20 "nothing is left behind" nothing_left
  rm -rf --one-file-system "$FIREWEED_STATE"
  say "nothing is left behind"
}

clean_environment
before=$(footprint | sort)
step "fireweed up"
began=$(now)
start_daemon
say "up in $(since "$began")"
use_daemon
storage_steps
instance_steps
cleanup_steps
say "thread ok"
