#!/usr/bin/env bash
# Tuning jobs: trials with arguments and directories of their own, figures from the hypertune file and from event files
# on gs://, the best trial first. Submitted by gcloud where it is installed, and by our own commands.
#
#   tests/compat/ml_tuning.sh hypertune|events|failing|stopping|killed
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

[ "$(id -u)" = 0 ] || skip "replicas are containers with networks of their own: that needs root"

readonly REGION=us-central1
BUCKET=ml-tuning-$$

api() { # METHOD PATH
  signed_curl -sS -X "$1" "https://ml.googleapis.com/v1/projects/$GOOGLE_CLOUD_PROJECT/$2"
}
field() { api GET "jobs/$1" | jq -r "$2 // empty"; }
ended() { [ -n "$(field "$1" .endTime)" ]; }

on_failure() {
  local job
  for job in $(api GET jobs | jq -r '.jobs[]?.jobId'); do
    api GET "jobs/$job" | jq -c '{jobId, state, errorMessage, trainingOutput, timeline}'
    fireweed logging read "resource.labels.job_id=\"$job\"" --order=asc --limit=60 \
      --format='value(resource.labels.task_name,textPayload,jsonPayload.message)'
  done
}

ai() {
  if command -v gcloud >/dev/null; then
    gcloud --quiet ai-platform "$@"
  else
    fireweed ai-platform "$@"
  fi
}

# A package whose trainer is what stands on standard input, and a search for x in 1, 2, 3.
make_trainer() { # DIRECTORY [MORE-YAML]
  mkdir -p "$1/trainer"
  touch "$1/trainer/__init__.py"
  cat >"$1/trainer/task.py"
  cat >"$1/tuning.yaml" <<YAML
trainingInput:
  scaleTier: CUSTOM
  masterType: n1-standard-1
  hyperparameters:
    goal: MAXIMIZE
    hyperparameterMetricTag: score
    algorithm: GRID_SEARCH
    maxTrials: 3
    maxParallelTrials: 2
${2:-}
    params:
    - parameterName: x
      type: INTEGER
      minValue: 1
      maxValue: 3
YAML
}

# The trials of a job, in the order they are listed: number, x, value.
trials_of() {
  field "$1" '.trainingOutput.trials[] | [.trialId, .hyperparameters.x, (.finalMetric.objectiveValue | tostring), .state] | join(" ")'
}

no_folders() { [ -z "$(find "$FIREWEED_STATE/trials" -mindepth 1 -maxdepth 1)" ]; }

case_hypertune() {
  make_trainer "$FW_SCRATCH/code" <<'PYTHON'
import argparse, json, os, time
parser = argparse.ArgumentParser()
parser.add_argument("--job-dir")
parser.add_argument("--x", type=int)
args = parser.parse_args()
trial = json.loads(os.environ["TF_CONFIG"])["task"]["trial"]
assert trial == os.environ["CLOUD_ML_TRIAL_ID"], trial
print("trial", trial, "x", args.x, "in", args.job_dir)
with open(os.environ["CLOUD_ML_HP_METRIC_FILE"], "w") as out:
    for step in (1, 2):
        report = {"score": str(-(args.x - 2) ** 2 + step / 10), "global_step": str(step), "timestamp": time.time(),
                  "trial": trial, "checkpoint_path": ""}
        out.write(json.dumps(report, sort_keys=True) + "\n")
PYTHON
  (cd "$FW_SCRATCH/code" && ai jobs submit training tuned --package-path trainer --module-name trainer.task \
    --config tuning.yaml --staging-bucket "gs://$BUCKET" --job-dir "gs://$BUCKET/tuned" --region $REGION) \
    >"$FW_SCRATCH/submit" 2>&1 || fail "submit: $(cat "$FW_SCRATCH/submit")"
  fireweed ai-platform jobs stream-logs tuned >"$FW_SCRATCH/stream" 2>&1 || fail "stream-logs: $(cat "$FW_SCRATCH/stream")"
  equal SUCCEEDED "$(field tuned .state)" "state: $(field tuned .errorMessage)"
  grep -qE "[[:space:]]2[[:space:]]trial 2 x 2 in gs://$BUCKET/tuned/2\$" "$FW_SCRATCH/stream" ||
    fail "no line of the second trial: $(cat "$FW_SCRATCH/stream")"
  equal "2 2 0.2 SUCCEEDED
1 1 -0.8 SUCCEEDED
3 3 -0.8 SUCCEEDED" "$(trials_of tuned)" "trials, the best first"
  equal "3 true score" "$(field tuned '.trainingOutput | "\(.completedTrialCount) \(.isHyperparameterTuningJob) \(.hyperparameterMetricTag)"')" \
    "the job's output"
  equal "1 2" "$(field tuned '.trainingOutput.trials[0].allMetrics | map(.trainingStep) | join(" ")')" "all metrics"
  fireweed ai-platform jobs describe tuned --summarize >"$FW_SCRATCH/summary" 2>/dev/null
  grep -qE '^2 +0\.2 +2 +SUCCEEDED +x=2' "$FW_SCRATCH/summary" || fail "summary: $(cat "$FW_SCRATCH/summary")"
  wait_until 60 "the directories of trials that have ended are gone" no_folders
}

