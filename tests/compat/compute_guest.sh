#!/usr/bin/env bash
# What an instance sees and how people reach it, with the real gcloud: ssh, scp, the serial port, guest attributes, the
# metadata server's clients inside, source repositories from both sides.
#
#   tests/compat/compute_guest.sh ssh|metadata|scripts|services|source|web|disks
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source=tests/instances.sh
. "$(dirname "${BASH_SOURCE[0]}")/../instances.sh"

readonly PROJECT=compat-guest-1
on_failure() { serial_of "$PROJECT" t1 | tail -30 | sed 's/^/    | /'; }
gce() { gcloud --quiet compute "$@"; }
# A line of the serial port.
serial_says() { serial_of "$PROJECT" t1 >"$FW_SCRATCH/serial" && grep -e "$1" "$FW_SCRATCH/serial" >/dev/null; }
guest_attribute() { signed_curl -fsS "$(instances_url "$PROJECT")/t1/getGuestAttributes?queryPath=$1" 2>/dev/null; }

case_ssh() {
  gce instances create t1 --metadata enable-guest-attributes=TRUE >/dev/null
  wait_until 120 "the host keys are guest attributes" guest_attribute hostkeys/ >/dev/null
  # The key that gcloud makes counts at once. What ssh-keygen prints about it goes the same way as the command's output.
  gce ssh ann@t1 --command true >/dev/null 2>&1
  equal "ann 0" "$(gce ssh ann@t1 --command 'id -un; sudo id -u' 2>/dev/null | paste -sd' ')" \
    "who one is inside"
  local rc=0
  gce ssh ann@t1 --command 'exit 7' 2>/dev/null || rc=$?
  equal 7 "$rc" "the exit code of a command inside"
  grep -F 'compute.' "$HOME/.ssh/google_compute_known_hosts" >/dev/null || fail "no host key is remembered"
  gce ssh ann@t1 --command 'groups' 2>/dev/null | grep -w google-sudoers >/dev/null || fail "no sudo for ann"

  # The size of an n1-standard-1, in every way programs ask for it.
  local count="nproc; python3 -c 'import os; print(os.cpu_count())'; grep -c ^processor /proc/cpuinfo; free -m | sed -n 2p"
  equal "1 1 1 Mem: 3840" "$(gce ssh ann@t1 --command "$count" 2>/dev/null | paste -sd' ' | tr -s ' ' | cut -d' ' -f1-5)" \
    "what the instance sees of the host"

  head -c 300000 /dev/urandom >"$FW_SCRATCH/data"
  gce scp "$FW_SCRATCH/data" ann@t1:data 2>/dev/null
  gce scp ann@t1:data "$FW_SCRATCH/back" 2>/dev/null
  cmp "$FW_SCRATCH/data" "$FW_SCRATCH/back"

  # A key that is taken out of the metadata opens nothing any more.
  gce project-info remove-metadata --keys ssh-keys >/dev/null
  refuses ssh -q -i "$HOME/.ssh/google_compute_engine" -o BatchMode=yes -o StrictHostKeyChecking=no \
    -o UserKnownHostsFile=/dev/null "ann@$(address_of "$PROJECT" t1)" true
  # The instance's own keys count where the project's are shut out.
  gce instances add-metadata t1 --metadata block-project-ssh-keys=TRUE >/dev/null
  equal bob "$(gce ssh bob@t1 --command 'id -un' 2>/dev/null)" "a key of the instance"

  gce ssh bob@t1 --command 'echo first mark | sudo tee /dev/console >/dev/null' 2>/dev/null
  wait_until 30 "the mark is on the serial port" serial_says 'first mark'
  local next
  next=$(signed_curl -fsS "$(instances_url "$PROJECT")/t1/serialPort" | jq -r .next)
  gce ssh bob@t1 --command 'echo second mark | sudo tee /dev/console >/dev/null' 2>/dev/null
  wait_until 30 "the second mark is on the serial port" serial_says 'second mark'
  gce instances get-serial-port-output t1 --start "$next" >"$FW_SCRATCH/tail" 2>/dev/null
  grep -F 'second mark' "$FW_SCRATCH/tail" >/dev/null || fail "the second mark is not behind $next"
  if grep -F 'first mark' "$FW_SCRATCH/tail"; then fail "the first mark is before $next"; fi
  equal "" "$(gce instances get-serial-port-output t1 --port 2 2>/dev/null | tr -d '\n')" "the second port"

  # A restarted instance keeps its host keys and its accounts.
  gce ssh bob@t1 --command 'sudo reboot' 2>/dev/null || true
  wait_until 60 "it has rebooted" rebooted
  equal bob "$(gce ssh bob@t1 --command 'id -un' 2>/dev/null)" "in after a reboot, with the same host key"
}
rebooted() { [ "$(serial_of "$PROJECT" t1 | grep -c 'machine is up')" -ge 2 ]; }

