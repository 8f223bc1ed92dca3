#!/usr/bin/env bash
# Training jobs as people submit them: by gcloud where it is installed, else by our own commands, which take the same words.
#
#   tests/compat/ml_jobs.sh package|distributed|failing|cancelled|container|local
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

[ "$(id -u)" = 0 ] || skip "replicas are containers with networks of their own: that needs root"

readonly REGION=us-central1
BUCKET=ml-jobs-$$

# Polling goes by curl: gcloud needs seconds to start.
api() { # METHOD PATH [BODY]
  signed_curl -sS -X "$1" -H 'Content-Type: application/json' ${3:+-d "$3"} \
    "https://ml.googleapis.com/v1/projects/$GOOGLE_CLOUD_PROJECT/$2"
}
field() { api GET "jobs/$1" | jq -r "$2 // empty"; }
state_is() { [ "$(field "$1" .state)" = "$2" ]; }
ended() { [ -n "$(field "$1" .endTime)" ]; }
await_end() { wait_until 240 "job $1 has ended" ended "$1"; }

ai() {
  if command -v gcloud >/dev/null; then
    CLOUDSDK_ML_ENGINE_POLLING_INTERVAL=${POLLING_INTERVAL:-6} gcloud --quiet ai-platform "$@"
  else
    fireweed ai-platform "$@"
  fi
}

lines_of() { # JOB [TASK]: what was logged, oldest first
  jq -n --arg f "resource.labels.job_id=\"$1\"${2:+ AND resource.labels.task_name=\"$2\"}" \
    --arg p "projects/$GOOGLE_CLOUD_PROJECT" '{resourceNames: [$p], orderBy: "timestamp asc", pageSize: 1000, filter: $f}' |
    signed_curl -sS -H 'Content-Type: application/json' -d @- https://logging.googleapis.com/v2/entries:list |
    jq -r '.entries[]? | .textPayload // .jsonPayload.message'
}
said() { # JOB TEXT [TASK]
  lines_of "$1" "${3:-}" >"$FW_SCRATCH/lines.$1"
  grep -qF -- "$2" "$FW_SCRATCH/lines.$1"
}

on_failure() {
  local job
  for job in $(api GET jobs | jq -r '.jobs[]?.jobId'); do
    api GET "jobs/$job" | jq -c '{jobId, state, errorMessage, timeline}'
    lines_of "$job" | sed "s/^/    $job | /" | tail -40
  done
}

# A package whose trainer is what stands on standard input.
make_package() { # DIRECTORY
  mkdir -p "$1/trainer"
  touch "$1/trainer/__init__.py"
  cat >"$1/trainer/task.py"
  printf 'from setuptools import setup\nsetup(name="trainer", version="0.1", packages=["trainer"]%s)\n' "${2:-}" >"$1/setup.py"
}

submit() { # JOB DIRECTORY FLAG...
  local job=$1 directory=$2
  shift 2
  (cd "$directory" && ai jobs submit training "$job" --package-path trainer --module-name trainer.task \
    --staging-bucket "gs://$BUCKET" --region $REGION "$@") >"$FW_SCRATCH/submit.$job" 2>&1 || {
    cat "$FW_SCRATCH/submit.$job" >&2
    fail "submit $job"
  }
}

