#!/usr/bin/env bash
# Models as people use them: from a trained model to an authorised endpoint, and what happens to it under load.
#
#   tests/compat/ml_predict.sh walkthrough|tokens|switch|kill|restart|failures|batch|commands|pickles|tensorflow|scaling|local
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

readonly CASE=${1:?which case}
readonly HERE=$FW_TREE/tests/compat
readonly PROJECT=fireweed
readonly ROW='{"instances": [[0.0, 1.0], [1.0, 1.0]]}'
[ -x "$FIREWEED_BIN/fireweed-serve" ] || skip "no fireweed-serve in $FIREWEED_BIN"

address() { jq -r .http "$FIREWEED_STATE/endpoint.json"; }
ml() { curl -sS --max-time 120 -H "Authorization: Bearer $TOKEN" "$@"; }
models_url() { printf 'http://%s/v1/projects/%s/models' "$(address)" "$PROJECT"; }
predict() { ml -d "${2:-$ROW}" "$(models_url)/$1:predict"; }
state_of() { ml "$(models_url)/$1" | jq -r .state; }

# serving_pid MODEL: of the one serving process of this daemon. Other daemons of the host may serve a model of that name.
serving_pid() {
  local pid daemon
  daemon=$(jq -r .daemonId "$FIREWEED_STATE/endpoint.json")
  for pid in $(pgrep -f "fireweed-serve .*--model $1( |\$)"); do
    if grep -q "/fireweed-$daemon/" "/proc/$pid/cgroup" 2>/dev/null; then printf '%s\n' "$pid"; return; fi
  done
  return 1
}

begin() {
  clean_environment
  unset HTTPS_PROXY https_proxy HTTP_PROXY http_proxy ALL_PROXY all_proxy
  start_daemon
  TOKEN=$(fireweed tokens create)
  for model in one two; do
    fireweed storage buckets create "gs://$1-$model" >/dev/null 2>&1
    fireweed storage cp "$HERE/models/$model/model.json" "gs://$1-$model/model/model.json" >/dev/null 2>&1
  done
}

# make_version MODEL VERSION ORIGIN [MORE-FIELDS]: prints the operation.
make_version() {
  jq -n --arg name "$2" --arg uri "$3" --argjson more "${4:-{\}}" \
    '{name: $name, deploymentUri: $uri, framework: "XGBOOST", runtimeVersion: "2.8"} + $more' |
    ml -H 'Content-Type: application/json' -d @- "$(models_url)/$1/versions"
}
make_model() { ml -d "{\"name\": \"$1\"}" "$(models_url)" >/dev/null; }

walkthrough() {
  command -v gcloud >/dev/null || skip "no gcloud"
  begin walk
  use_daemon
  gcloud ai-platform models create census --regions us-central1 --quiet
  gcloud ai-platform versions create v1 --model census --origin gs://walk-one/model --runtime-version 2.8 \
    --framework xgboost --python-version 3.7 --region global --quiet
  printf '[0.0, 1.0]\n[1.0, 1.0]\n' >"$FW_SCRATCH/rows.json"
  equal '[-0.5, 1.5]' "$(gcloud ai-platform predict --model census --version v1 --json-instances "$FW_SCRATCH/rows.json" --region global)" \
    "a version's predictions"
  equal '[-0.5, 1.5]' "$(gcloud ai-platform predict --model census --json-instances "$FW_SCRATCH/rows.json" --region global)" \
    "the default version's predictions"
  gcloud ai-platform versions create v2 --model census --origin gs://walk-two/model --runtime-version 2.8 \
    --framework xgboost --python-version 3.7 --region global --quiet
  gcloud ai-platform versions set-default v2 --model census --region global --quiet >/dev/null
  equal '[10.0, 20.0]' "$(gcloud ai-platform predict --model census --json-instances "$FW_SCRATCH/rows.json" --region global)" \
    "the new default version's predictions"
  gcloud ai-platform versions list --model census --region global >"$FW_SCRATCH/versions"
  equal 2 "$(grep -c READY "$FW_SCRATCH/versions")" "versions that are ready"
  gcloud ai-platform versions delete v1 --model census --region global --quiet
  gcloud ai-platform versions delete v2 --model census --region global --quiet
  gcloud ai-platform models delete census --region global --quiet
  gcloud ai-platform models list --region global >"$FW_SCRATCH/models" 2>&1
  refuses grep census "$FW_SCRATCH/models"
}