write_metadata_script() {
  cat >"$FW_SCRATCH/startup.sh" <<'SCRIPT'
#!/bin/bash
# What Google's own library and tools make of the metadata server.
set -eux
api=http://metadata.google.internal/computeMetadata/v1
get() { curl -fsS -H 'Metadata-Flavor: Google' "$api/$1"; }
put() { curl -fsS -X PUT -H 'Metadata-Flavor: Google' --data "$2" "$api/instance/guest-attributes/$1"; }
[ "$(get instance/network-interfaces/0/mac)" = "$(cat /sys/class/net/eth0/address)" ]
[ "$(get instance/network-interfaces/0/gateway)" = "$(ip route | awk '/default/ {print $3}')" ]
[ "$(get instance/network-interfaces/0/ip)" = "$(hostname -I | awk '{print $1}')" ]
[ "$(get instance/hostname)" = "$(hostname -f)" ]
[ "$(get instance/hostname)" = "$(hostname).us-central1-a.c.$(get project/project-id).internal" ]
put test/email "$(gcloud config get-value account 2>/dev/null || get instance/service-accounts/default/email)"
put test/identity "$(get 'instance/service-accounts/default/identity?audience=https://example.com&format=full')"
# A change is told at once.
get 'instance/attributes/WORD?wait_for_change=true&timeout_sec=100' >/run/word &
put test/waiting yes
wait $!
put test/word "$(cat /run/word)"
SCRIPT
}

attribute_there() { guest_attribute "$1" >"$FW_SCRATCH/attribute"; }
attribute() { guest_attribute "$1" | jq -r '.queryValue.items[0].value'; }

case_metadata() {
  write_metadata_script
  gce instances create t1 --metadata enable-guest-attributes=TRUE,WORD=rose --scopes cloud-platform \
    --metadata-from-file "startup-script=$FW_SCRATCH/startup.sh" >/dev/null
  wait_until 120 "it waits for a change" attribute_there test/waiting
  gce instances add-metadata t1 --metadata WORD=lily >/dev/null
  wait_until 60 "the change has been told" attribute_there test/word
  equal lily "$(attribute test/word)" "the changed word"
  attribute test/email | grep -x '[0-9]*-compute@developer.gserviceaccount.com' >/dev/null || fail "no account inside"
  # Google's library verifies the identity token with the certificates that are published here.
  TOKEN=$(attribute test/identity) "$(python_clients)/bin/python" -W ignore - <<'PYTHON'
import os
import google.auth.transport.requests
import google.oauth2.id_token
claims = google.oauth2.id_token.verify_oauth2_token(
    os.environ['TOKEN'], google.auth.transport.requests.Request(), 'https://example.com')
machine = claims['google']['compute_engine']
assert machine['instance_name'] == 't1' and machine['project_id'] == 'compat-guest-1', claims
assert claims['email'].endswith('-compute@developer.gserviceaccount.com'), claims
PYTHON
  gce instances get-guest-attributes t1 --query-path test/ --format='value(key)' | grep -x word >/dev/null ||
    fail "gcloud shows no guest attributes"
}

