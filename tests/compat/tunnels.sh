#!/usr/bin/env bash
# Tunnels into an instance without an external address, with the real gcloud and ssh: from the daemon's host, and from
# another machine (a network namespace that reaches the daemon's TLS port and nothing else).
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source=tests/instances.sh
. "$(dirname "${BASH_SOURCE[0]}")/../instances.sh"

readonly PROJECT=compat-tunnels-1 SPACE=fwtun$$ LINK=fwt$$
readonly NEAR=198.18.$((RANDOM % 250)).1
readonly FAR=${NEAR%.1}.2
gce() { gcloud --quiet compute "$@"; }
# Runs a command on the other machine.
there() { ip netns exec "$SPACE" "$@"; }
on_failure() { tail -40 "$FW_SCRATCH"/*.err | sed 's/^/    | /'; }

command -v gcloud >/dev/null || skip "gcloud is not installed, and no package registry offers it"
clean_environment
unset HTTPS_PROXY https_proxy HTTP_PROXY http_proxy ALL_PROXY all_proxy
require_instances
ip netns add "$SPACE" 2>/dev/null || skip "network namespaces cannot be made here"
readonly FIRST=$FIREWEED_STATE
second_state() { printf '%s/second/.config/fireweed/servers/%s' "$FW_SCRATCH" "${server##*/}" | tr : _; }
trap 'rc=$?; fireweed down --state "$(second_state)" >/dev/null 2>&1 || true; ip netns del $SPACE; ip link del $LINK 2>/dev/null || true
  export FIREWEED_STATE=$FIRST; set +e; (exit $rc); finish' EXIT
server=none
ip link add "$LINK" type veth peer name eth0 netns "$SPACE"
ip addr add "$NEAR/30" dev "$LINK" && ip link set "$LINK" up
there ip link set lo up && there ip addr add "$FAR/30" dev eth0 && there ip link set eth0 up

fireweed up --http 127.0.0.1:0 --https "$NEAR:0" >"$FW_SCRATCH/up.log" 2>&1 || fail "up: $(cat "$FW_SCRATCH/up.log")"
server=https://$(jq -r .https "$FIRST/endpoint.json")
fingerprint=$(fireweed ca --fingerprint)
fireweed credential >"$FW_SCRATCH/credential.json"
use_daemon
gcloud config set project $PROJECT 2>/dev/null
gcloud config set compute/zone $FW_ZONE 2>/dev/null

# Something that answers as a notebook's server does.
cat >"$FW_SCRATCH/startup.sh" <<'SCRIPT'
mkdir -p /srv/web && cd /srv/web && echo '{"version": "0"}' >api && python3 -m http.server 8080
SCRIPT
gce instances create t1 --no-address --labels fireweed-notebook=yes --metadata notebook-token=secret \
  --metadata-from-file "startup-script=$FW_SCRATCH/startup.sh" >/dev/null

# From the host.
gce ssh ann@t1 --tunnel-through-iap --command true >/dev/null 2>"$FW_SCRATCH/first.err"
equal "ann t1" "$(gce ssh ann@t1 --tunnel-through-iap --command 'id -un; hostname' 2>"$FW_SCRATCH/ssh.err" | paste -sd' ')" \
  "who one is at the end of a tunnel"
rc=0
gce ssh ann@t1 --tunnel-through-iap --command 'exit 7' 2>/dev/null || rc=$?
equal 7 "$rc" "the exit code of a command inside"
head -c 3000000 /dev/urandom >"$FW_SCRATCH/data"
gce scp --tunnel-through-iap "$FW_SCRATCH/data" ann@t1:data 2>"$FW_SCRATCH/scp.err"
gce scp --tunnel-through-iap ann@t1:data "$FW_SCRATCH/back" 2>>"$FW_SCRATCH/scp.err"
cmp "$FW_SCRATCH/data" "$FW_SCRATCH/back"
# A port that nothing listens on, and an instance that does not exist.
refuses gce start-iap-tunnel t1 9 --local-host-port=localhost:0
grep -q 4003 "$FW_SCRATCH/refused" || fail "a closed port: $(cat "$FW_SCRATCH/refused")"
refuses fireweed compute start-iap-tunnel none 22 --listen-on-stdin --project $PROJECT

# From the other machine.
eval "$(fireweed env --unset)"
unset FIREWEED_STATE
export HOME=$FW_SCRATCH/second
mkdir -p "$HOME"
eval "$(there fireweed env --server "$server" --ca-fingerprint "$fingerprint" --credential "$FW_SCRATCH/credential.json")"
there gcloud config set project $PROJECT 2>/dev/null
there gcloud config set compute/zone $FW_ZONE 2>/dev/null
there gcloud --quiet compute instances create t2 >/dev/null 2>"$FW_SCRATCH/create.err"
equal "" "$(there gcloud compute instances describe t2 --format='value(networkInterfaces[0].accessConfigs[0].natIP)')" \
  "an external address that cannot be reached"
there gcloud --quiet compute ssh bob@t2 --command true >/dev/null 2>"$FW_SCRATCH/bob.err"
equal "bob t2" "$(there gcloud --quiet compute ssh bob@t2 --command 'id -un; hostname' 2>"$FW_SCRATCH/ssh2.err" | paste -sd' ')" \
  "gcloud compute ssh from another machine"
equal "eve t2" "$(there fireweed compute instances exec eve@t2 --project $PROJECT -- 'id -un; hostname' 2>"$FW_SCRATCH/exec.err" | paste -sd' ')" \
  "fireweed compute instances exec from another machine"
there fireweed notebooks connect t1 --project $PROJECT --port 0 >"$FW_SCRATCH/connect" 2>"$FW_SCRATCH/connect.err" &
FW_CHILDREN+=($!)
connected() { grep -q "http://localhost:[0-9]" "$FW_SCRATCH/connect"; }
wait_until 60 "the notebook is connected" connected
port=$(grep -o 'localhost:[0-9]*' "$FW_SCRATCH/connect")
equal '{"version": "0"}' "$(there curl -fsS --noproxy '*' "http://$port/api")" "a notebook from another machine"
there fireweed compute start-iap-tunnel t2 22 --project $PROJECT >"$FW_SCRATCH/tunnel" 2>"$FW_SCRATCH/tunnel.err" &
FW_CHILDREN+=($!)
listening() { grep -q Listening "$FW_SCRATCH/tunnel"; }
wait_until 30 "the local port is open" listening
port=$(grep -o '[0-9]*' "$FW_SCRATCH/tunnel")
there ssh-keyscan -T 20 -p "$port" 127.0.0.1 2>/dev/null | grep -q ed25519 || fail "no ssh server behind the local port"
say "tunnels ok"