tokens() {
  begin tokens
  make_model census
  make_version census v1 gs://tokens-one/model >/dev/null
  local url
  url=$(models_url)/census:predict
  equal '{"predictions":[-0.5,1.5]}' "$(predict census | jq -c .)" "predictions"
  equal 401 "$(curl -sS -o /dev/null -w '%{http_code}' -d "$ROW" "$url")" "without a token"
  equal 401 "$(curl -sS -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer ya29.wrong' -d "$ROW" "$url")" "with a wrong token"
  # A service account of another project is signed in and may nothing here.
  fireweed projects create foreign-one >/dev/null
  fireweed service-accounts create robot-one --project foreign-one >/dev/null
  local foreign
  foreign=$(fireweed tokens create --email robot-one@foreign-one.iam.gserviceaccount.com)
  equal 403 "$(curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $foreign" -d "$ROW" "$url")" "with a foreign token"
  # Until the model's own policy says so.
  ml -d '{"policy": {"bindings": [{"role": "roles/ml.modelUser",
    "members": ["serviceAccount:robot-one@foreign-one.iam.gserviceaccount.com"]}]}}' "$(models_url)/census:setIamPolicy" >/dev/null
  equal 200 "$(curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $foreign" -d "$ROW" "$url")" "after it was let in"
  equal 404 "$(ml -o /dev/null -w '%{http_code}' -d "$ROW" "$(models_url)/none:predict")" "a model that is not there"
  equal 400 "$(ml -o /dev/null -w '%{http_code}' -d "$ROW" "$(models_url)/census:explain")" "an explanation"
  make_model empty
  equal 400 "$(ml -o /dev/null -w '%{http_code}' -d "$ROW" "$(models_url)/empty:predict")" "a model without versions"
  head -c 1600000 /dev/zero | tr '\0' ' ' >"$FW_SCRATCH/large"
  equal 400 "$(ml -o "$FW_SCRATCH/answer" -w '%{http_code}' --data-binary "@$FW_SCRATCH/large" "$url")" "a large request"
  grep -F 'exceeds the limit: 1572864 bytes' "$FW_SCRATCH/answer" >/dev/null || fail "$(cat "$FW_SCRATCH/answer")"
  # The same model where clients of other servers look for it.
  equal '{"predictions":[-0.5,1.5]}' \
    "$(ml -d "$ROW" "http://$(address)/tfserving/$PROJECT/v1/models/census:predict" | jq -c .)" "at TensorFlow Serving's path"
  equal 401 "$(curl -sS -o /dev/null -w '%{http_code}' -d "$ROW" "http://$(address)/tfserving/$PROJECT/v1/models/census:predict")" \
    "the same without a token"
  ml "http://$(address)/metrics" >"$FW_SCRATCH/metrics"
  grep -F 'fireweed_predict_requests_total{version="fireweed/census/v1"}' "$FW_SCRATCH/metrics" >/dev/null ||
    fail "no metrics of the version"
  grep -E 'fireweed_predict_batch_rows_count\{version="fireweed/census/v1"\} [1-9]' "$FW_SCRATCH/metrics" >/dev/null ||
    fail "no batch sizes of the version"
  # What clients of the Open Inference Protocol ask first.
  local kserve
  kserve=http://$(address)/kserve/$PROJECT/v2
  equal true "$(curl -sS "$kserve/health/live" | jq .live)" "the server is alive"
  equal true "$(curl -sS "$kserve/health/ready" | jq .ready)" "the server is ready"
  equal fireweed "$(curl -sS "$kserve" | jq -r .name)" "the server's name"
  equal true "$(ml "$kserve/models/census/ready" | jq .ready)" "the model is ready"
  equal true "$(ml "$kserve/models/census/versions/v1/ready" | jq .ready)" "the version is ready"
  equal 401 "$(curl -sS -o /dev/null -w '%{http_code}' "$kserve/models/census/ready")" "a model's health without a token"
  equal '["v1"]' "$(ml "$kserve/models/census/versions/v1" | jq -c .versions)" "a model's metadata"
  equal AVAILABLE "$(ml "http://$(address)/tfserving/$PROJECT/v1/models/census/versions/v1" |
    jq -r '.model_version_status[0].state')" "a version's status"
  equal DT_FLOAT "$(ml "http://$(address)/tfserving/$PROJECT/v1/models/census/versions/v1/metadata" |
    jq -r '.metadata.signature_def.signature_def | to_entries[0].value.inputs | to_entries[0].value.dtype')" "a version's metadata"
  equal '[-0.5,1.5]' "$(ml -d '{"inputs": [{"name": "input", "shape": [2, 2], "datatype": "FP32", "data": [0, 1, 1, 1]}]}' \
    "$kserve/models/census/infer" | jq -c '.outputs[0].data')" "at the Open Inference Protocol's path"
  ml -H 'Inference-Header-Content-Length: 2' -d '{}1' "$kserve/models/census/infer" >"$FW_SCRATCH/answer"
  grep -F 'send the data as JSON' "$FW_SCRATCH/answer" >/dev/null || fail "$(cat "$FW_SCRATCH/answer")"
}

