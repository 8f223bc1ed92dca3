#!/usr/bin/env bash
# A disk that fills up under a serving daemon: writes are refused cleanly, nothing that was acknowledged is lost, reads and deletions
# go on, and room makes writes work again. The disk is a small tmpfs in a mount namespace of this script's own.
set -euo pipefail
if [ -z "${FW_DISK_NAMESPACE:-}" ]; then
  if ! unshare --mount --propagation private true 2>/dev/null; then
    printf 'SKIPPED: no mount namespaces here (they need root)\n'
    exit 77
  fi
  FW_DISK_NAMESPACE=1 exec unshare --mount --propagation private "$0" "$@"
fi
# shellcheck source=tests/lib.sh
source "$(dirname "$0")/../lib.sh"
clean_environment

# The disk has to go before what it is mounted in is removed.
leave() {
  local rc=$?
  set +e
  [ $rc -eq 0 ] || fireweed logs --state "$FIREWEED_STATE" 2>/dev/null | tail -40 >&2
  stop_daemon --purge
  umount "$FIREWEED_STATE" 2>/dev/null
  (exit $rc)
  finish
}
trap leave EXIT

mkdir "$FIREWEED_STATE"
mount -t tmpfs -o size=40m,mode=0700 tmpfs "$FIREWEED_STATE" || skip "no tmpfs can be mounted here"
printf 'storage: {reserveBytes: 6291456}\ninstances: {driver: fake}\n' >"$FIREWEED_STATE.yaml"

up() {
  fireweed up --state "$FIREWEED_STATE" --config "$FIREWEED_STATE.yaml" >"$FW_SCRATCH/up.log" 2>&1 || {
    cat "$FW_SCRATCH/up.log" >&2
    fail "fireweed up"
  }
}
up
use_daemon
bucket=full-$$-bucket
base=https://storage.googleapis.com
signed_curl -sSf -o "$FW_SCRATCH/bucket" -H 'Content-Type: application/json' -d "{\"name\":\"$bucket\"}" \
  "$base/storage/v1/b?project=fireweed"

head -c 1000000 /dev/urandom >"$FW_SCRATCH/large"
head -c 2000 /dev/urandom >"$FW_SCRATCH/small"
# put NAME FILE: the status.
put() {
  signed_curl -sS -o "$FW_SCRATCH/reply" -w '%{http_code}' -H 'Content-Type: application/octet-stream' --data-binary "@$2" \
    "$base/upload/storage/v1/b/$bucket/o?uploadType=media&name=$1"
}
sum_of() { signed_curl -sSf "$base/storage/v1/b/$bucket/o/$1?alt=media" | md5sum | cut -d' ' -f1; }
large_sum=$(md5sum <"$FW_SCRATCH/large" | cut -d' ' -f1)
small_sum=$(md5sum <"$FW_SCRATCH/small" | cut -d' ' -f1)

kept=()
check_all() {
  local name want
  for name in "${kept[@]}"; do
    want=$large_sum
    case $name in small*) want=$small_sum ;; esac
    equal "$want" "$(sum_of "$name")" "bytes of $name $1"
  done
}

equal 200 "$(put small-first "$FW_SCRATCH/small")" "a small object on an empty disk"
kept+=(small-first)
status=200
for i in $(seq 1 60); do
  status=$(put "large-$i" "$FW_SCRATCH/large")
  [ "$status" = 200 ] || break
  kept+=("large-$i")
done
equal 403 "$status" "the object that does not fit"
equal quotaExceeded "$(jq -r '.error.errors[0].reason' "$FW_SCRATCH/reply")" "the reason, after which no client tries again"
grep -q 'disk is full' "$FW_SCRATCH/reply" || fail "the refusal says why: $(cat "$FW_SCRATCH/reply")"
[ ${#kept[@]} -ge 10 ] || fail "only ${#kept[@]} objects fitted"
equal 403 "$(put small-refused "$FW_SCRATCH/small")" "a small one"
equal 404 "$(signed_curl -sS -o "$FW_SCRATCH/reply" -w '%{http_code}' "$base/storage/v1/b/$bucket/o/small-refused")" "what was refused"
check_all "on a full disk"
metric() { curl -sSf --noproxy '*' "http://$(jq -r .http "$FIREWEED_STATE/endpoint.json")/metrics" | sed -n "s/^fireweed_$1 //p"; }
[ "$(metric storage_full_total)" -ge 2 ] || fail "refusals are not counted"
[ "$(metric disk_free_bytes)" -lt 6300000 ] || fail "the free disk is not in the metrics"
[ "$(metric 'storage_stored_bytes{version="live"}' | cut -d. -f1)" -ge 1000000 ] || fail "stored bytes are not in the metrics"
equal 1 "$(fireweed logs --state "$FIREWEED_STATE" | grep -c 'the disk is full')" "lines in the log"

say "clients stop at once"
# give_up NAME COMMAND...: fails within seconds.
give_up() {
  local name=$1 rc=0
  shift
  timeout 20 "$@" >"$FW_SCRATCH/client" 2>&1 || rc=$?
  case $rc in 0 | 124) fail "$name: status $rc: $(tail -3 "$FW_SCRATCH/client")" ;; esac
}
give_up fireweed fireweed storage cp "$FW_SCRATCH/large" "gs://$bucket/x"
if command -v gsutil >/dev/null; then give_up gsutil gsutil cp "$FW_SCRATCH/large" "gs://$bucket/x"; fi
if command -v gcloud >/dev/null; then give_up gcloud gcloud storage cp "$FW_SCRATCH/large" "gs://$bucket/x"; fi

say "the reserve gone as well: rows cannot be written, reads go on"
head -c 40000000 /dev/zero >"$FIREWEED_STATE/filler" 2>"$FW_SCRATCH/filler" && fail "the disk is larger than it should be"
case $(put small-refused "$FW_SCRATCH/small") in
  4?? | 5??) ;;
  *) fail "a write on a disk without a byte left" ;;
esac
check_all "without a byte left"
rm "$FIREWEED_STATE/filler"

say "killed while full: everything acknowledged is there"
kill -9 "$(jq -r .pid "$FIREWEED_STATE/endpoint.json")"
up
check_all "after a kill"
fireweed storage fsck >"$FW_SCRATCH/fsck" || fail "fsck: $(cat "$FW_SCRATCH/fsck")"

say "room again"
for name in "${kept[@]:1:4}"; do
  equal 204 "$(signed_curl -sS -X DELETE -o "$FW_SCRATCH/reply" -w '%{http_code}' "$base/storage/v1/b/$bucket/o/$name")" "deleting $name"
done
kept=("${kept[0]}" "${kept[@]:5}")
equal 200 "$(put large-again "$FW_SCRATCH/large")" "a large object when there is room"
equal 200 "$(put small-again "$FW_SCRATCH/small")" "a small one"
kept+=(large-again small-again)
check_all "at last"
say "ok: ${#kept[@]} objects"
