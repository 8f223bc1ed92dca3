#!/usr/bin/env bash
# Packages and runtimes of training jobs: sets that are installed once, pins that a runtime meets with another version,
# dependencies that cannot be had, programs that are no Python; and a trainer of TensorFlow 1 on runtime 1.15, with data,
# checkpoints and export in gs://.
#
#   tests/compat/ml_runtimes.sh packages|tensorflow|clearing|serving
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

[ "$(id -u)" = 0 ] || skip "replicas are containers with networks of their own: that needs root"
readonly BUCKET=runtimes-test-$$

ml() { # METHOD PATH [BODY]
  signed_curl -sS -X "$1" -H 'Content-Type: application/json' ${3:+-d "$3"} \
    "https://ml.googleapis.com/v1/projects/$GOOGLE_CLOUD_PROJECT/$2"
}
put() { # FILE NAME
  signed_curl -fsS -X POST --data-binary "@$1" -H 'Content-Type: application/octet-stream' -o "$FW_SCRATCH/put" \
    "https://storage.googleapis.com/upload/storage/v1/b/$BUCKET/o?uploadType=media&name=$2"
}
submit() { # NAME INPUT: a job with that training input and what all have
  ml POST jobs "$(jq -n --arg name "$1" --argjson input "$2" \
    '{jobId: $name, trainingInput: ({region: "us-central1"} + $input)}')" >"$FW_SCRATCH/submitted"
  equal "$1" "$(jq -r '.jobId // .error.message' "$FW_SCRATCH/submitted")" "the job that was submitted"
}
state_of() { ml GET "jobs/$1" | jq -r .state; }
ended() { case $(state_of "$1") in SUCCEEDED | FAILED | CANCELLED) ;; *) return 1 ;; esac; }
await() { wait_until "${3:-180}" "job $1 has ended" ended "$1"; equal "$2" "$(state_of "$1")" "state of job $1: $(why "$1")"; }
why() { ml GET "jobs/$1" | jq -r '.errorMessage // ""'; }
lines() { # NAME: "SEVERITY task message" of every entry, oldest first
  signed_curl -sS -H 'Content-Type: application/json' -d "$(jq -n --arg project "projects/$GOOGLE_CLOUD_PROJECT" --arg name "$1" \
    '{resourceNames: [$project], orderBy: "timestamp asc", pageSize: 1000,
      filter: ("resource.type=\"ml_job\" AND resource.labels.job_id=\"" + $name + "\"")}')" \
    https://logging.googleapis.com/v2/entries:list |
    jq -r '.entries[]? | "\(.severity) \(.resource.labels.task_name) \(.textPayload // .jsonPayload.message)"'
}
said() { # NAME TEXT
  lines "$1" >"$FW_SCRATCH/lines.$1"
  grep -F -- "$2" "$FW_SCRATCH/lines.$1" >"$FW_SCRATCH/said" || fail "job $1 never said '$2': $(tail -n 20 "$FW_SCRATCH/lines.$1")"
}
environments() { find "$FIREWEED_STATE/environments" -mindepth 2 -maxdepth 2 -name ready | wc -l; }

# package NAME VERSION REQUIREMENTS SCRIPT: NAME-VERSION.tar.gz in the bucket, with trainer/task.py
package() {
  local folder=$FW_SCRATCH/src/$1-$2
  mkdir -p "$folder/trainer"
  printf 'from setuptools import setup\nsetup(name="%s", version="%s", packages=["trainer"], install_requires=%s)\n' \
    "$1" "$2" "$3" >"$folder/setup.py"
  : >"$folder/trainer/__init__.py"
  printf '%s\n' "$4" >"$folder/trainer/task.py"
  tar -C "$FW_SCRATCH/src" -czf "$FW_SCRATCH/$1-$2.tar.gz" "$1-$2"
  put "$FW_SCRATCH/$1-$2.tar.gz" "$1-$2.tar.gz"
}

on_failure() { for file in "$FW_SCRATCH"/lines.*; do [ ! -e "$file" ] || tail -n 30 "$file"; done; }

start() { # SETTINGS
  mkdir -p "$FIREWEED_STATE"
  printf '%s\n' "$1" >"$FIREWEED_STATE/config.yaml"
  start_daemon
  clean_environment
  use_daemon
  signed_curl -fsS -H 'Content-Type: application/json' -d "{\"name\": \"$BUCKET\"}" -o "$FW_SCRATCH/bucket" \
    "https://storage.googleapis.com/storage/v1/b?project=$GOOGLE_CLOUD_PROJECT"
}

