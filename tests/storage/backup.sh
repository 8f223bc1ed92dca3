#!/usr/bin/env bash
# The commands that keep a store whole, against a live daemon: backup while it serves, restore, fsck with and without a daemon, and
# bytes that went bad.
set -euo pipefail
# shellcheck source=tests/lib.sh
source "$(dirname "$0")/../lib.sh"
clean_environment

mkdir "$FIREWEED_STATE"
printf 'instances: {driver: fake}\nstorage: {scrubMbPerSecond: 0}\n' >"$FIREWEED_STATE/config.yaml"
chmod 700 "$FIREWEED_STATE"
start_daemon
use_daemon
bucket=kept-$$-bucket
base=https://storage.googleapis.com
put() {
  signed_curl -sSf -o "$FW_SCRATCH/reply" -H 'Content-Type: application/octet-stream' --data-binary "@$2" \
    "$base/upload/storage/v1/b/$bucket/o?uploadType=media&name=$1"
}
status_of() { signed_curl -sS -o "$FW_SCRATCH/reply" -w '%{http_code}' "$base/storage/v1/b/$bucket/o/$1?alt=media"; }
sum_of() { signed_curl -sSf "$base/storage/v1/b/$bucket/o/$1?alt=media" | md5sum; }

signed_curl -sSf -o "$FW_SCRATCH/reply" -H 'Content-Type: application/json' -d "{\"name\":\"$bucket\"}" "$base/storage/v1/b?project=fireweed"
head -c 3000000 /dev/urandom >"$FW_SCRATCH/large"
head -c 3000 /dev/urandom >"$FW_SCRATCH/small"
put small "$FW_SCRATCH/small"
put large "$FW_SCRATCH/large"

say "a backup, and a second one that copies only what is new"
fireweed --json backup "$FW_SCRATCH/copy" >"$FW_SCRATCH/first"
equal 1 "$(jq -r .copiedBlobs "$FW_SCRATCH/first")" "blobs copied"
equal 2 "$(jq -r .objects "$FW_SCRATCH/first")" "objects verified"
put more "$FW_SCRATCH/large"
fireweed --json backup "$FW_SCRATCH/copy" >"$FW_SCRATCH/second"
equal 1 "$(jq -r .copiedBlobs "$FW_SCRATCH/second")" "blobs copied the second time"
equal 2 "$(jq -r .blobs "$FW_SCRATCH/second")" "blobs in all"
refuses fireweed backup "$FW_SCRATCH"

say "fsck beside a serving daemon"
fireweed storage fsck >"$FW_SCRATCH/fsck"
grep -q 'every byte matches' "$FW_SCRATCH/fsck" || fail "$(cat "$FW_SCRATCH/fsck")"

say "restored: the same objects, owner and certificate authority"
put later "$FW_SCRATCH/small"
stop_daemon
refuses fireweed restore "$FW_SCRATCH/copy"
mv "$FIREWEED_STATE" "$FW_SCRATCH/old"
fireweed restore "$FW_SCRATCH/copy" >"$FW_SCRATCH/restored"
equal 3 "$(jq -r .objects "$FW_SCRATCH/restored")" "objects that came back"
cmp "$FW_SCRATCH/old/owner.json" "$FIREWEED_STATE/owner.json"
fireweed --json storage fsck >"$FW_SCRATCH/fsck"
equal 3 "$(jq -r .objects "$FW_SCRATCH/fsck")" "objects that fsck saw without a daemon"
start_daemon
use_daemon
equal "$(md5sum <"$FW_SCRATCH/small")" "$(sum_of small)" small
equal "$(md5sum <"$FW_SCRATCH/large")" "$(sum_of large)" large
equal 404 "$(status_of later)" "what came after the backup"

say "bytes that went bad are found, told and not served"
blob=$(find "$FIREWEED_STATE/blobs/blobs" -type f | sort | head -1)
printf 'rot' | dd of="$blob" bs=1 seek=1000 conv=notrunc status=none
refuses fireweed storage fsck
grep -q 'crc32c' "$FW_SCRATCH/refused" || fail "fsck says what is wrong: $(cat "$FW_SCRATCH/refused")"
stop_daemon
printf 'instances: {driver: fake}\nstorage: {scrubMbPerSecond: 1000}\n' >"$FIREWEED_STATE/config.yaml"
start_daemon
use_daemon
scrubbed() { curl -sSf "http://$(fireweed --json status | jq -r .http)/metrics" --noproxy '*' >"$FW_SCRATCH/metrics" && grep -q '^fireweed_storage_damaged_blobs 1' "$FW_SCRATCH/metrics"; }
wait_until 60 "the scrub has found it" scrubbed
bad=0
for name in large more; do
  case $(status_of $name) in
    500) bad=$((bad + 1)) ;;
    200) ;;
    *) fail "status of $name" ;;
  esac
done
equal 1 "$bad" "objects that are not served"
equal 200 "$(status_of small)" "a sound one"
say ok