# Event files as TensorFlow writes them to gs://: the whole object anew with every flush.
event_trainer() {
  cat <<'PYTHON'
import argparse, json, struct, time, urllib.request
parser = argparse.ArgumentParser()
parser.add_argument("--job-dir")
parser.add_argument("--x", type=int)
args = parser.parse_args()

table = []
for n in range(256):
    for _ in range(8):
        n = n >> 1 ^ 0x82F63B78 if n & 1 else n >> 1
    table.append(n)

def masked(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)

def record(data):
    size = struct.pack("<Q", len(data))
    return size + masked(size) + data + masked(data)

def event(step, value):
    scalar = b"\x0a\x05score\x15" + struct.pack("<f", value)
    summary = b"\x0a" + bytes([len(scalar)]) + scalar
    return b"\x09" + struct.pack("<d", time.time()) + b"\x10" + bytes([step]) + b"\x2a" + bytes([len(summary)]) + summary

def get(url, headers, data=None):
    return urllib.request.urlopen(urllib.request.Request(url, data, headers)).read()

token = json.loads(get("http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token",
                       {"Metadata-Flavor": "Google"}))["access_token"]
bucket, directory = args.job_dir[len("gs://"):].split("/", 1)
name = urllib.request.quote(directory + "/eval/events.out.tfevents.1.host", safe="")
written = b""
for step in (1, 2):
    written += record(event(step, args.x + step / 4))
    get("https://storage.googleapis.com/upload/storage/v1/b/%s/o?uploadType=media&name=%s" % (bucket, name),
        {"Authorization": "Bearer " + token, "Content-Type": "application/octet-stream"}, written)
PYTHON
}

case_events() {
  event_trainer | make_trainer "$FW_SCRATCH/code" "    enableTrialEarlyStopping: true"
  (cd "$FW_SCRATCH/code" && fireweed ml-engine jobs submit training events --package-path trainer --module-name trainer.task \
    --config tuning.yaml --job-dir "gs://$BUCKET/events" --stream-logs) >"$FW_SCRATCH/submit" 2>&1 ||
    fail "submit: $(cat "$FW_SCRATCH/submit")"
  equal "3 3 3.5 SUCCEEDED
2 2 2.5 SUCCEEDED
1 1 1.5 SUCCEEDED" "$(trials_of events)" "trials, the best first"
  # The same search once more, after the first: nothing is left to try.
  sed -i "s/    maxTrials: 3/    maxTrials: 3\\n    resumePreviousJobId: events/" "$FW_SCRATCH/code/tuning.yaml"
  (cd "$FW_SCRATCH/code" && fireweed ai-platform jobs submit training again --package-path trainer --module-name trainer.task \
    --config tuning.yaml --job-dir "gs://$BUCKET/again" --stream-logs) >"$FW_SCRATCH/submit" 2>&1 ||
    fail "resume: $(cat "$FW_SCRATCH/submit")"
  equal "" "$(trials_of again 2>/dev/null)" "trials of a grid that was used up"
}

case_failing() {
  make_trainer "$FW_SCRATCH/code" <<'PYTHON'
import sys
sys.exit("this trial is no good")
PYTHON
  if (cd "$FW_SCRATCH/code" && fireweed ai-platform jobs submit training hopeless --package-path trainer \
    --module-name trainer.task --config tuning.yaml --staging-bucket "gs://$BUCKET" --stream-logs) >"$FW_SCRATCH/submit" 2>&1; then
    fail "a job that failed must end in a failure: $(cat "$FW_SCRATCH/submit")"
  fi
  equal FAILED "$(field hopeless .state)" "state"
  field hopeless .errorMessage >"$FW_SCRATCH/message"
  grep -qE "^Hyperparameter Tuning Trial #[12] Failed before any other successful trials were completed" "$FW_SCRATCH/message" ||
    fail "$(cat "$FW_SCRATCH/message")"
  grep -qF "this trial is no good" "$FW_SCRATCH/message" || fail "the trainer's own words are missing: $(cat "$FW_SCRATCH/message")"
  # What cannot be searched is refused before anything runs.
  sed -i "s/minValue: 1/minValue: 9/" "$FW_SCRATCH/code/tuning.yaml"
  refuses fireweed ai-platform jobs submit training never --module-name trainer.task --packages "gs://$BUCKET/none.tar.gz" \
    --config "$FW_SCRATCH/code/tuning.yaml"
  grep -qF "max_value" "$FW_SCRATCH/refused" || fail "$(cat "$FW_SCRATCH/refused")"
}