case_package() {
  make_package "$FW_SCRATCH/code" <<'PYTHON'
import argparse, json, os, time
parser = argparse.ArgumentParser()
parser.add_argument("--job-dir")
parser.add_argument("--epochs", type=int)
args = parser.parse_args()
config = json.loads(os.environ["TF_CONFIG"])
print("environment", config["environment"], "task", config["task"]["type"])
for epoch in range(args.epochs):
    print("epoch", epoch, "of", os.environ["CLOUD_ML_JOB_ID"], flush=True)
time.sleep(10)  # computes silently, as trainers do before their result
print("writes to", args.job_dir)
PYTHON
  POLLING_INTERVAL=2 submit census "$FW_SCRATCH/code" --job-dir "gs://$BUCKET/out" --labels team=vision --stream-logs -- --epochs 3
  grep -qF "epoch 2 of census" "$FW_SCRATCH/submit.census" || fail "the trainer's lines are not in the stream"
  local last
  for last in "writes to gs://$BUCKET/out" "Job completed successfully."; do
    grep -qF "$last" "$FW_SCRATCH/submit.census" || fail "the stream lacks one of the last lines: $last"
  done
  equal SUCCEEDED "$(field census .state)" "state of a good job"
  said census "environment cloud task" || fail "no line of the trainer's in the log"
  said census "writes to gs://$BUCKET/out" master-replica-0 || fail "lines are not by task"
  said census "Job completed successfully." service || fail "the service's own lines are missing"
  [ -n "$(field census .trainingOutput.consumedMLUnits)" ] || fail "no training units"
  [ "$(field census '.timeline | length')" -ge 4 ] || fail "no timeline"
  ai jobs list >"$FW_SCRATCH/list"
  grep -qF census "$FW_SCRATCH/list" || fail "the job is not listed"
  ai jobs describe census >"$FW_SCRATCH/describe" 2>&1
  grep -qF "state: SUCCEEDED" "$FW_SCRATCH/describe" || fail "describe does not show the state"
  ai jobs update census --update-labels stage=test >"$FW_SCRATCH/update" 2>&1
  equal test "$(field census .labels.stage)" "a label that was added"
  equal vision "$(field census .labels.team)" "a label that was there"
  refuses submit_again
  # Replicas are nobody's instances.
  equal "" "$(signed_curl -sS "https://compute.googleapis.com/compute/v1/projects/$GOOGLE_CLOUD_PROJECT/aggregated/instances" |
    jq -r '.items[]?.instances[]?.name')" "instances in the project's list"
}
submit_again() { api POST jobs '{"jobId":"census"}' | jq -e '.jobId'; }

# Everyone listens at its own address of TF_CONFIG; the master and the workers visit everybody else's.
distributed_trainer() {
  cat <<'PYTHON'
import json, os, socket, sys, threading, time
config = json.loads(os.environ["TF_CONFIG"])
task, cluster = config["task"], config["cluster"]
me = "%s-%d" % (task["type"], task["index"])
places = {"%s-%d" % (kind, i): place for kind, all in cluster.items() for i, place in enumerate(all)}
lead = next(name for name in places if name in ("master-0", "chief-0"))
host, port = places[me].rsplit(":", 1)
listener = socket.create_server(("", int(port)), backlog=64)
visitors = set()
def serve():
    while True:
        peer, _ = listener.accept()
        visitors.add(peer.makefile().readline().strip())
        peer.sendall((me + "\n").encode())
        peer.close()
threading.Thread(target=serve, daemon=True).start()
def visit(name, place, word=me):
    host, port = place.rsplit(":", 1)
    deadline = time.monotonic() + 120
    while True:
        try:
            with socket.create_connection((host, int(port)), timeout=10) as peer:
                peer.sendall((word + "\n").encode())
                answer = peer.makefile().readline().strip()
            if answer != name:
                sys.exit("%s answered as %r" % (name, answer))
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
for name, place in places.items():
    if name != me:
        visit(name, place)
print(me, "has met", len(places) - 1)
wanted = set(places) - {me}
if me == lead:
    # The job ends with its master: that waits until the others have nothing left to do.
    wanted |= {name + " is done" for name in wanted}
deadline = time.monotonic() + 120
while not wanted <= visitors:
    if time.monotonic() > deadline:
        sys.exit("never visited by %s" % sorted(wanted - visitors))
    time.sleep(0.05)
print(me, "was met by", len([v for v in visitors if v in places]), flush=True)
if me != lead:
    visit(lead, places[lead], me + " is done")
if task["type"] == "ps":
    threading.Event().wait()
PYTHON
}

case_distributed() {
  distributed_trainer | make_package "$FW_SCRATCH/code"
  cat >"$FW_SCRATCH/config.yaml" <<'YAML'
trainingInput:
  scaleTier: CUSTOM
  masterType: n1-standard-1
  workerType: n1-standard-1
  workerCount: 4
  parameterServerType: n1-standard-1
  parameterServerCount: 1
YAML
  submit spread "$FW_SCRATCH/code" --config "$FW_SCRATCH/config.yaml"
  await_end spread
  equal SUCCEEDED "$(field spread .state)" "a job of six replicas: $(field spread .errorMessage)"
  # Lines of replicas that were ended with the job may come in after its end.
  wait_until 60 "the master has met everybody" said spread "has met 5" master-replica-0
  wait_until 60 "everybody has met the parameter server" said spread "ps-0 was met by 5" ps-replica-0
  wait_until 60 "the last worker has met everybody" said spread "worker-3 has met 5" worker-replica-3
}

