#!/usr/bin/env bash
# Who may do what to buckets and objects, by the real clients.
#
#   tests/compat/storage_access.sh gsutil|gcloud|signed
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

readonly BUCKET=compat-access ANN=ann@example.org

# has TEXT CMD...: the output of CMD holds TEXT.
has() {
  local text=$1 out
  shift
  out=$("$@" 2>&1) || fail "$* failed: $out"
  case $out in *"$text"*) ;; *) fail "$*: no '$text' in: $out" ;; esac
}
# has_not TEXT CMD...: the output of CMD does not hold TEXT.
has_not() {
  local text=$1 out
  shift
  out=$("$@" 2>&1) || fail "$* failed: $out"
  case $out in *"$text"*) fail "$*: '$text' in: $out" ;; esac
}
# says TEXT CMD...: CMD fails and says why.
says() {
  local text=$1
  shift
  refuses "$@"
  grep -q -- "$text" "$FW_SCRATCH/refused" || fail "$*: no '$text' in: $(cat "$FW_SCRATCH/refused")"
}

# status URL: what an anonymous reader gets, past the proxy that would sign it in.
status() {
  local path=${1#https://storage.googleapis.com}
  curl -sS -o "$FW_SCRATCH/body" -w '%{http_code}' --noproxy '*' -H 'Host: storage.googleapis.com' "http://$(http_address)$path"
}
http_address() { fireweed --json status --state "$FIREWEED_STATE" | jq -r .http; }

# The robot that signs, and its key in $FW_SCRATCH/key.json.
make_robot() {
  local api=https://iam.googleapis.com/v1/projects/$GOOGLE_CLOUD_PROJECT/serviceAccounts
  signed_curl -fsS -H 'Content-Type: application/json' -d '{"accountId": "signer-one"}' "$api" >"$FW_SCRATCH/robot.json"
  robot=$(jq -r .email "$FW_SCRATCH/robot.json")
  signed_curl -fsS -H 'Content-Type: application/json' -d '{}' "$api/$robot/keys" | jq -r .privateKeyData | base64 -d >"$FW_SCRATCH/key.json"
}

lists_with_gsutil() {
  gsutil acl ch -u $ANN:W gs://$BUCKET
  has '"entity": "user-ann@example.org"' gsutil acl get gs://$BUCKET
  gsutil acl ch -d $ANN gs://$BUCKET
  has_not $ANN gsutil acl get gs://$BUCKET
  gsutil acl ch -u $ANN:R gs://$BUCKET/cat
  has '"email": "ann@example.org"' gsutil acl get gs://$BUCKET/cat
  says BadRequestException gsutil acl ch -u 'invalid_$$@hello.com:R' gs://$BUCKET/cat
  equal 401 "$(status "/$BUCKET/cat")" "a private object"
  gsutil acl set public-read gs://$BUCKET/cat
  equal 200 "$(status "/$BUCKET/cat")" "a public object"
  gsutil acl get gs://$BUCKET/cat >"$FW_SCRATCH/acl.json"
  gsutil acl set private gs://$BUCKET/cat
  equal 401 "$(status "/$BUCKET/cat")" "a private object again"
  gsutil acl set "$FW_SCRATCH/acl.json" gs://$BUCKET/cat
  equal 200 "$(status "/$BUCKET/cat")" "a list from a file"
  gsutil defacl ch -u AllUsers:R gs://$BUCKET
  has allUsers gsutil defacl get gs://$BUCKET
  echo woof | gsutil -q cp - gs://$BUCKET/dog
  equal 200 "$(status "/$BUCKET/dog")" "the default list"
  gsutil defacl set project-private gs://$BUCKET
}

policies_with_gsutil() {
  gsutil iam ch user:$ANN:objectViewer gs://$BUCKET
  has user:$ANN gsutil iam get gs://$BUCKET
  gsutil iam ch -d user:$ANN gs://$BUCKET
  has_not $ANN gsutil iam get gs://$BUCKET
  has roles/storage.legacyObjectOwner gsutil iam get gs://$BUCKET/cat
  gsutil pap set enforced gs://$BUCKET
  has enforced gsutil pap get gs://$BUCKET
  equal 401 "$(status "/$BUCKET/dog")" "public access is prevented"
  says 412 gsutil iam ch allUsers:objectViewer gs://$BUCKET
  gsutil pap set inherited gs://$BUCKET
  gsutil ubla set on gs://$BUCKET
  has 'Enabled: True' gsutil ubla get gs://$BUCKET
  says 'uniform bucket-level access' gsutil acl set public-read gs://$BUCKET/cat
  gsutil ubla set off gs://$BUCKET
}

settings_with_gsutil() {
  echo '{"rule": [{"action": {"type": "Add"}, "condition": {"age": 3}}]}' >"$FW_SCRATCH/bad.json"
  says BadRequestException gsutil lifecycle set "$FW_SCRATCH/bad.json" gs://$BUCKET
  echo '{"rule": [{"action": {"type": "Delete"}, "condition": {"age": 3}}]}' >"$FW_SCRATCH/life.json"
  gsutil lifecycle set "$FW_SCRATCH/life.json" gs://$BUCKET
  has '"age": 3' gsutil lifecycle get gs://$BUCKET
  gsutil label ch -l colour:red gs://$BUCKET
  has '"colour": "red"' gsutil label get gs://$BUCKET
  echo '[{"origin": ["*"], "method": ["GET"], "maxAgeSeconds": 60}]' >"$FW_SCRATCH/cors.json"
  gsutil cors set "$FW_SCRATCH/cors.json" gs://$BUCKET
  has maxAgeSeconds gsutil cors get gs://$BUCKET
  says 'location constraint is not valid' gsutil mb -l mars-north1 gs://$BUCKET-mars
  gsutil retention set 1d gs://$BUCKET
  has 'Duration: 1 Day(s)' gsutil retention get gs://$BUCKET
  says 403 gsutil rm gs://$BUCKET/cat
  gsutil retention clear gs://$BUCKET
  gsutil retention temp set gs://$BUCKET/cat
  says 403 gsutil rm gs://$BUCKET/cat
  gsutil retention temp release gs://$BUCKET/cat
  gsutil -q rm gs://$BUCKET/cat
}

client_gsutil() {
  if ! command -v gsutil >/dev/null; then
    # PyPI's wants a credential of its own for some commands: the recipe without a proxy gives it one.
    eval "$(fireweed env --no-proxy --state "$FIREWEED_STATE")"
    PATH=$(python_clients)/bin:$PATH
  fi
  gsutil mb gs://$BUCKET
  echo meow | gsutil -q cp - gs://$BUCKET/cat
  lists_with_gsutil
  policies_with_gsutil
  settings_with_gsutil
}

client_gcloud() {
  command -v gcloud >/dev/null || skip "gcloud is not installed, and no package registry offers it"
  gcloud storage buckets create gs://$BUCKET --no-uniform-bucket-level-access
  echo meow | gcloud storage cp - gs://$BUCKET/cat
  gcloud storage objects update gs://$BUCKET/cat --add-acl-grant=entity=user-$ANN,role=READER
  has $ANN gcloud storage objects describe gs://$BUCKET/cat
  gcloud storage objects update gs://$BUCKET/cat --remove-acl-grant=user-$ANN
  has_not $ANN gcloud storage objects describe gs://$BUCKET/cat
  gcloud storage buckets add-iam-policy-binding gs://$BUCKET --member=allUsers --role=roles/storage.objectViewer
  equal 200 "$(status "/$BUCKET/cat")" "a public bucket"
  gcloud storage buckets update gs://$BUCKET --public-access-prevention
  equal 401 "$(status "/$BUCKET/cat")" "public access is prevented"
  gcloud storage buckets update gs://$BUCKET --uniform-bucket-level-access
  says 'uniform bucket-level access' gcloud storage objects update gs://$BUCKET/cat \
    --add-acl-grant=entity=user-$ANN,role=READER
  gcloud storage buckets update gs://$BUCKET --update-labels=colour=red
  has 'colour: red' gcloud storage buckets describe gs://$BUCKET
  gcloud storage buckets update gs://$BUCKET --retention-period=1d
  says 'retention policy' gcloud storage rm gs://$BUCKET/cat
  gcloud storage buckets update gs://$BUCKET --clear-retention-period
  make_robot
  gcloud storage buckets add-iam-policy-binding gs://$BUCKET --member="serviceAccount:$robot" --role=roles/storage.objectViewer
  local url
  url=$(gcloud storage sign-url gs://$BUCKET/cat --private-key-file="$FW_SCRATCH/key.json" --duration=10m \
    --format='value(signed_url)')
  equal 200 "$(status "$url")" "a URL signed by gcloud"
  equal meow "$(cat "$FW_SCRATCH/body")" "what it opens"
}

client_signed() {
  make_robot
  ROBOT=$robot KEY=$FW_SCRATCH/key.json NAME=$BUCKET TF_CPP_MIN_LOG_LEVEL=3 \
    "$(python_clients)/bin/python" -W ignore - <<'PYTHON'
import datetime, os, urllib.request, urllib.error
import google.cloud.storage
client = google.cloud.storage.Client()
bucket = client.create_bucket(os.environ['NAME'])
policy = bucket.get_iam_policy()
policy.bindings.append({'role': 'roles/storage.objectAdmin', 'members': ['serviceAccount:' + os.environ['ROBOT']]})
bucket.set_iam_policy(policy)
signer = google.cloud.storage.Client.from_service_account_json(os.environ['KEY'])
def ask(url, method='GET', data=None, headers={}):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method)) as reply:
            return reply.status, reply.read(), reply.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read(), error.headers