case_packages() {
  start "ml: {runtimeDirectory: $FW_SCRATCH/runtimes, runtimes: [{versions: [light], requirements: [six==1.16.0]}]}"
  local module='"pythonModule": "trainer.task"'

  package plain 0.1 '[]' 'import sys; print("hello from", sys.prefix)'
  submit first "{$module, \"packageUris\": [\"gs://$BUCKET/plain-0.1.tar.gz\"]}"
  await first SUCCEEDED 300
  said first "hello from $FIREWEED_STATE/environments/packages-"
  # The same bytes under another name: the same environment.
  put "$FW_SCRATCH/plain-0.1.tar.gz" copy/plain-0.1.tar.gz
  submit second "{$module, \"packageUris\": [\"gs://$BUCKET/copy/plain-0.1.tar.gz\"]}"
  await second SUCCEEDED
  equal 1 "$(environments)" "environments after two jobs with the same package"

  package broken 0.1 '["fireweed-no-such-package==9.9"]' 'print("never")'
  submit broken "{$module, \"packageUris\": [\"gs://$BUCKET/broken-0.1.tar.gz\"]}"
  await broken FAILED 300
  case $(why broken) in *"No matching distribution found for fireweed-no-such-package==9.9"*) ;; *) fail "pip's words: $(why broken)" ;; esac

  package pinned 0.1 '["six==1.10.0"]' 'import six; print("six is", six.__version__)'
  submit pinned "{$module, \"runtimeVersion\": \"light\", \"packageUris\": [\"gs://$BUCKET/pinned-0.1.tar.gz\"]}"
  await pinned SUCCEEDED 300
  said pinned "six is 1.16.0"
  said pinned "pinned asks for six==1.10.0; runtime light provides six 1.16.0, which is used instead."
  submit strict "{$module, \"runtimeVersion\": \"light\", \"strict\": true, \"packageUris\": [\"gs://$BUCKET/pinned-0.1.tar.gz\"]}"
  await strict FAILED 300
  case $(why strict) in *"six==1.10.0"*strict*) ;; *) fail "the refusal: $(why strict)" ;; esac

  mkdir -p "$FW_SCRATCH/prog"
  cat >"$FW_SCRATCH/prog/run" <<'PROGRAM'
#!/bin/sh
echo "run as $0 with $1 and $(cat data)"
PROGRAM
  printf 'its data\n' >"$FW_SCRATCH/prog/data"
  chmod +x "$FW_SCRATCH/prog/run"
  tar -C "$FW_SCRATCH/prog" -czf "$FW_SCRATCH/prog.tar.gz" run data
  put "$FW_SCRATCH/prog.tar.gz" prog.tar.gz
  submit program "{\"command\": [\"./run\"], \"args\": [\"one\"], \"packageUris\": [\"gs://$BUCKET/prog.tar.gz\"]}"
  await program SUCCEEDED
  said program "run as ./run with one and its data"
}

# The framework is a gigabyte and a half: its runtime is kept where all daemons of this machine find it.
case_tensorflow() {
  start '{}'
  local i colors=(red green blue)
  for ((i = 0; i < 600; i++)); do
    printf '%s,%s.%s,%s\n' "${colors[i % 3]}" $((i % 7)) $((i % 10)) $((i % 3 == 0 ? 1 : 0))
  done >"$FW_SCRATCH/data.csv"
  put "$FW_SCRATCH/data.csv" data/train.csv
  mkdir -p "$FW_SCRATCH/src"
  cp -r "$FW_TREE/tests/compat/trainers/old_style" "$FW_SCRATCH/src/trainer-0.1"
  tar -C "$FW_SCRATCH/src" -czf "$FW_SCRATCH/trainer-0.1.tar.gz" trainer-0.1
  put "$FW_SCRATCH/trainer-0.1.tar.gz" trainer-0.1.tar.gz
  submit census "$(jq -n --arg bucket "gs://$BUCKET" '{pythonModule: "trainer.task", runtimeVersion: "1.15", pythonVersion: "2.7",
    packageUris: [$bucket + "/trainer-0.1.tar.gz"], jobDir: ($bucket + "/out"), args: ["--data", ($bucket + "/data/*.csv")],
    scaleTier: "CUSTOM", masterType: "n1-standard-1", workerType: "n1-standard-1", workerCount: "2",
    parameterServerType: "n1-standard-1", parameterServerCount: "1"}')"
  await census SUCCEEDED 1500
  said census "INFO master-replica-0 INFO:tensorflow:trainer is done"
  said census "worker-replica-1 INFO:tensorflow:task worker 1"
  said census "trainer asks for numpy==1.14.5; runtime 1.15 provides numpy 1.26.4, which is used instead."
  said census "Python 2.7 was asked for; Python 3.11 runs the trainer."
  signed_curl -fsS "https://storage.googleapis.com/storage/v1/b/$BUCKET/o?prefix=out/&maxResults=1000" |
    jq -r '.items[].name' >"$FW_SCRATCH/objects"
  grep -E '^out/export/census/[0-9]+/saved_model.pb$' "$FW_SCRATCH/objects" >"$FW_SCRATCH/said" || fail "no export: $(cat "$FW_SCRATCH/objects")"
  grep -F 'out/model.ckpt-' "$FW_SCRATCH/objects" >"$FW_SCRATCH/said" || fail "no checkpoints"
}