case_failing() {
  make_package "$FW_SCRATCH/broken" <<'PYTHON'
import sys
print("about to fail")
sys.exit("the data is not there")
PYTHON
  submit broken "$FW_SCRATCH/broken"
  await_end broken
  equal FAILED "$(field broken .state)" "state of a job that failed"
  field broken .errorMessage >"$FW_SCRATCH/message"
  grep -qF "The replica master 0 exited with a non-zero status of 1." "$FW_SCRATCH/message" || fail "$(cat "$FW_SCRATCH/message")"
  grep -qF "the data is not there" "$FW_SCRATCH/message" || fail "the last lines are missing: $(cat "$FW_SCRATCH/message")"

  # The known trap: a job directory is passed on, and the trainer does not know the flag.
  make_package "$FW_SCRATCH/trap" <<'PYTHON'
import argparse
argparse.ArgumentParser(prog="task").parse_args()
PYTHON
  submit trap "$FW_SCRATCH/trap" --job-dir "gs://$BUCKET/trap"
  await_end trap
  equal FAILED "$(field trap .state)" "a trainer without --job-dir"
  field trap .errorMessage >"$FW_SCRATCH/message"
  grep -qF "unrecognized arguments: --job-dir" "$FW_SCRATCH/message" || fail "$(cat "$FW_SCRATCH/message")"

  make_package "$FW_SCRATCH/unmet" ', install_requires=["fireweed-no-such-package"]' <<'PYTHON'
print("never runs")
PYTHON
  submit unmet "$FW_SCRATCH/unmet"
  await_end unmet
  equal FAILED "$(field unmet .state)" "a package whose dependency is not there"
  field unmet .errorMessage >"$FW_SCRATCH/message"
  grep -qF "fireweed-no-such-package" "$FW_SCRATCH/message" || fail "pip's own message is missing: $(cat "$FW_SCRATCH/message")"
}

case_cancelled() {
  make_package "$FW_SCRATCH/endless" <<'PYTHON'
import threading
print("waiting for ever", flush=True)
threading.Event().wait()
PYTHON
  submit endless "$FW_SCRATCH/endless"
  wait_until 240 "the trainer runs" said endless "waiting for ever"
  ai jobs cancel endless >"$FW_SCRATCH/cancel" 2>&1
  wait_until 120 "the job is cancelled" state_is endless CANCELLED
  # kill -9 of the daemon: the job goes on, and ends as if nothing had been.
  submit survivor "$FW_SCRATCH/endless"
  wait_until 240 "the trainer runs" said survivor "waiting for ever"
  kill -9 "$(jq -r .pid "$FIREWEED_STATE/endpoint.json")"
  start_daemon
  equal RUNNING "$(field survivor .state)" "a job after kill -9"
  ai jobs cancel survivor >"$FW_SCRATCH/cancel" 2>&1
  wait_until 120 "the job is cancelled" state_is survivor CANCELLED
}

image_ready() { fireweed compute images describe "$1" --format='value(status)' 2>/dev/null | grep -x READY >"$FW_SCRATCH/ready"; }

# blob LAYOUT FILE: adds a blob and says its digest.
blob() {
  local sum
  sum=$(sha256sum "$2" | cut -d' ' -f1)
  mkdir -p "$1/blobs/sha256"
  cp "$2" "$1/blobs/sha256/$sum"
  printf 'sha256:%s' "$sum"
}