minutes = datetime.timedelta(minutes=10)
for version in 'v2', 'v4':
    name = 'dir/a b ü ' + version
    blob = signer.bucket(bucket.name).blob(name)
    def sign(**more):
        return blob.generate_signed_url(version=version, expiration=minutes, **more)
    url = sign(method='PUT', content_type='text/x-a')
    assert ask(url, 'PUT', b'bytes', {'Content-Type': 'text/x-b'})[0] == 403
    assert ask(url, 'PUT', b'bytes', {'Content-Type': 'text/x-a'})[0] == 200
    assert bucket.blob(name).download_as_bytes() == b'bytes'
    assert ask(sign())[:2] == (200, b'bytes')
    if version == 'v4':  # the library signs no bucket in the other
        assert ask(sign(virtual_hosted_style=True))[:2] == (200, b'bytes')
    assert ask(sign(response_disposition='attachment'))[0] == 200
    status, body, _ = ask(sign(), 'DELETE')
    assert status == 403 and b'SignatureDoesNotMatch' in body and b'StringToSign' in body, (status, body)
    status, body, _ = ask(sign().replace('dir', 'other'))
    assert status == 403, (status, body)
    late = blob.generate_signed_url(version=version, expiration=datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
                                    ) if version == 'v2' else None
    if late:
        status, body, _ = ask(late)
        assert status == 400 and b'ExpiredToken' in body, (status, body)
    url = sign(method='RESUMABLE', content_type='text/x-a')
    status, body, headers = ask(url, 'POST', b'', {'Content-Type': 'text/x-a', 'x-goog-resumable': 'start'})
    assert status == 201, (status, body)
    assert ask(headers['Location'], 'PUT', b'resumed')[0] == 200
    assert bucket.blob(name).download_as_bytes() == b'resumed'
PYTHON
}

case ${1:-} in
  gsutil | gcloud | signed) ;;
  *) sed -n '2,/^set /{/^set /d; s/^# \{0,1\}//; p}' "$0"; exit 2 ;;
esac
clean_environment
# A proxy of the surroundings would be asked for loopback addresses.
unset HTTPS_PROXY https_proxy HTTP_PROXY http_proxy ALL_PROXY all_proxy
start_daemon
use_daemon
"client_$1"
say "$1 ok"
