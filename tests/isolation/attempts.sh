#!/bin/bash
# Runs as root inside an instance and tries what must not work. Prints "held WHAT" or "BREACH WHAT" for each attempt,
# and "done COUNT" at the end. What it needs to know about the outside is in its environment: that is more than a
# stranger would know.
set -uo pipefail
: "${OTHER_ADDRESS:?}" "${OTHER_PROJECT:?}" "${OTHER_NAME:?}" "${ZONE:?}" "${HOST_FILE:?}" "${HOST_STATE:?}" "${HOST_PID:?}" "${HOST_PORT:?}"

count=0
place=$(mktemp -d)
# refused WHAT COMMAND...: the command must fail.
refused() {
  local what=$1
  shift
  count=$((count + 1))
  if timeout 20 "$@" >"$place/attempt" 2>&1; then
    echo "BREACH $what: $(head -c 200 "$place/attempt" | tr '\n' ' ')"
  else
    echo "held $what"
  fi
}
tries() { refused "$1" bash -c "$2"; }
python() { refused "$1" python3 -c "$2"; }

gateway=$(ip route | awk '/default/ {print $3}')
metadata=http://169.254.169.254/computeMetadata/v1
token=$(curl -fsS -H 'Metadata-Flavor: Google' "$metadata/instance/service-accounts/default/token" |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["access_token"])')
own_project=$(curl -fsS -H 'Metadata-Flavor: Google' "$metadata/project/project-id")
api=https://compute.googleapis.com/compute/v1/projects
# The way to the API is open at all: otherwise every refusal below would mean nothing.
curl -fsS -o /dev/null -H "Authorization: Bearer $token" "$api/$own_project/zones/$ZONE/instances" ||
  echo "BREACH own project cannot be read, so the attempts show nothing"

# The host's files and processes, the daemon's state.
tries "a file of the host" "cat '$HOST_FILE'"
tries "a file of the host through process 1" "cat '/proc/1/root$HOST_FILE'"
tries "the daemon's state" "ls '$HOST_STATE'"
tries "the daemon's credential anywhere" "find / -xdev -name 'catalog.db*' -o -xdev -name owner.json | grep ."
tries "a process of the host" "kill -0 $HOST_PID && grep -q fireweedd /proc/$HOST_PID/cmdline"
tries "any fireweedd in the process list" "ps -eo args= | grep '[f]ireweedd'"
tries "the shim" "ps -eo args= | grep '[f]ireweed-shim'"

# The other instance: its files, processes, metadata, tokens, console.
tries "the other's metadata at its address" \
  "curl -fsS -m 5 -H 'Metadata-Flavor: Google' http://$OTHER_ADDRESS/computeMetadata/v1/instance/id"
tries "the other's metadata by a forged host" \
  "curl -fsS -m 5 -H 'Metadata-Flavor: Google' -H 'Host: metadata.google.internal' http://$OTHER_ADDRESS/computeMetadata/v1/"
tries "the other's API socket" "curl -kfsS -m 5 --connect-to ::$OTHER_ADDRESS:443 https://storage.googleapis.com/"
tries "the other's name server" \
  "python3 -c 'import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(3); s.connect((\"$OTHER_ADDRESS\", 53)); s.send(b\"\\x12\\x34\\x01\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x08metadata\\x00\\x00\\x01\\x00\\x01\"); s.recv(512)'"
tries "a forwarded request" \
  "curl -fsS -H 'Metadata-Flavor: Google' -H 'X-Forwarded-For: $OTHER_ADDRESS' $metadata/instance/id"
tries "a request without the header" "curl -fsS $metadata/instance/id"
for path in "instances" "instances/$OTHER_NAME" "instances/$OTHER_NAME/serialPort" \
  "instances/$OTHER_NAME/getGuestAttributes"; do
  tries "the other project's $path" "curl -fsS -H 'Authorization: Bearer $token' $api/$OTHER_PROJECT/zones/$ZONE/$path"
done
tries "stopping the other" "curl -fsS -X POST -H 'Authorization: Bearer $token' -d '' $api/$OTHER_PROJECT/zones/$ZONE/instances/$OTHER_NAME/stop"
tries "the API without a token" "curl -fsS $api/$own_project/zones/$ZONE/instances"
tries "a token for the other's account" \
  "curl -fsS -H 'Metadata-Flavor: Google' $metadata/instance/service-accounts/owner@fireweed.local/token"
tries "the administrator's API" \
  "curl -fsS -H 'Authorization: Bearer $token' --connect-to ::169.254.169.254:443 https://storage.googleapis.com/fireweed/v1/tokens"
tries "the administrator's API by address" \
  "curl -kfsS -H 'Authorization: Bearer $token' https://169.254.169.254/fireweed/v1/tokens"