# An OCI layout says itself what to run: its entrypoint, in its directory, with its variables and the job's arguments.
boxed_by_its_entrypoint() {
  local layout=$FW_SCRATCH/layout layer config manifest
  cat >"$1/trainer/told" <<'PROGRAM'
#!/bin/sh
echo "$CLOUD_ML_JOB_ID in $(pwd), $MODE: $*"
PROGRAM
  chmod +x "$1/trainer/told"
  tar -C "$1" -czf "$FW_SCRATCH/layer" .
  layer=$(blob "$layout" "$FW_SCRATCH/layer")
  printf '{"config":{"Entrypoint":["told","first"],"Cmd":["by itself"],"Env":["PATH=/trainer:/bin","MODE=quick"],"WorkingDir":"/trainer"}}' \
    >"$FW_SCRATCH/blob"
  config=$(blob "$layout" "$FW_SCRATCH/blob")
  printf '{"schemaVersion":2,"config":{"digest":"%s"},"layers":[{"digest":"%s"}]}' "$config" "$layer" >"$FW_SCRATCH/blob"
  manifest=$(blob "$layout" "$FW_SCRATCH/blob")
  printf '{"imageLayoutVersion":"1.0.0"}' >"$layout/oci-layout"
  printf '{"schemaVersion":2,"manifests":[{"digest":"%s"}]}' "$manifest" >"$layout/index.json"
  tar -C "$layout" -cf "$FW_SCRATCH/layout.tar" .
  signed_curl -sS --fail-with-body -o "$FW_SCRATCH/put" --data-binary "@$FW_SCRATCH/layout.tar" -H 'Content-Type: application/x-tar' \
    "https://storage.googleapis.com/upload/storage/v1/b/$BUCKET/o?uploadType=media&name=layout.tar"
  fireweed compute images create told --source-uri "gs://$BUCKET/layout.tar" >"$FW_SCRATCH/image" 2>&1 ||
    fail "image: $(cat "$FW_SCRATCH/image")"
  wait_until 60 "the image is ready" image_ready told
  ai jobs submit training alone --region $REGION --master-image-uri "gcr.io/$GOOGLE_CLOUD_PROJECT/told" \
    --scale-tier custom --master-machine-type n1-standard-1 >"$FW_SCRATCH/submit.alone" 2>&1 || fail "submit: $(cat "$FW_SCRATCH/submit.alone")"
  ai jobs submit training given --region $REGION --master-image-uri "gcr.io/$GOOGLE_CLOUD_PROJECT/told" \
    --scale-tier custom --master-machine-type n1-standard-1 -- --epochs 3 >"$FW_SCRATCH/submit.given" 2>&1 ||
    fail "submit: $(cat "$FW_SCRATCH/submit.given")"
  await_end alone
  await_end given
  equal SUCCEEDED "$(field alone .state)" "a job in an image: $(field alone .errorMessage)"
  wait_until 60 "the entrypoint has spoken" said alone "alone in /trainer, quick: first by itself" master-replica-0
  wait_until 60 "the entrypoint has spoken" said given "given in /trainer, quick: first --epochs 3" master-replica-0
}

# An image instead of packages: a root of its own, registered as a compute image.
case_container() {
  local root=$FW_SCRATCH/root busybox
  busybox=$(command -v busybox) || skip "busybox (of busybox-static) is not installed"
  mkdir -p "$root/bin" "$root/etc" "$root/tmp" "$root/trainer"
  cp "$busybox" "$root/bin/busybox"
  ln -s busybox "$root/bin/sh"
  ln -s busybox "$root/bin/cat"
  printf 'a root of its own\n' >"$root/etc/issue"
  cat >"$root/trainer/run" <<'PROGRAM'
#!/bin/sh
echo "$CLOUD_ML_JOB_ID runs in $(cat /etc/issue) with $*"
PROGRAM
  chmod +x "$root/trainer/run"
  tar -C "$root" -czf "$FW_SCRATCH/root.tar.gz" .
  signed_curl -sS --fail-with-body -o "$FW_SCRATCH/put" --data-binary "@$FW_SCRATCH/root.tar.gz" -H 'Content-Type: application/gzip' \
    "https://storage.googleapis.com/upload/storage/v1/b/$BUCKET/o?uploadType=media&name=root.tar.gz"
  fireweed compute images create trainer-v2 --source-uri "gs://$BUCKET/root.tar.gz" >"$FW_SCRATCH/image" 2>&1 ||
    fail "image: $(cat "$FW_SCRATCH/image")"
  wait_until 60 "the image is ready" image_ready trainer-v2
  cat >"$FW_SCRATCH/container.yaml" <<YAML
trainingInput:
  scaleTier: CUSTOM
  masterType: n1-standard-1
  masterConfig:
    imageUri: gcr.io/$GOOGLE_CLOUD_PROJECT/trainer:v2
    containerCommand: [/trainer/run]
    containerArgs: [one]
YAML
  ai jobs submit training boxed --region $REGION --config "$FW_SCRATCH/container.yaml" --job-dir "gs://$BUCKET/boxed" -- --epochs 3 \
    >"$FW_SCRATCH/submit.boxed" 2>&1 || fail "submit: $(cat "$FW_SCRATCH/submit.boxed")"
  await_end boxed
  equal SUCCEEDED "$(field boxed .state)" "a job in an image: $(field boxed .errorMessage)"
  wait_until 60 "the trainer has spoken" said boxed \
    "boxed runs in a root of its own with one --epochs 3 --job-dir gs://$BUCKET/boxed" master-replica-0
  boxed_by_its_entrypoint "$root"
  # An image that is not registered is refused at once, with the fix.
  sed -i 's,/trainer:v2,/unheard-of:v1,' "$FW_SCRATCH/container.yaml"
  refuses ai jobs submit training nowhere --region $REGION --config "$FW_SCRATCH/container.yaml"
  grep -qF "unheard-of:v1' is not known here" "$FW_SCRATCH/refused" || fail "$(cat "$FW_SCRATCH/refused")"
}