# Scripts from buckets, at every boot and on the way down. The accounts of the metadata exist before them, and what they
# print on the notice is on the serial port.
case_scripts() {
  cat >"$FW_SCRATCH/up.sh" <<'SCRIPT'
#!/bin/bash
cd /home/eve && sudo -u eve sh -c 'echo "$(whoami) works in $(pwd)"'
trap 'seq 3000; echo CHECKPOINT 408; exit 0' TERM
echo up by the script in the bucket
tail -f /dev/null & wait
SCRIPT
  printf 'eve:%s\n' "$(cat "$FW_SCRATCH/key.pub")" >"$FW_SCRATCH/ssh-keys"
  printf 'echo down by the script in the bucket\n' >"$FW_SCRATCH/down.sh"
  gcloud storage buckets create gs://compat-guest-scripts 2>/dev/null
  gcloud storage cp "$FW_SCRATCH/up.sh" "$FW_SCRATCH/down.sh" gs://compat-guest-scripts/a/ 2>/dev/null
  gce instances create t1 --scopes storage-ro --preemptible --metadata-from-file "ssh-keys=$FW_SCRATCH/ssh-keys" --metadata \
    startup-script-url=gs://compat-guest-scripts/a/up.sh,shutdown-script-url=https://storage.googleapis.com/compat-guest-scripts/a/down.sh \
    >/dev/null
  wait_until 120 "the startup script has run" serial_says 'startup-script-url: up by the script in the bucket'
  gce instances stop t1 >/dev/null
  equal TERMINATED "$(status_of "$PROJECT" t1)" "its state after the stop"
  serial_says 'shutdown-script-url: down by the script in the bucket' || fail "the shutdown script did not run"
  serial_says 'startup-script-url: eve works in /home/eve' || fail "the account was created after the startup script"
  equal 1 "$(checkpoints)" "last lines of a stop on the serial port"
  gce instances start t1 >/dev/null
  wait_until 120 "the startup script has run again" ran_twice
  gce instances simulate-maintenance-event t1 >/dev/null 2>&1
  wait_until 60 "the instance is preempted" is_terminated
  equal 2 "$(checkpoints)" "last lines of a preemption on the serial port"
}
checkpoints() { gce instances get-serial-port-output t1 2>/dev/null | grep -c 'startup-script-url: CHECKPOINT 408'; }
is_terminated() { [ "$(status_of "$PROJECT" t1)" = TERMINATED ]; }
ran_twice() { [ "$(serial_of "$PROJECT" t1 | grep -c 'startup-script-url: up by')" -ge 2 ]; }

# A unit of a package starts when it is installed and at each boot. A local package: a registry is not needed.
case_services() {
  cat >"$FW_SCRATCH/startup.sh" <<'SCRIPT'
[ ! -e /lib/systemd/system/rose.service ] || exit 0
mkdir -p /root/rose/DEBIAN /root/rose/lib/systemd/system
cat >/root/rose/lib/systemd/system/rose.service <<'UNIT'
[Service]
ExecStart=/usr/bin/python3 -m http.server 8080 --directory /etc/ssh
User=nobody
[Install]
WantedBy=multi-user.target
UNIT
printf 'Package: rose\nVersion: 1\nArchitecture: all\nMaintainer: x <x@example.com>\nDescription: a rose\n' >/root/rose/DEBIAN/control
# As debhelper writes it.
cat >/root/rose/DEBIAN/postinst <<'POSTINST'
#!/bin/sh
set -e
deb-systemd-helper unmask rose.service >/dev/null || true
if deb-systemd-helper --quiet was-enabled rose.service; then deb-systemd-helper enable rose.service >/dev/null || true; fi
if [ -d /run/systemd/system ]; then systemctl --system daemon-reload >/dev/null || true; deb-systemd-invoke start rose.service; fi
POSTINST
chmod 755 /root/rose/DEBIAN/postinst
dpkg-deb -b /root/rose /root/rose.deb && dpkg -i /root/rose.deb && echo "rose is $(systemctl is-active rose), $(systemctl is-enabled rose)"
SCRIPT
  gce instances create t1 --metadata-from-file "startup-script=$FW_SCRATCH/startup.sh" >/dev/null
  wait_until 120 "the package has started its service" serial_says 'rose is active, enabled'
  wait_until 60 "the service answers" answers_8080
  gce instances stop t1 >/dev/null
  gce instances start t1 >/dev/null
  wait_until 60 "the service answers after a stop and start" answers_8080
}
answers_8080() { curl -fsS --noproxy '*' -o /dev/null "http://$(address_of "$PROJECT" t1):8080/" 2>/dev/null; }