# load MODEL: asks until stop_load.
load() {
  : >"$FW_SCRATCH/load"
  rm -f "$FW_SCRATCH/stop"
  python3 "$HERE/predict_load.py" "$(address)" "/v1/projects/$PROJECT/models/$1:predict" "$TOKEN" "$ROW" "$FW_SCRATCH/stop" \
    >"$FW_SCRATCH/load" &
  LOAD=$!
  FW_CHILDREN+=("$LOAD")
  wait_until 60 "the load runs" grep running "$FW_SCRATCH/load" >/dev/null
}
stop_load() {
  touch "$FW_SCRATCH/stop"
  wait "$LOAD"
  cat "$FW_SCRATCH/load"
}
served() { [ "$(ml "http://$(address)/metrics" | sed -n "s/^fireweed_predict_requests_total{version=\"$PROJECT.$1\"} //p" | cut -d. -f1)" -ge "$2" ]; }
count_of() { sed -n "s/^\([0-9]*\) $1\$/\1/p" "$FW_SCRATCH/load"; }

switch() {
  begin switch
  make_model census
  make_version census v1 gs://switch-one/model >/dev/null
  make_version census v2 gs://switch-two/model >/dev/null
  load census
  wait_until 60 "some were served" served census.v1 200
  ml -X POST -d '{}' "$(models_url)/census/versions/v2:setDefault" >/dev/null
  wait_until 60 "some were served by the new one" served census.v2 200
  ml -X DELETE "$(models_url)/census/versions/v1" | jq -e .done >/dev/null || true
  wait_until 60 "more were served" served census.v2 600
  stop_load
  equal 0 "$(($(grep -c . "$FW_SCRATCH/load") - 4))" "kinds of answers besides 200 and the two predictions"
  [ "$(count_of 200)" -ge 800 ] || fail "too few answers"
}

kill_process() {
  begin kill
  make_model census
  make_version census v1 gs://kill-one/model '{"manualScaling": {"nodes": 1}}' >/dev/null
  load census
  wait_until 60 "some were served" served census.v1 200
  local pid
  pid=$(serving_pid census)
  kill -9 "$pid"
  wait_until 60 "more were served after the kill" served census.v1 800
  stop_load
  local lost
  lost=$(count_of 503)
  [ "${lost:-0}" -le 4 ] || fail "more were lost than were under way: $lost"
  equal READY "$(state_of census/versions/v1)" "the version's state"
  [ "$(serving_pid census)" != "$pid" ] || fail "the process was not killed"
}

restart() {
  begin again
  make_model census
  make_version census v1 gs://again-one/model '{"manualScaling": {"nodes": 1}}' >/dev/null
  predict census >/dev/null
  local pid
  pid=$(serving_pid census)
  kill -9 "$(jq -r .pid "$FIREWEED_STATE/endpoint.json")"
  start_daemon
  TOKEN=$(fireweed tokens create)
  equal '{"predictions":[-0.5,1.5]}' "$(predict census | jq -c .)" "predictions of a process that outlived the daemon"
  equal "$pid" "$(serving_pid census)" "the process after the restart"
}

failures() {
  begin bad
  make_model census
  make_version census v1 gs://bad-one/nothing >"$FW_SCRATCH/operation"
  grep -F 'There are no files in gs://bad-one/nothing' "$FW_SCRATCH/operation" >/dev/null || fail "$(cat "$FW_SCRATCH/operation")"
  equal FAILED "$(state_of census/versions/v1)" "a version without files"
  head -c 300 "$HERE/models/one/model.json" >"$FW_SCRATCH/model.json"
  fireweed storage cp "$FW_SCRATCH/model.json" gs://bad-one/cut/model.json >/dev/null 2>&1
  make_version census v2 gs://bad-one/cut >"$FW_SCRATCH/operation"
  equal FAILED "$(state_of census/versions/v2)" "a truncated model"
  [ -n "$(ml "$(models_url)/census/versions/v2" | jq -r '.errorMessage // empty')" ] || fail "no reason"
  equal 400 "$(ml -o /dev/null -w '%{http_code}' -d "$ROW" "$(models_url)/census/versions/v2:predict")" "asking a failed version"
  make_version census v3 gs://bad-one/model >/dev/null
  equal '{"predictions":[-0.5,1.5]}' "$(predict census/versions/v3 | jq -c .)" "a good one beside them"
}

job_state() { ml "http://$(address)/v1/projects/$PROJECT/jobs/$1" | jq -r .state; }
job_ended() { case $(job_state "$1") in SUCCEEDED | FAILED | CANCELLED) ;; *) return 1 ;; esac; }