# The trainer's own machine is this one: gcloud starts the processes itself, with the interpreter that `fireweed env` names.
case_local() {
  make_package "$FW_SCRATCH/code" <<'PYTHON'
import argparse, json, os, sys, time
parser = argparse.ArgumentParser()
parser.add_argument("--job-dir")
parser.add_argument("--epochs", type=int)
args = parser.parse_args()
config = json.loads(os.environ.get("TF_CONFIG") or "{}")
kind, index = config.get("task", {}).get("type", "alone"), config.get("task", {}).get("index", 0)
size = sum(len(all) for all in config.get("cluster", {}).values())
# In one piece: several write to one file.
sys.stdout.write("local %s %d of %d epochs %d in %s\n" % (kind, index, size, args.epochs, args.job_dir))
sys.stdout.flush()
os.makedirs(args.job_dir, exist_ok=True)
open("%s/%s-%d" % (args.job_dir, kind, index), "w").close()
# The run ends with its chief: that waits until everybody has spoken.
while kind in ("master", "chief") and len(os.listdir(args.job_dir)) < size:
    time.sleep(0.05)
PYTHON
  local run
  for run in gcloud fireweed; do
    command -v $run >"$FW_SCRATCH/which" || continue
    (cd "$FW_SCRATCH/code" && $run ai-platform local train --package-path trainer --module-name trainer.task \
      --job-dir "$FW_SCRATCH/out" -- --epochs 3) >"$FW_SCRATCH/local.$run" 2>&1 || fail "$run: $(cat "$FW_SCRATCH/local.$run")"
    grep -qE "local (alone|master|chief) 0 of [01] epochs 3 in $FW_SCRATCH/out" "$FW_SCRATCH/local.$run" ||
      fail "$run: $(cat "$FW_SCRATCH/local.$run")"
    (cd "$FW_SCRATCH/code" && $run ai-platform local train --package-path trainer --module-name trainer.task --distributed \
      --worker-count 2 --parameter-server-count 1 --job-dir "$FW_SCRATCH/out.$run" -- --epochs 3) \
      >"$FW_SCRATCH/local.$run" 2>&1 || fail "$run: $(cat "$FW_SCRATCH/local.$run")"
    for task in "worker 0" "worker 1" "ps 0"; do
      grep -qE "local $task of 4 epochs 3" "$FW_SCRATCH/local.$run" || fail "$run says nothing as $task: $(cat "$FW_SCRATCH/local.$run")"
    done
    refuses local_failing $run
    grep -qF "no such flag is known" "$FW_SCRATCH/refused" || fail "$run: $(cat "$FW_SCRATCH/refused")"
  done
}
local_failing() { # PROGRAM
  make_package "$FW_SCRATCH/bad" <<'PYTHON'
raise SystemExit("no such flag is known")
PYTHON
  (cd "$FW_SCRATCH/bad" && "$1" ai-platform local train --package-path trainer --module-name trainer.task)
}

clean_environment
start_daemon
use_daemon
signed_curl -sS --fail-with-body -o "$FW_SCRATCH/bucket" -H 'Content-Type: application/json' -d "{\"name\":\"$BUCKET\"}" \
  "https://storage.googleapis.com/storage/v1/b?project=$GOOGLE_CLOUD_PROJECT"
"case_$1"
say "ml_jobs $1: ok"