# Three trials go well; the fourth says that it does not and then never ends by itself.
case_stopping() {
  make_trainer "$FW_SCRATCH/code" "    enableTrialEarlyStopping: true" <<'PYTHON'
import argparse, json, os, threading
parser = argparse.ArgumentParser()
parser.add_argument("--job-dir")
parser.add_argument("--x", type=int)
args = parser.parse_args()
with open(os.environ["CLOUD_ML_HP_METRIC_FILE"], "w") as out:
    for step in range(1, 6):
        score = 0.001 if args.x == 4 else args.x * step
        out.write(json.dumps({"score": str(score), "global_step": str(step)}) + "\n")
if args.x == 4:
    print("the fourth waits to be stopped", flush=True)
    threading.Event().wait()
PYTHON
  # One after the other: there is no median before others have finished.
  sed -i "s/maxParallelTrials: 2/maxParallelTrials: 1/; s/maxTrials: 3/maxTrials: 4/; s/maxValue: 3/maxValue: 4/" "$FW_SCRATCH/code/tuning.yaml"
  (cd "$FW_SCRATCH/code" && fireweed ai-platform jobs submit training stopping --package-path trainer --module-name trainer.task \
    --config tuning.yaml --staging-bucket "gs://$BUCKET" --job-dir "gs://$BUCKET/stopping" --stream-logs) \
    >"$FW_SCRATCH/submit" 2>&1 || fail "submit: $(cat "$FW_SCRATCH/submit")"
  equal SUCCEEDED "$(field stopping .state)" "state: $(field stopping .errorMessage)"
  equal "4" "$(field stopping '.trainingOutput.trials[] | select(.isTrialStoppedEarly) | .trialId')" "the trial that was stopped"
  equal "3 3 15 SUCCEEDED" "$(trials_of stopping | head -1)" "the best trial"
}

waiting_trials() { # JOB COUNT: so many trials wait for their word
  fireweed logging read "resource.labels.job_id=\"$1\" AND \"waits for its word\"" \
    --format='value(resource.labels.trial_id)' >"$FW_SCRATCH/waiting" 2>/dev/null
  [ "$(wc -l <"$FW_SCRATCH/waiting")" -eq "$2" ]
}

# The daemon is killed under two running trials: they go on, their figures count, and nothing is run twice.
case_killed() {
  make_trainer "$FW_SCRATCH/code" <<'PYTHON'
import argparse, json, os, time, urllib.error, urllib.request
parser = argparse.ArgumentParser()
parser.add_argument("--job-dir")
parser.add_argument("--x", type=int)
args = parser.parse_args()
def report(step):
    with open(os.environ["CLOUD_ML_HP_METRIC_FILE"], "a") as out:
        out.write(json.dumps({"score": str(args.x + step), "global_step": str(step)}) + "\n")
report(1)
print("trial", os.environ["CLOUD_ML_TRIAL_ID"], "waits for its word", flush=True)
bucket = args.job_dir[len("gs://"):].split("/")[0]
def ask(url, headers):
    return urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10).read()
deadline = time.monotonic() + 240
while time.monotonic() < deadline:
    try:
        token = json.loads(ask("http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token",
                               {"Metadata-Flavor": "Google"}))["access_token"]
        ask("https://storage.googleapis.com/storage/v1/b/%s/o/go" % bucket, {"Authorization": "Bearer " + token})
        break
    except (urllib.error.URLError, OSError):
        time.sleep(0.1)
else:
    raise SystemExit("the word never came")
report(2)
PYTHON
  (cd "$FW_SCRATCH/code" && fireweed ai-platform jobs submit training killed --package-path trainer --module-name trainer.task \
    --config tuning.yaml --staging-bucket "gs://$BUCKET" --job-dir "gs://$BUCKET/killed") \
    >"$FW_SCRATCH/submit" 2>&1 || fail "submit: $(cat "$FW_SCRATCH/submit")"
  wait_until 240 "two trials wait" waiting_trials killed 2
  kill -9 "$(jq -r .pid "$FIREWEED_STATE/endpoint.json")"
  start_daemon
  equal RUNNING "$(field killed .state)" "a tuning job after kill -9"
  signed_curl -sS --fail-with-body -o "$FW_SCRATCH/go" --data-binary go -H 'Content-Type: text/plain' \
    "https://storage.googleapis.com/upload/storage/v1/b/$BUCKET/o?uploadType=media&name=go"
  wait_until 240 "the job has ended" ended killed
  equal SUCCEEDED "$(field killed .state)" "state: $(field killed .errorMessage)"
  equal "3 3 5 SUCCEEDED
2 2 4 SUCCEEDED
1 1 3 SUCCEEDED" "$(trials_of killed)" "trials, the best first"
  wait_until 60 "each trial has waited once" waiting_trials killed 3
  wait_until 60 "the directories of trials that have ended are gone" no_folders
}

clean_environment
start_daemon
use_daemon
signed_curl -sS --fail-with-body -o "$FW_SCRATCH/bucket" -H 'Content-Type: application/json' -d "{\"name\":\"$BUCKET\"}" \
  "https://storage.googleapis.com/storage/v1/b?project=$GOOGLE_CLOUD_PROJECT"
"case_$1"
say "ml_tuning $1: ok"