batch() {
  begin batch
  make_model census
  make_version census v1 gs://batch-one/model >/dev/null
  printf '[0.0, 1.0]\n[1.0, 1.0]\nnot json\n' >"$FW_SCRATCH/a.json"
  printf '[1.0, 1.0]\n' >"$FW_SCRATCH/b.json"
  fireweed storage cp "$FW_SCRATCH/a.json" "$FW_SCRATCH/b.json" gs://batch-one/in/ >/dev/null 2>&1
  ml -d '{"jobId": "later", "predictionInput": {"modelName": "projects/'$PROJECT'/models/census", "dataFormat": "JSON",
    "inputPaths": ["gs://batch-one/in/*.json"], "outputPath": "gs://batch-one/out", "region": "us-central1"}}' \
    "http://$(address)/v1/projects/$PROJECT/jobs" >"$FW_SCRATCH/job"
  wait_until 120 "the job ended" job_ended later
  ml "http://$(address)/v1/projects/$PROJECT/jobs/later" >"$FW_SCRATCH/job"
  equal SUCCEEDED "$(jq -r .state "$FW_SCRATCH/job")" "the job's state: $(cat "$FW_SCRATCH/job")"
  equal 3 "$(jq -r .predictionOutput.predictionCount "$FW_SCRATCH/job")" "predictions"
  equal 1 "$(jq -r .predictionOutput.errorCount "$FW_SCRATCH/job")" "errors"
  equal '-0.5 1.5' "$(fireweed storage cat gs://batch-one/out/prediction.results-00000-of-00002 | paste -sd' ')" "results"
  # What a version logs of its requests is there after the daemon was stopped, however soon that was.
  make_version census v2 gs://batch-one/model \
    '{"requestLoggingConfig": {"samplingPercentage": 1, "outputUri": "gs://batch-two/log"}}' >/dev/null
  predict census/versions/v2 >/dev/null
  stop_daemon
  start_daemon
  fireweed storage cat 'gs://batch-two/log/census/v2/*.jsonl' >"$FW_SCRATCH/logged"
  equal '{"predictions":[-0.5,1.5]}' "$(jq -r .rawPrediction "$FW_SCRATCH/logged" | jq -c .)" "the logged answer"
}

commands() {
  begin own
  printf '[0.0, 1.0]\n[1.0, 1.0]\n' >"$FW_SCRATCH/rows.json"
  fireweed deploy "$HERE/models/one" --model census
  equal '[-0.5,1.5]' "$(fireweed predict --model census --json-instances "$FW_SCRATCH/rows.json")" "fireweed predict"
  fireweed ai-platform versions create second --model census --origin gs://own-two/model --framework xgboost
  fireweed ai-platform versions set-default second --model census >/dev/null
  equal '[10.0,20.0]' "$(fireweed ai-platform predict --model census --json-instances "$FW_SCRATCH/rows.json")" \
    "ai-platform predict"
  equal second "$(fireweed ai-platform models list --format='value(defaultVersion.name.basename())')" "models list"
  fireweed ai-platform versions delete v1 --model census
  fireweed ai-platform versions delete second --model census
  fireweed ai-platform models delete census
  equal '[-0.5,1.5]' "$(fireweed ai-platform local predict --model-dir "$HERE/models/one" --framework xgboost \
    --json-instances "$FW_SCRATCH/rows.json")" "local predict"
}

