# shellcheck shell=bash
# Sourced by the scripts under tests/: a daemon of one's own, waiting on conditions, and verdicts.

FW_TREE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
FIREWEED_BIN=${FIREWEED_BIN:-$FW_TREE/build/release/bin}
PATH=$FIREWEED_BIN:$PATH
FW_SCRATCH=$(mktemp -d "${TMPDIR:-/var/tmp}/fireweed-test.XXXXXX")
export FIREWEED_STATE=$FW_SCRATCH/state

say() { printf '%s\n' "$*"; }
fail() { printf 'FAIL: %s\n' "$*" >&2; exit 1; }
# ctest reports exit code 77 as skipped and shows the reason.
skip() { printf 'SKIPPED: %s\n' "$*"; exit 77; }

# wait_until SECONDS WHAT CMD...: polls until CMD succeeds. The deadline is for a broken build, not for a slow one.
wait_until() {
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    [ $SECONDS -lt $deadline ] || fail "waited too long until $what"
    sleep 0.05  # NOHOUSE(shell-sleep): the one polling interval
  done
}

# equal WANT GOT WHAT
equal() { [ "$1" = "$2" ] || fail "$3: wanted '$1', got '$2'"; }

# refuses CMD...: CMD must fail.
refuses() { if "$@" >"$FW_SCRATCH/refused" 2>&1; then fail "should have failed: $*"; fi; }

start_daemon() {
  [ -x "$FIREWEED_BIN/fireweed" ] || fail "no fireweed program in $FIREWEED_BIN (build the release tree)"
  fireweed up --state "$FIREWEED_STATE" --http 127.0.0.1:0 --https 127.0.0.1:0 >"$FW_SCRATCH/up.log" 2>&1 || {
    cat "$FW_SCRATCH/up.log" >&2
    fail "fireweed up"
  }
}

stop_daemon() { fireweed down --state "$FIREWEED_STATE" "$@" >"$FW_SCRATCH/down.log" 2>&1; }

# The user's own settings must not leak into a test, nor a test into them.
clean_environment() {
  export HOME=$FW_SCRATCH/home
  mkdir -p "$HOME"
  unset BOTO_CONFIG BOTO_PATH CLOUDSDK_CONFIG CLOUDSDK_CORE_PROJECT GOOGLE_APPLICATION_CREDENTIALS \
    GOOGLE_CLOUD_PROJECT STORAGE_EMULATOR_HOST API_ENDPOINT_OVERRIDE FSSPEC_GCS
}

# Points this shell's clients at the daemon, and gets a token for signed_curl.
use_daemon() {
  eval "$(fireweed env --state "$FIREWEED_STATE")"
  FW_TOKEN=$(fireweed auth print-access-token)
}

# signed_curl ARGUMENT...: curl with a token of the owner. Without one a request is anonymous, as on the cloud.
signed_curl() { curl -H "Authorization: Bearer $FW_TOKEN" "$@"; }

# Processes that a script started in the background: ended with it.
FW_CHILDREN=()

finish() {
  local rc=$?
  [ ${#FW_CHILDREN[@]} -eq 0 ] || kill "${FW_CHILDREN[@]}" 2>/dev/null || true
  if [ $rc -ne 0 ] && [ $rc -ne 77 ] && [ -d "$FIREWEED_STATE" ]; then
    # A script may define what else to show.
    if declare -F on_failure >/dev/null; then on_failure >&2 || true; fi
    printf -- '--- the daemon said:\n' >&2
    fireweed logs --state "$FIREWEED_STATE" 2>/dev/null | tail -40 >&2
  fi
  if [ -d "$FIREWEED_STATE" ]; then stop_daemon --purge || true; fi
  rm -rf --one-file-system "$FW_SCRATCH"
  exit $rc
}
trap finish EXIT
# Interrupted runs clean up as well.
trap 'exit 130' INT TERM

# The virtual environment of the Python clients (made by tools/install).
python_clients() { XDG_CACHE_HOME=$FW_CACHE_HOME HOME=$FW_USER_HOME "$FW_TREE/tools/install" --venv; }
# What the examples import (made by tools/install): a virtual environment, and beside it the wheels for instances.
example_packages() { XDG_CACHE_HOME=$FW_CACHE_HOME HOME=$FW_USER_HOME "$FW_TREE/tools/install" --examples; }
FW_USER_HOME=$HOME
FW_CACHE_HOME=${XDG_CACHE_HOME:-$HOME/.cache}

# Every gsutil there is to test: the Cloud SDK's, and the one from PyPI, which is always there.
gsutil_programs() {
  local sdk
  sdk=$(command -v gsutil || true)
  if [ -n "$sdk" ]; then printf '%s\n' "$sdk"; fi
  printf '%s/bin/gsutil\n' "$(python_clients)"
}

# object_url BUCKET NAME: the metadata of an object, for signed_curl.
object_url() { printf 'https://storage.googleapis.com/storage/v1/b/%s/o/%s' "$1" "$2"; }
