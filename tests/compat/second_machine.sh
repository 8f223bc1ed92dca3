#!/usr/bin/env bash
# A daemon that is used from another machine: `fireweed env --server` with a home and a state directory of its own,
# which share nothing with the daemon's but its address, a fingerprint and a credential.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

clean_environment
unset HTTPS_PROXY https_proxy HTTP_PROXY http_proxy ALL_PROXY all_proxy
start_daemon
readonly FIRST=$FIREWEED_STATE
server=https://$(jq -r .https "$FIRST/endpoint.json")
fingerprint=$(fireweed ca --fingerprint)
fireweed credential >"$FW_SCRATCH/credential.json"

# The second machine. Its forwarder must not outlive the test, however it ends.
export HOME=$FW_SCRATCH/second
mkdir -p "$HOME"
unset FIREWEED_STATE
second_state() { printf '%s/.config/fireweed/servers/%s' "$HOME" "${server##*/}" | tr : _; }
stop_second() { fireweed down --state "$(second_state)" >/dev/null 2>&1 || true; }
trap 'rc=$?; stop_second; export FIREWEED_STATE=$FIRST; set +e; (exit $rc); finish' EXIT

env_of() { fireweed env --server "$server" "$@"; }

refuses env_of
grep -q -- --ca-fingerprint "$FW_SCRATCH/refused" || fail "the missing fingerprint is not named"
refuses env_of --ca-fingerprint "00${fingerprint:2}" --credential "$FW_SCRATCH/credential.json"
grep -q "has the fingerprint" "$FW_SCRATCH/refused" || fail "another authority: $(cat "$FW_SCRATCH/refused")"
refuses env_of --ca-fingerprint "$fingerprint"
grep -q "fireweed credential" "$FW_SCRATCH/refused" || fail "no credential: $(cat "$FW_SCRATCH/refused")"
refuses fireweed env --server https://127.0.0.1:1 --ca-fingerprint "$fingerprint"
grep -q "cannot reach" "$FW_SCRATCH/refused" || fail "no daemon there: $(cat "$FW_SCRATCH/refused")"

eval "$(env_of --ca-fingerprint "$fingerprint" --credential "$FW_SCRATCH/credential.json")"
equal "$(second_state)" "$FIREWEED_STATE" "the state directory of the second machine"
before=$HTTPS_PROXY
[ "${before##*@}" != "$(jq -r .http "$FIRST/endpoint.json")" ] || fail "the proxy is the daemon's own"
fireweed env --check

n=0
while read -r program; do
  bucket=gs://second-machine-$((++n))
  "$program" -q mb "$bucket"
  echo over there | "$program" -q cp - "$bucket/word"
  equal "over there" "$("$program" cat "$bucket/word")" "gsutil cat"
done < <(gsutil_programs)
if command -v gcloud >/dev/null; then
  equal gs://second-machine-1/word "$(gcloud storage ls gs://second-machine-1)" "gcloud storage ls"
fi
"$(python_clients)/bin/python" -W ignore - <<'PYTHON'
import google.cloud.storage
assert google.cloud.storage.Client().bucket('second-machine-1').blob('word').download_as_bytes() == b'over there\n'
PYTHON
fireweed projects list >"$FW_SCRATCH/projects"
grep -q "$GOOGLE_CLOUD_PROJECT" "$FW_SCRATCH/projects" || fail "our own command does not reach the other machine"
# As on the cloud, a request says who is asking; TLS is with the daemon itself, past the forwarder.
url=$(object_url second-machine-1 word)
equal 401 "$(curl -sS -o /dev/null -w '%{http_code}' "$url")" "a request without a token"
token=$("$(python_clients)/bin/python" -W ignore -c 'import google.auth, google.auth.transport.requests as r
c, _ = google.auth.default(); c.refresh(r.Request()); print(c.token)')
equal word "$(curl -fsS -H "Authorization: Bearer $token" "$url" | jq -r .name)" "a request with a token"

# The forwarder is killed: the shell is told why, and one word brings it back on the same port.
kill -9 "$(jq -r .pid "$FIREWEED_STATE/endpoint.json")"
refuses fireweed env --check
grep -q "forwarder" "$FW_SCRATCH/refused" || fail "env --check: $(cat "$FW_SCRATCH/refused")"
eval "$(fireweed env)"
equal "$before" "$HTTPS_PROXY" "the forwarder's address after it came back"
fireweed env --check
# The directory is no place for a daemon of this machine.
fireweed down
refuses fireweed up
grep -q "belongs to the daemon at" "$FW_SCRATCH/refused" || fail "up: $(cat "$FW_SCRATCH/refused")"
eval "$(fireweed env --unset)"
equal '' "${HTTPS_PROXY:-}${https_proxy:-}" "proxy after --unset"
say "second machine ok"