# settings KEY VALUE...: what the daemon that is started next serves with.
settings() {
  mkdir -p "$FIREWEED_STATE"
  printf 'serving:\n' >"$FIREWEED_STATE/config.yaml"
  while [ $# -gt 0 ]; do
    printf '  %s: "%s"\n' "$1" "$2" >>"$FIREWEED_STATE/config.yaml"
    shift 2
  done
}

# The Python with scikit-learn that tools/install predict made.
predict_python() {
  local place
  place=$(XDG_CACHE_HOME=$FW_CACHE_HOME HOME=$FW_USER_HOME "$FW_TREE/tools/install" --predict)
  [ -e "$place/complete" ] || return 1
  printf '%s/bin/python\n' "$place"
}

pickles() {
  local python
  python=$(predict_python) || skip "tools/install predict has not run"
  settings python "$python"
  begin python
  "$python" "$HERE/models/make_models.py" sklearn "$FW_SCRATCH/sklearn"
  "$python" "$HERE/models/make_models.py" routine "$FW_SCRATCH/routine"
  fireweed storage cp "$FW_SCRATCH/sklearn/model.joblib" gs://python-one/sklearn/ >/dev/null 2>&1
  fireweed storage cp "$FW_SCRATCH/routine/factor.pkl" gs://python-one/routine/ >/dev/null 2>&1
  fireweed storage cp "$FW_SCRATCH/routine/scaler-0.1.tar.gz" gs://python-one/packages/ >/dev/null 2>&1
  make_model pickled
  make_version pickled v1 gs://python-one/sklearn '{"framework": "SCIKIT_LEARN"}' >"$FW_SCRATCH/operation"
  wait_until 120 "the scikit-learn version is ready" is_ready pickled/versions/v1
  equal '[1,3]' "$(predict pickled '{"instances": [[0.0, 1.0], [1.0, 2.0]]}' | jq -c '.predictions | map(round)')" "scikit-learn"
  equal 400 "$(ml -o /dev/null -w '%{http_code}' -d '{"instances": [[1.0]]}' "$(models_url)/pickled:predict")" "a row that is too short"
  make_model routine
  make_version routine v1 gs://python-one/routine '{"framework": "FRAMEWORK_UNSPECIFIED", "predictionClass": "scaler.Predictor",
    "packageUris": ["gs://python-one/packages/scaler-0.1.tar.gz"]}' >"$FW_SCRATCH/operation"
  wait_until 120 "the routine is ready" is_ready routine/versions/v1
  equal '{"predictions":[[3,6]]}' "$(predict routine '{"instances": [[1, 2]]}' | jq -c .)" "a custom prediction routine"
  make_version routine v2 gs://python-one/routine '{"framework": "FRAMEWORK_UNSPECIFIED", "predictionClass": "scaler.Missing",
    "packageUris": ["gs://python-one/packages/scaler-0.1.tar.gz"]}' >"$FW_SCRATCH/operation"
  wait_until 120 "the other routine failed" has_failed routine/versions/v2
  ml "$(models_url)/routine/versions/v2" | jq -r .errorMessage >"$FW_SCRATCH/why"
  grep -F Missing "$FW_SCRATCH/why" >/dev/null || fail "the reason names no class: $(cat "$FW_SCRATCH/why")"
}

is_ready() { [ "$(state_of "$1")" = READY ]; }
has_failed() { [ "$(state_of "$1")" = FAILED ]; }

tensorflow() {
  local python package
  python=$(python_clients)/bin/python
  package=$("$python" -c 'import os, tensorflow; print(os.path.dirname(tensorflow.__file__))' 2>/dev/null) ||
    skip "no TensorFlow among the Python clients"
  settings tensorflow "$package"
  begin graph
  "$python" "$HERE/models/make_models.py" tensorflow "$FW_SCRATCH/doubler" >/dev/null 2>&1
  fireweed storage cp -r "$FW_SCRATCH/doubler" gs://graph-one/ >/dev/null 2>&1
  make_model doubler
  make_version doubler v1 gs://graph-one/doubler '{"framework": "TENSORFLOW"}' >"$FW_SCRATCH/operation"
  wait_until 180 "the version is ready" is_ready doubler/versions/v1
  equal '{"predictions":[{"y":[2,4]}]}' "$(predict doubler '{"instances": [[1.0, 2.0]]}' | jq -c .)" "a SavedModel"
  equal '{"predictions":[[2,4]]}' \
    "$(ml -d '{"instances": [[1.0, 2.0]]}' "http://$(address)/tfserving/$PROJECT/v1/models/doubler:predict" | jq -c .)" \
    "the same at TensorFlow Serving's path"
  equal 400 "$(ml -o /dev/null -w '%{http_code}' -d '{"instances": [[1.0]]}' "$(models_url)/doubler:predict")" "another shape"
}

