#!/usr/bin/env bash
# Cloud Logging with the real clients: what gcloud writes it reads back, by filter, in order, and deletes.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

readonly URL=https://logging.googleapis.com/v2

# list FILTER: the text payloads that match, oldest first, by plain curl.
list() {
  jq -n --arg filter "$1" '{resourceNames: ["projects/fireweed"], filter: $filter}' |
    signed_curl -sS --fail-with-body -H 'Content-Type: application/json' -d @- "$URL/entries:list" |
    jq -r '.entries[]? | .textPayload // .jsonPayload.message'
}

clean_environment
start_daemon
use_daemon

signed_curl -sS --fail-with-body -H 'Content-Type: application/json' -o "$FW_SCRATCH/written" "$URL/entries:write" -d '{
  "logName": "projects/fireweed/logs/trainer",
  "resource": {"type": "ml_job", "labels": {"job_id": "census_1", "task_name": "master-replica-0"}},
  "entries": [
    {"severity": "INFO", "timestamp": "2026-01-01T00:00:02Z", "textPayload": "second"},
    {"severity": "ERROR", "timestamp": "2026-01-01T00:00:01Z", "jsonPayload": {"message": "first", "step": 8754}}]}'
equal "first second" "$(list 'resource.labels.job_id="census_1"' | xargs)" "entries of the job, in the order of time"
equal "first" "$(list 'severity>=WARNING' | xargs)" "entries by severity"
equal "first" "$(list 'jsonPayload.step=8754 AND NOT textPayload:second' | xargs)" "entries by payload"
equal "second first" "$(fireweed logging read 'resource.type="ml_job"' --freshness=3650d \
  --format='value(textPayload,jsonPayload.message)' | xargs)" "entries by our own command, newest first"
equal "first" "$(fireweed logging read --order=asc --limit=1 --freshness=3650d --format='value(jsonPayload.message)')" "the oldest"
equal "" "$(fireweed logging read --format='value(insertId)')" "entries of the last day"
refuses fireweed logging read 'severity='
refuses signed_curl -sS --fail-with-body -H 'Content-Type: application/json' -d '{"resourceNames": ["projects/fireweed"], "filter": "severity="}' "$URL/entries:list"

# Acknowledged means durable.
kill -9 "$(jq -r .pid "$FIREWEED_STATE/endpoint.json")"
start_daemon
equal "first second" "$(list 'resource.type="ml_job"' | xargs)" "entries after kill -9"

if ! command -v gcloud >/dev/null; then
  say "gcloud is not installed: only curl was tried"
  exit 0
fi
gcloud --quiet logging write my-log "hello from gcloud" --severity=WARNING
gcloud --quiet logging write --payload-type=json my-log '{"message": "a tree", "loss": 0.25}'
equal "hello from gcloud" \
  "$(gcloud --quiet logging read 'logName:my-log AND severity>=WARNING' --format='value(textPayload)')" "read by severity"
equal "a tree" \
  "$(gcloud --quiet logging read 'log_id("my-log") jsonPayload.loss<0.3' --limit=1 --format='value(jsonPayload.message)')" "read by payload"
equal "projects/fireweed/logs/my-log projects/fireweed/logs/trainer" \
  "$(gcloud --quiet logging logs list --format='value(NAME)' | sort | xargs)" "logs"
gcloud --quiet logging logs delete my-log 2>"$FW_SCRATCH/deleted"
equal "" "$(gcloud --quiet logging read 'log_id("my-log")' --format='value(textPayload)')" "a deleted log"
say "logging: ok"
