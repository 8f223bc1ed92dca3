# shellcheck shell=bash
# Sourced after tests/lib.sh by scripts that need instances: made by plain API calls, and entered by ssh with a key of
# the script's own. The functions speak to the daemon that `use_daemon` chose.

readonly FW_ZONE=us-central1-a

# Containers with networks of their own need root; being inside needs an ssh client.
require_instances() {
  [ "$(id -u)" = 0 ] || skip "instances are containers with networks of their own: that needs root"
  command -v ssh >/dev/null || skip "no ssh client"
  ssh-keygen -q -t ed25519 -N '' -C test -f "$FW_SCRATCH/key"
}

instances_url() { printf 'https://compute.googleapis.com/compute/v1/projects/%s/zones/%s/instances' "$1" "$FW_ZONE"; }

# insert PROJECT NAME [MACHINE-TYPE]: an instance that root enters by ssh; returns once its boot has been ordered.
insert() {
  local url body
  url=$(instances_url "$1")
  body=$(jq -n --arg name "$2" --arg type "zones/$FW_ZONE/machineTypes/${3:-n1-standard-1}" \
    --arg keys "root:$(cat "$FW_SCRATCH/key.pub")" '{name: $name, machineType: $type,
    disks: [{boot: true, autoDelete: true, initializeParams: {sourceImage: "projects/debian-cloud/global/images/family/debian-12"}}],
    networkInterfaces: [{network: "global/networks/default", accessConfigs: [{type: "ONE_TO_ONE_NAT"}]}],
    metadata: {items: [{key: "ssh-keys", value: $keys}]},
    serviceAccounts: [{email: "default", scopes: ["https://www.googleapis.com/auth/cloud-platform"]}]}')
  signed_curl -fsS -H 'Content-Type: application/json' -d "$body" "$url" >/dev/null
}

address_of() { signed_curl -fsS "$(instances_url "$1")/$2" | jq -r '.networkInterfaces[0].networkIP // empty'; }
status_of() { signed_curl -fsS "$(instances_url "$1")/$2" | jq -r .status; }
serial_of() { signed_curl -fsS "$(instances_url "$1")/$2/serialPort" | jq -r .contents; }

# at ADDRESS COMMAND...: runs a command inside, as root.
at() {
  local address=$1
  shift
  ssh -q -i "$FW_SCRATCH/key" -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null \
    -o ConnectTimeout=20 -o IdentitiesOnly=yes "root@$address" "$@"
}

answers() { local address; address=$(address_of "$1" "$2") && [ -n "$address" ] && at "$address" true; }
# await PROJECT NAME: until one can get in.
await() { wait_until 180 "$2 lets us in" answers "$1" "$2"; }