# A fifth of the requests goes to the new version, to the request.
canary() {
  make_version census v2 gs://scaling-two/model >/dev/null
  ml -X PATCH -d '{"trafficSplit": {"v2": 20}}' "$(models_url)/census?updateMask=trafficSplit" >/dev/null
  load census
  wait_until 60 "the new version served some" served census.v2 40
  stop_load
  equal '' "$(sed -n '/^[0-9]* 200$/d; /predictions/d; /running/d; p' "$FW_SCRATCH/load")" "other answers"
  local all new
  all=$(count_of 200)
  new=$(sed -n 's/^\([0-9]*\) .*\[10.*/\1/p' "$FW_SCRATCH/load")
  # What was under way at the end may be any of a hundred.
  if [ "$new" -lt $((all / 5 - 21)) ] || [ "$new" -gt $((all / 5 + 21)) ]; then fail "$new of $all went to the new version"; fi
}

no_process() { ! serving_pid census >/dev/null; }

zero() {
  make_model census
  make_version census v1 gs://scaling-one/model '{"autoScaling": {"minNodes": 0}}' >/dev/null
  local i pid
  for i in 1 2; do
    equal '{"predictions":[-0.5,1.5]}' "$(predict census | jq -c .)" "predictions, time $i"
    wait_until 60 "nobody asks and the process is gone" no_process
    equal READY "$(state_of census/versions/v1)" "the state of a version without a process"
  done
  # Asked for all the time it stays.
  load census
  wait_until 60 "some were served" served census.v1 50
  pid=$(serving_pid census)
  wait_until 60 "more were served" served census.v1 2000
  equal "$pid" "$(serving_pid census)" "the process of a busy version"
  stop_load
  equal '' "$(sed -n '/^[0-9]* 200$/d; /predictions/d; /running/d; p' "$FW_SCRATCH/load")" "other answers"
  # One that keeps its nodes is UPDATING until they are there, and READY then.
  wait_until 60 "the process is gone again" no_process
  ml -X PATCH -d '{"autoScaling": null, "manualScaling": {"nodes": 1}}' \
    "$(models_url)/census/versions/v1?updateMask=autoScaling,manualScaling" >"$FW_SCRATCH/operation"
  wait_until 60 "the version is updated" is_ready census/versions/v1
  serving_pid census >/dev/null || fail "an updated version without its node"
}

scaling() {
  settings idleSeconds 1
  begin scaling
  zero
  canary
}

# gcloud predicts by itself, with a Python that has TensorFlow; what fireweed env sets must not be in its way.
local_predict() {
  command -v gcloud >/dev/null || skip "no gcloud"
  local python
  python=$(python_clients)/bin/python
  "$python" "$HERE/models/make_models.py" tensorflow "$FW_SCRATCH/doubler" >/dev/null 2>&1 ||
    skip "no TensorFlow among the Python clients"
  begin local
  use_daemon
  printf '[1.0, 2.0]\n' >"$FW_SCRATCH/rows.json"
  CLOUDSDK_ML_ENGINE_LOCAL_PYTHON=$python gcloud ai-platform local predict --model-dir "$FW_SCRATCH/doubler" \
    --framework tensorflow --json-instances "$FW_SCRATCH/rows.json" --format json >"$FW_SCRATCH/theirs"
  equal '[{"y":[2,4]}]' "$(jq -c .predictions "$FW_SCRATCH/theirs")" "gcloud's local predict"
  equal '[{"y":[2,4]}]' "$(fireweed ai-platform local predict --model-dir "$FW_SCRATCH/doubler" --framework tensorflow \
    --json-instances "$FW_SCRATCH/rows.json" --python "$python" --format json | jq -c .predictions)" "our local predict"
  # As gcloud shows it where no format is asked for.
  equal 'Y [2.0, 4.0]' "$(fireweed ai-platform local predict --model-dir "$FW_SCRATCH/doubler" --framework tensorflow \
    --json-instances "$FW_SCRATCH/rows.json" --python "$python" | paste -sd' ')" "our local predict as a table"
}

case $CASE in
  walkthrough | tokens | switch | restart | failures | batch | commands | pickles | tensorflow | scaling) "$CASE" ;;
  local) local_predict ;;
  kill) kill_process ;;
  *) fail "no such case: $CASE" ;;
esac
say "$CASE ok"