# As AI Platform's samples do: each of six replicas clears the job directory, in which its own package is staged.
case_clearing() {
  start '{}'
  mkdir -p "$FW_SCRATCH/src"
  cp -r "$FW_TREE/tests/compat/trainers/clearing" "$FW_SCRATCH/src/clearing-0.1"
  tar -C "$FW_SCRATCH/src" -czf "$FW_SCRATCH/clearing-0.1.tar.gz" clearing-0.1
  local version job i
  for version in 1.15 2.11; do
    job=clearing_${version/./_}
    put "$FW_SCRATCH/clearing-0.1.tar.gz" "$job/packages/clearing-0.1.tar.gz"
    for ((i = 0; i < 8; i++)); do put "$FW_SCRATCH/bucket" "$job/old/$i"; done
    submit "$job" "$(jq -n --arg bucket "gs://$BUCKET" --arg job "$job" --arg version "$version" '{pythonModule: "trainer.task",
      runtimeVersion: $version, packageUris: [$bucket + "/" + $job + "/packages/clearing-0.1.tar.gz"],
      jobDir: ($bucket + "/" + $job), args: ["--marks", ($bucket + "/marks/" + $job)],
      scaleTier: "CUSTOM", masterType: "n1-standard-1", workerType: "n1-standard-1", workerCount: "4",
      parameterServerType: "n1-standard-1", parameterServerCount: "1"}')"
    await "$job" SUCCEEDED 300
    said "$job" "Runtime $version is not available on this host with its own TensorFlow; TensorFlow 2.15.1 is used instead."
    said "$job" "worker-0 has cleared the job directory again"
    said "$job" "remaining ['model.ckpt-1']"
  done
}

# What a runtime's XGBoost wrote is served by the same XGBoost: its model.bst is in a form that newer ones do not read.
case_serving() {
  start '{}'
  package boost 0.1 '[]' 'import sys, xgboost
data = xgboost.DMatrix([[0.0, 1.0], [1.0, 1.0]] * 20, label=[0, 1] * 20)
xgboost.train({"objective": "reg:squarederror", "eta": 1, "lambda": 0}, data, 1).save_model("model.bst")
from google.cloud import storage
storage.Client().bucket(sys.argv[1]).blob("boost/model.bst").upload_from_filename("model.bst")'
  submit boost "{\"pythonModule\": \"trainer.task\", \"runtimeVersion\": \"2.8\", \"args\": [\"$BUCKET\"],
    \"packageUris\": [\"gs://$BUCKET/boost-0.1.tar.gz\"]}"
  await boost SUCCEEDED 1500
  ml POST models '{"name": "boost"}' >"$FW_SCRATCH/model"
  ml POST models/boost/versions "{\"name\": \"v1\", \"framework\": \"XGBOOST\", \"runtimeVersion\": \"2.8\",
    \"deploymentUri\": \"gs://$BUCKET/boost\"}" >"$FW_SCRATCH/version"
  wait_until 120 "the version is ready" version_ended boost/versions/v1
  equal READY "$(ml GET models/boost/versions/v1 | jq -r '.errorMessage // .state')" "the version's state"
  equal '{"predictions":[0,1]}' "$(ml POST models/boost:predict '{"instances": [[0.0, 1.0], [1.0, 1.0]]}' | jq -c .)" "predictions"
}
version_ended() { case $(ml GET "models/$1" | jq -r .state) in READY | FAILED) ;; *) return 1 ;; esac; }

case ${1:-} in
  packages | tensorflow | clearing | serving) "case_$1" ;;
  *) fail "usage: ml_runtimes.sh packages|tensorflow|clearing|serving" ;;
esac
say "ok: $1"
