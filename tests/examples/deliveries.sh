#!/usr/bin/env bash
# Startup scripts of examples/deliveries that the guide of survival does not run: code from repositories, which trains.
#
#   tests/examples/deliveries.sh repository|private
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

[ "$(id -u)" = 0 ] || skip "instances are containers with networks of their own: that needs root"
command -v git >/dev/null || skip "no git"
readonly BUCKET=deliveries-$$ ZONE=us-central1-a
readonly SCRIPTS=$FW_TREE/examples/deliveries

compute() { fireweed compute "$@" --zone $ZONE; }
console_of() { compute instances get-serial-port-output "$1" 2>/dev/null; }
said() { console_of "$1" >"$FW_SCRATCH/console" && grep -F -- "$2" "$FW_SCRATCH/console" >"$FW_SCRATCH/line"; }
status_is() { [ "$(compute instances describe "$1" --format 'value(status)')" = "$2" ]; }
on_failure() { for name in maker trainer forge; do console_of $name | tail -30 | sed "s/^/    $name | /"; done; }

make() { # NAME SCRIPT METADATA [FLAG...]
  local name=$1 script=$2 metadata=$3
  shift 3
  compute instances create "$name" --scopes cloud-platform "$@" --metadata "$metadata" \
    --metadata-from-file "startup-script=$SCRIPTS/$script" >"$FW_SCRATCH/created" 2>&1 || fail "$(cat "$FW_SCRATCH/created")"
}

# trains SCRIPT METADATA [FLAG...]: to the end, and the machine is off then.
trains() {
  local script=$1 metadata=$2
  shift 2
  make trainer "$script" "trainerFlags=--job-dir gs://$BUCKET/job --data-dir gs://$BUCKET/census --train-steps 30,$metadata" "$@"
  wait_until 180 "the trainer has powered its machine off" status_is trainer TERMINATED
  said trainer 'done at step 30' || fail "it did not train"
  fireweed storage cat "gs://$BUCKET/job/score.json" | jq -e '.step == 30' >"$FW_SCRATCH/score"
}

commit() { # the package as a repository in $FW_SCRATCH/code
  cp -r "$FW_TREE/examples/survival" "$FW_SCRATCH/code"
  git -C "$FW_SCRATCH/code" init -q
  git -C "$FW_SCRATCH/code" add .
  git -C "$FW_SCRATCH/code" -c user.name=ann -c user.email=ann@example.com commit -q -m 'Train'
}

case_repository() {
  commit
  fireweed source repos create code
  equal code "$(fireweed source repos list --format 'value(name.scope(repos))')" "the repositories there are"
  git -C "$FW_SCRATCH/code" push -q "$(fireweed source repos describe code --format 'value(url)')" HEAD:master
  (cd "$FW_SCRATCH" && fireweed source repos clone code cloned 2>/dev/null)
  cmp "$FW_SCRATCH/code/run.sh" "$FW_SCRATCH/cloned/run.sh"
  trains repository.sh trainerRepo=code
  fireweed source repos delete code --quiet
  refuses fireweed source repos describe code
}

# A machine that serves the package to whoever knows the password.
start_forge() {
  commit
  git clone -q --bare "$FW_SCRATCH/code" "$FW_SCRATCH/bare/code.git"
  git -C "$FW_SCRATCH/bare/code.git" update-server-info
  cp "$FW_TREE/tests/examples/git_server.py" "$FW_SCRATCH/bare/"
  tar -C "$FW_SCRATCH/bare" -czf "$FW_SCRATCH/forge.tar.gz" .
  fireweed storage cp "$FW_SCRATCH/forge.tar.gz" "gs://$BUCKET/forge.tar.gz" >/dev/null 2>&1
  printf '%s\n' '#!/bin/bash' 'mkdir /srv/git && cd /srv/git' "gsutil -q cp gs://$BUCKET/forge.tar.gz - | tar -xz" \
    'exec python3 git_server.py /srv/git 8080 ann:rose' >"$FW_SCRATCH/forge.sh"
  compute instances create forge --scopes cloud-platform --metadata-from-file "startup-script=$FW_SCRATCH/forge.sh" >/dev/null 2>&1
  wait_until 120 "the forge serves" said forge serving
}

case_private() {
  start_forge
  # Without the secret nobody gets in.
  make maker git.sh gitUrl=http://forge:8080/code.git
  wait_until 120 "git is asked for a password" said maker 'could not read Username'
  printf 'username=ann\npassword=rose\n' >"$FW_SCRATCH/secret"
  fireweed storage cp "$FW_SCRATCH/secret" "gs://$BUCKET/secrets/forge" >/dev/null 2>&1
  trains git.sh "gitUrl=http://forge:8080/code.git,gitSecret=gs://$BUCKET/secrets/forge"
  if said trainer rose; then fail "the password is on the console"; fi
}

declare -F "case_${1:-}" >/dev/null || fail "usage: ${0##*/} repository|private"
clean_environment
start_daemon
use_daemon
fireweed data make census --to "$FW_SCRATCH/census" >/dev/null
fireweed storage buckets create "gs://$BUCKET" >/dev/null 2>&1
fireweed storage cp "$FW_SCRATCH/census/adult.data" "$FW_SCRATCH/census/adult.test" "gs://$BUCKET/census/" >/dev/null 2>&1
"case_$1"
say "$1 ok"