# A web server at port 80 of every address, as people start them, beside the metadata server.
case_web() {
  cat >"$FW_SCRATCH/startup.sh" <<'SCRIPT'
mkdir /srv/web && cd /srv/web
python3 -m http.server 80 &
word() { curl -fsS -H 'Metadata-Flavor: Google' http://metadata.google.internal/computeMetadata/v1/instance/attributes/WORD; }
curl -fsS --retry 60 --retry-delay 1 --retry-connrefused -o /dev/null http://localhost/
word >index.html
SCRIPT
  gce instances create t1 t2 --metadata WORD=rose --metadata-from-file "startup-script=$FW_SCRATCH/startup.sh" >/dev/null
  local address
  address=$(address_of "$PROJECT" t1)
  wait_until 120 "the host reads the page" page_is rose curl -fsS --noproxy '*' "http://$address/index.html"
  gce ssh t2 --command true >/dev/null 2>&1
  wait_until 120 "a neighbour reads the page, by its name" page_is rose gce ssh t2 --command 'curl -fsS http://t1/index.html'
  equal rose "$(gce ssh t2 --command "curl -fsS -H 'Metadata-Flavor: Google' http://metadata/computeMetadata/v1/instance/attributes/WORD" 2>/dev/null)" \
    "what the metadata server says beside a web server"
}
page_is() {
  local wanted=$1
  shift
  [ "$("$@" 2>/dev/null)" = "$wanted" ]
}

# A data disk comes to a running instance, is told to it, is not taken from under a program, and goes.
case_disks() {
  cat >"$FW_SCRATCH/startup.sh" <<'SCRIPT'
api=http://metadata.google.internal/computeMetadata/v1/instance
get() { curl -fsS -H 'Metadata-Flavor: Google' "$api/$1"; }
put() { curl -fsS -X PUT -H 'Metadata-Flavor: Google' --data "$2" "$api/guest-attributes/$1"; }
get 'disks/?recursive=true&wait_for_change=true&timeout_sec=100' >/run/disks &
put test/waiting yes
wait $!
echo kept >/mnt/disks/work/note
put test/disks "$(cat /run/disks)"
SCRIPT
  gce disks create data --size 10 >/dev/null 2>&1
  gce instances create t1 --metadata enable-guest-attributes=TRUE --metadata-from-file "startup-script=$FW_SCRATCH/startup.sh" >/dev/null
  wait_until 120 "it waits for a change" attribute_there test/waiting
  gce instances attach-disk t1 --disk data --device-name work >/dev/null
  wait_until 60 "the disk has been told" attribute_there test/disks
  equal work "$(attribute test/disks | jq -r '.[1].deviceName')" "the disk in the metadata"
  equal "$(instances_url "$PROJECT" | sed 's/compute.googleapis.com/www.googleapis.com/')/t1" \
    "$(gce disks describe data --format='value(users)')" "who has the disk"
  refuses gce disks delete data

  gce ssh t1 --command true >/dev/null 2>&1
  gce ssh t1 --command 'tail -f /mnt/disks/work/note >/dev/null 2>&1 & echo $! >worker' 2>/dev/null
  refuses gce instances detach-disk t1 --disk data
  grep -F "is already being used by a program in" "$FW_SCRATCH/refused" >/dev/null || fail "$(cat "$FW_SCRATCH/refused")"
  gce ssh t1 --command 'xargs kill <worker' 2>/dev/null
  wait_until 60 "the disk is detached" gce instances detach-disk t1 --disk data >/dev/null 2>&1
  equal gone "$(gce ssh t1 --command 'test -e /mnt/disks/work || echo gone' 2>/dev/null)" "the disk that went"
  gce instances create t2 >/dev/null
  gce instances attach-disk t2 --disk data --mode ro >/dev/null
  gce ssh t2 --command true >/dev/null 2>&1
  equal kept "$(gce ssh t2 --command 'cat /mnt/disks/persistent-disk-1/note' 2>/dev/null)" "what the other instance wrote"
  refuses gce ssh t2 --command 'sudo touch /mnt/disks/persistent-disk-1/more'
  gce instances detach-disk t2 --device-name persistent-disk-1 >/dev/null
  gce disks delete data >/dev/null 2>&1
}

case_source() {
  command -v git >/dev/null || skip "no git"
  gcloud source repos create code 2>/dev/null
  gcloud source repos list --format='value(name)' | grep -x code >/dev/null || fail "the repository is not listed"
  equal "https://source.developers.google.com/p/$PROJECT/r/code" \
    "$(gcloud source repos describe code --format='value(url)')" "its address"
  cd "$FW_SCRATCH"
  gcloud source repos clone code 2>/dev/null
  cd code
  git config user.name test && git config user.email test@example.com
  printf 'print("from the repository")\n' >train.py
  head -c 2000000 /dev/urandom >data
  git add . && git commit -qm first
  git push -q origin HEAD:master
  # An instance clones it with nothing but its service account, works and pushes back.
  cat >"$FW_SCRATCH/startup.sh" <<SCRIPT
#!/bin/bash
cd /root
git clone https://source.developers.google.com/p/$PROJECT/r/code && cd code &&
  python3 train.py && python3 train.py >result &&
  git -c user.name=i -c user.email=i@x add result && git -c user.name=i -c user.email=i@x commit -qm result &&
  git push origin HEAD:master && echo pushed it
SCRIPT
  gce instances create t1 --scopes cloud-platform --metadata-from-file "startup-script=$FW_SCRATCH/startup.sh" >/dev/null
  wait_until 120 "the instance has pushed" serial_says 'pushed it'
  serial_says 'startup-script: from the repository' || fail "the code did not run"
  git pull -q origin master
  equal 'from the repository' "$(cat result)" "what came back"
  # Who does not say who he is gets asked, in the way that git understands.
  curl -sS -o "$FW_SCRATCH/body" -D "$FW_SCRATCH/head" --noproxy '*' \
    --connect-to "::$(jq -r .https "$FIREWEED_STATE/endpoint.json")" \
    "https://source.developers.google.com/p/$PROJECT/r/code/info/refs?service=git-upload-pack"
  grep -E '^HTTP/1.1 401' "$FW_SCRATCH/head" >/dev/null || fail "a stranger was not asked: $(cat "$FW_SCRATCH/head")"
  grep -i '^www-authenticate: basic' "$FW_SCRATCH/head" >/dev/null || fail "git would not understand: $(cat "$FW_SCRATCH/head")"
  gcloud --quiet source repos delete code 2>/dev/null
  refuses git fetch origin
  equal "" "$(gcloud source repos list --format='value(name)' 2>/dev/null)" "no repository is left"
}

declare -F "case_${1:-}" >/dev/null || { say "usage: $0 ssh|metadata|scripts|services|source|web|disks"; exit 2; }
command -v gcloud >/dev/null || skip "gcloud is not installed, and no package registry offers it"
clean_environment
require_instances
start_daemon
use_daemon
gcloud config set project $PROJECT 2>/dev/null
gcloud config set compute/zone $FW_ZONE 2>/dev/null
"case_$1"
say "$1 ok"