tries "the other's name" "getent hosts $OTHER_NAME.$ZONE.c.$OTHER_PROJECT.internal"

# The daemon's own sockets, and a proxy where there must be none.
for address in "$gateway" 127.0.0.1 169.254.169.254; do
  tries "the daemon's port at $address" "curl -fsS -m 5 http://$address:$HOST_PORT/"
done
for target in 127.0.0.1:$HOST_PORT localhost:$HOST_PORT 169.254.169.254:80 "$gateway:$HOST_PORT" "$OTHER_ADDRESS:22" \
  "[::1]:$HOST_PORT" 0.0.0.0:$HOST_PORT; do
  tries "CONNECT to $target" "curl -fsS -m 5 -p -x http://169.254.169.254:80 http://$target/"
  tries "CONNECT over TLS to $target" "curl -fsS -m 5 -p --proxy-insecure -x https://169.254.169.254:443 http://$target/"
done
tries "link-local outside" "curl -fsS -m 5 http://169.254.169.253/"

# Devices, mounts, the kernel.
tries "a block device" "mknod /var/disk b 8 0"
tries "memory as a device" "mknod /var/memory c 1 1"
tries "any block device" "find /dev -type b | grep ."
tries "/dev/mem and friends" "ls /dev/mem || ls /dev/kmsg || ls /dev/kvm || ls /dev/fuse"
tries "accelerators that nobody lent" "ls /dev/nvidia* || ls /dev/kfd || ls /dev/dri || ls /proc/driver/nvidia"
tries "a mount" "mount -t tmpfs none /mnt"
tries "a bind mount" "mount --bind / /mnt"
tries "a remount of /sys" "mount -o remount,rw /sys"
tries "a remount of /proc/sys" "mount -o remount,rw /proc/sys"
tries "an overlay" "mount -t overlay overlay -o lowerdir=/etc:/usr /mnt"
tries "a cgroup file system" "mkdir -p $place/c && mount -t cgroup2 none $place/c"
tries "taking /proc away" "umount -l /proc"
tries "a user namespace" "unshare -Ur true"
tries "a mount namespace" "unshare -m true"
tries "another's network" "nsenter -t 1 -n true"
tries "sysrq" "echo b >/proc/sysrq-trigger"
tries "a kernel setting" "echo 1 >/proc/sys/kernel/sysrq"
tries "the core pattern" "echo '|/bin/sh' >/proc/sys/kernel/core_pattern"
tries "a kernel module" "python3 -c 'import ctypes, os; fd = os.open(\"/etc/hostname\", 0); os._exit(0 if ctypes.CDLL(None).syscall(313, fd, b\"\", 0) == 0 else 1)'"
tries "the clock" "date -s '2001-01-01' && [ \$(date +%Y) = 2001 ]"
tries "the kernel's log" "dmesg"
tries "swap" "dd if=/dev/zero of=$place/swap bs=4096 count=16 && mkswap $place/swap && swapon $place/swap"
tries "kcore" "head -c 4096 /proc/kcore | grep -c ."
tries "cgroup limits" "f=\$(find /sys/fs/cgroup -name memory.max -o -name memory.limit_in_bytes 2>/dev/null | head -1); [ -n \"\$f\" ] && echo 9999999999999 >\"\$f\""
python "a raw packet socket" 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))'
python "a raw IP socket" 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)'
tries "another address" "ip addr add $OTHER_ADDRESS/20 dev eth0"
tries "the link" "ip link set eth0 down"
tries "firewall rules" "nft list ruleset || iptables -L"
python "a BPF program" 'import ctypes, os; os._exit(0 if ctypes.CDLL(None).syscall(321, 0, ctypes.create_string_buffer(b"\1\0\0\0\4\0\0\0\4\0\0\0\1\0\0\0" + bytes(100)), 116) >= 0 else 1)'
python "perf events" 'import ctypes, os; os._exit(0 if ctypes.CDLL(None).syscall(298, ctypes.create_string_buffer(128), -1, 0, -1, 0) >= 0 else 1)'
python "the kernel keyring of root" 'import ctypes, os; os._exit(0 if ctypes.CDLL(None).syscall(250, 0, -4, 0) > 0 else 1)'

# Bombs: each must end with its own machine alive, which the next line of output shows.
python "a memory bomb" 'x = []
while True: x.append(bytearray(64 << 20))'
python "a pid bomb" 'import os, sys, time
born = []
held = False
try:
    for i in range(100000):
        child = os.fork()
        if child == 0:
            time.sleep(600)
            os._exit(0)
        born.append(child)
except OSError:
    held = True
for child in born:
    os.kill(child, 9)
sys.exit(1 if held else 0)'
echo "done $count"
