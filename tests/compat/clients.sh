#!/usr/bin/env bash
# One real client against a daemon of its own, in a shell that has only said `eval "$(fireweed env)"`.
#
#   tests/compat/clients.sh gcloud|identity|endpoints|gcsfs|gsutil|curl|cloud_storage|api_client|tensorflow|git|pip|apt|stopped
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

readonly HERE=$FW_TREE/tests/compat

client_gcloud() {
  command -v gcloud >/dev/null || skip "gcloud is not installed, and no package registry offers it"
  use_daemon
  [ -n "$(gcloud auth print-access-token)" ] || fail "no access token"
  gcloud auth list --format='value(account)' | grep -q @ || fail "no account"
  gcloud config set project other-project-1
  equal other-project-1 "$(gcloud config get-value project)" "config set project"
  gcloud config set compute/zone us-central1-b
  gcloud storage buckets create gs://compat-gcloud
  echo hello | gcloud storage cp - gs://compat-gcloud/a/b.txt
  equal hello "$(gcloud storage cat gs://compat-gcloud/a/b.txt)" "gcloud storage cat"
  gcloud compute instances list --format='value(name)'
  refuses gcloud storage cat gs://compat-gcloud/nothing
}

# Projects, policies, service accounts and their keys, services: what guides do before they train.
client_identity() {
  command -v gcloud >/dev/null || skip "gcloud is not installed, and no package registry offers it"
  use_daemon
  local robot=robot-one@compat-identity-1.iam.gserviceaccount.com key=$FW_SCRATCH/key.json
  gcloud projects create compat-identity-1 --name Compat
  equal ACTIVE "$(gcloud projects describe compat-identity-1 --format='value(lifecycleState)')" "the project"
  gcloud iam service-accounts create robot-one --project compat-identity-1
  gcloud projects add-iam-policy-binding compat-identity-1 --member="serviceAccount:$robot" --role=roles/storage.admin \
    --format='value(etag)' >/dev/null
  gcloud projects get-iam-policy compat-identity-1 --format=json | grep -q "$robot" || fail "the binding is not in the policy"
  gcloud services enable compute.googleapis.com ml.googleapis.com --project compat-identity-1
  gcloud services list --project compat-identity-1 --format='value(config.name)' | grep -qx ml.googleapis.com ||
    fail "ml is not enabled"
  gcloud iam service-accounts keys create "$key" --iam-account "$robot"
  gcloud auth activate-service-account --key-file "$key"
  equal "$robot" "$(gcloud auth list --filter=status:ACTIVE --format='value(account)')" "the active account"
  gsutil mb -p compat-identity-1 gs://compat-identity-robot
  # The robot may do nothing in another project.
  refuses gcloud storage buckets create gs://compat-identity-other --project "$GOOGLE_CLOUD_PROJECT"
  # Google's own library signs in with the key file.
  GOOGLE_APPLICATION_CREDENTIALS=$key with_python <<'PYTHON'
import google.cloud.storage
client = google.cloud.storage.Client(project='compat-identity-1')
assert [b.name for b in client.list_buckets()] == ['compat-identity-robot']
PYTHON
}

# read_and_write_gs BUCKET: by Google's library, gcsfs and pandas.
read_and_write_gs() {
  timeout 60 "$(python_clients)/bin/python" -W ignore - "$1" <<'PYTHON' || fail "gs:// in Python"
import sys
import gcsfs
import google.cloud.storage
import pandas
bucket = google.cloud.storage.Client().create_bucket(sys.argv[1])
bucket.blob('in.csv').upload_from_string('x,y\n1,2\n')
assert pandas.read_csv(f'gs://{bucket.name}/in.csv').y[0] == 2
pandas.DataFrame({'z': [3]}).to_csv(f'gs://{bucket.name}/out.csv', index=False)
assert bucket.blob('out.csv').download_as_bytes() == b'z\n3\n'
assert len(gcsfs.GCSFileSystem().ls(bucket.name)) == 2
PYTHON
}

# pandas and gcsfs, which use neither the proxy nor the environment by themselves.
client_gcsfs() {
  use_daemon
  read_and_write_gs compat-gcsfs
}

# The second recipe: endpoint settings instead of a proxy.
client_endpoints() {
  eval "$(fireweed env --no-proxy --state "$FIREWEED_STATE")"
  equal '' "${HTTPS_PROXY:-}${https_proxy:-}" "no proxy is set"
  local program n=0
  while read -r program; do
    "$program" mb "gs://compat-endpoints-$((++n))"
    equal "gs://compat-endpoints-$n/" "$("$program" ls | tail -1)" "gsutil ls"
  done < <(gsutil_programs)
  read_and_write_gs compat-endpoints-python
  command -v gcloud >/dev/null || return 0
  gcloud storage ls | grep -qx gs://compat-endpoints-1/ || fail "gcloud storage ls"
  gcloud compute zones list --format='value(name)' | grep -qx us-central1-a || fail "gcloud compute zones list"
}

client_gsutil() {
  use_daemon
  local program n=0
  head -c 1000000 /dev/urandom >"$FW_SCRATCH/data"
  while read -r program; do
    say "with $program"
    "$program" mb "gs://compat-gsutil-$((++n))"
    "$program" -q cp "$FW_SCRATCH/data" "gs://compat-gsutil-$n/dir/data"
    equal "gs://compat-gsutil-$n/dir/data" "$("$program" ls "gs://compat-gsutil-$n/dir")" "gsutil ls"
    "$program" -q cp "gs://compat-gsutil-$n/dir/data" "$FW_SCRATCH/back"
    cmp "$FW_SCRATCH/data" "$FW_SCRATCH/back"
    "$program" -q rm -r "gs://compat-gsutil-$n"
    refuses "$program" ls "gs://compat-gsutil-$n"
  done < <(gsutil_programs)
}

client_curl() {
  use_daemon
  local api=https://storage.googleapis.com status
  signed_curl -fsS -H 'Content-Type: application/json' -d '{"name": "compat-curl"}' \
    "$api/storage/v1/b?project=$GOOGLE_CLOUD_PROJECT" >/dev/null
  printf 'some bytes' | signed_curl -fsS --data-binary @- -H 'Content-Type: text/plain' \
    "$api/upload/storage/v1/b/compat-curl/o?uploadType=media&name=a%2Fb" >/dev/null
  equal "some bytes" "$(signed_curl -fsS "$(object_url compat-curl a%2Fb)?alt=media")" "what was uploaded"
  equal 404 "$(signed_curl -sS "$(object_url compat-curl none)" | jq .error.code)" "error code in the body"
  # What is not here is 404, never 5xx: clients would try again for half a minute.
  status=$(curl -sS -o /dev/null -w '%{http_code}' https://no-such-service.googleapis.com/v1/x)
  equal 404 "$status" "an unknown service"
  status=$(signed_curl -sS -o /dev/null -w '%{http_code}' https://ml.googleapis.com/v1/projects/none/jobs)
  case $status in 5*) fail "ml answered $status" ;; esac
  # HEAD is GET without a body.
  status=$(signed_curl -sSI -o /dev/null -w '%{http_code}' "$(object_url compat-curl a%2Fb)")
  equal 200 "$status" "HEAD of an object's metadata"
  # Without a token a request is anonymous, as on the cloud, in each API's own words.
  equal '401 required' "$(curl -sS "$(object_url compat-curl a%2Fb)?alt=media" | jq -r '"\(.error.code) \(.error.errors[0].reason)"')" \
    "a private object without a token"
  equal '401 UNAUTHENTICATED' "$(curl -sS -d '{"instances": [1]}' "https://ml.googleapis.com/v1/projects/$GOOGLE_CLOUD_PROJECT/models/m:predict" |
    jq -r '"\(.error.code) \(.error.status)"')" ":predict without a token"
  curl -sS "$api/compat-curl/a/b" | grep -q '<Code>' || fail "the XML API refuses in another form"
  equal 401 "$(curl -sS -o /dev/null -w '%{http_code}' "https://compute.googleapis.com/compute/v1/projects/$GOOGLE_CLOUD_PROJECT/zones/us-central1-a/instances")" \
    "a list of instances without a token"
  # The old comfort, for those who ask for it.
  fireweed env --check | grep -q anonymous || fail "env --check does not say that requests are anonymous"
  (
    eval "$(fireweed env --sign-in)"
    equal "some bytes" "$(curl -fsS "$(object_url compat-curl a%2Fb)?alt=media")" "with --sign-in"
    fireweed env --check | grep -q 'act as' || fail "env --check does not say that requests are signed in"
  )
  refuses fireweed env --sign-in --no-proxy
}

# with_python: runs the program on standard input with the Python clients.
with_python() { TF_CPP_MIN_LOG_LEVEL=3 "$(python_clients)/bin/python" -W ignore -; }

client_cloud_storage() {
  use_daemon
  with_python <<'PYTHON'
import google.api_core.exceptions
import google.cloud.storage
client = google.cloud.storage.Client()
bucket = client.create_bucket('compat-python')
bucket.blob('dir/small').upload_from_string(b'small')
bucket.blob('dir/large').upload_from_string(bytes(range(256)) * 65536)  # over the limit of one request
assert bucket.blob('dir/small').download_as_bytes() == b'small'
assert bucket.blob('dir/large').download_as_bytes() == bytes(range(256)) * 65536
assert [b.name for b in client.list_blobs('compat-python', prefix='dir/')] == ['dir/large', 'dir/small']
try:
    bucket.blob('none').download_as_bytes()
    raise AssertionError('an object that is not there')
except google.api_core.exceptions.NotFound:
    pass
PYTHON
}

client_api_client() {
  use_daemon
  with_python <<'PYTHON'
import io
import json
import os
import urllib.request
import googleapiclient.discovery
import googleapiclient.discovery_cache
import googleapiclient.errors
import googleapiclient.http
project = os.environ['GOOGLE_CLOUD_PROJECT']
storage = googleapiclient.discovery.build('storage', 'v1')
storage.buckets().insert(project=project, body={'name': 'compat-api'}).execute()
media = googleapiclient.http.MediaIoBaseUpload(io.BytesIO(b'bytes'), 'text/plain')
storage.objects().insert(bucket='compat-api', name='a/b', media_body=media).execute()
assert storage.objects().get_media(bucket='compat-api', object='a/b').execute() == b'bytes'
assert [o['name'] for o in storage.objects().list(bucket='compat-api').execute()['items']] == ['a/b']
compute = googleapiclient.discovery.build('compute', 'v1')
assert compute.instances().list(project=project, zone='us-central1-a').execute().get('items', []) == []
# The descriptions that we publish ourselves, not those that came with the library: code written for these must not see a difference.
ours = googleapiclient.discovery.build('storage', 'v1', static_discovery=False)
media = googleapiclient.http.MediaIoBaseUpload(io.BytesIO(b'more'), 'text/plain')
ours.objects().insert(bucket='compat-api', name='c', media_body=media, userProject=project).execute()
assert ours.objects().get_media(bucket='compat-api', object='c').execute() == b'more'
ml = googleapiclient.discovery.build('ml', 'v1', static_discovery=False)
ml.projects().models().create(parent='projects/' + project, body={'name': 'm'}).execute()
assert ml.projects().models().get(name=f'projects/{project}/models/m').execute()['name'].endswith('/models/m')
try:
    ml.projects().predict(name=f'projects/{project}/models/m', body={'instances': [1]}).execute()
    raise AssertionError('a model without a version predicts')
except googleapiclient.errors.HttpError as refusal:
    assert refusal.resp.status in (400, 404), refusal
compute = googleapiclient.discovery.build('compute', 'v1', static_discovery=False)
try:
    compute.instances().get(project=project, zone='us-central1-a', instance='none').execute()
    raise AssertionError('an instance that is not there')
except googleapiclient.errors.HttpError as refusal:
    assert refusal.resp.status == 404, refusal


def methods_of(node):
    found = {method['id']: method for method in node.get('methods', {}).values()}
    for child in node.get('resources', {}).values():
        found.update(methods_of(child))
    return found


def shape(method):
    path = [n for n, p in method.get('parameters', {}).items() if p['location'] == 'path']
    return sorted(path), method.get('supportsMediaUpload', False), method.get('supportsMediaDownload', False)


for name, version in {'storage': 'v1', 'compute': 'v1', 'ml': 'v1', 'iam': 'v1', 'iamcredentials': 'v1', 'serviceusage': 'v1',
                      'sourcerepo': 'v1', 'cloudkms': 'v1', 'logging': 'v2', 'cloudresourcemanager': 'v1'}.items():
    with urllib.request.urlopen(f'https://www.googleapis.com/discovery/v1/apis/{name}/{version}/rest') as reply:
        published = methods_of(json.load(reply))
    bundled = methods_of(json.loads(googleapiclient.discovery_cache.get_static_doc(name, version)))
    common = sorted(published.keys() & bundled.keys())
    assert common, name
    for method in common:
        assert shape(published[method]) == shape(bundled[method]), (method, shape(published[method]), shape(bundled[method]))
        assert 'request' in published[method] or 'request' not in bundled[method], method
PYTHON
}

client_tensorflow() {
  use_daemon
  with_python <<'PYTHON'
import tensorflow as tf
import google.cloud.storage
google.cloud.storage.Client().create_bucket('compat-gfile')
top = 'gs://compat-gfile/logs'
with tf.io.gfile.GFile(top + '/a.txt', 'w') as stream:
    stream.write('one\n')
    stream.flush()
    stream.write('two\n')
with tf.io.gfile.GFile(top + '/a.txt') as stream:
    assert stream.read() == 'one\ntwo\n'
assert tf.io.gfile.exists(top + '/a.txt') and not tf.io.gfile.exists(top + '/b.txt')
tf.io.gfile.rename(top + '/a.txt', top + '/b.txt')
assert tf.io.gfile.listdir(top) == ['b.txt'], tf.io.gfile.listdir(top)
assert tf.io.gfile.stat(top + '/b.txt').length == 8
tf.io.gfile.rmtree(top)
assert not tf.io.gfile.exists(top + '/b.txt')
PYTHON
}

client_git() {
  use_daemon
  # No such repository: but by an answer of ours, over TLS that git trusts, not by a failed connection.
  refuses git -c core.askPass=true ls-remote "https://source.developers.google.com/p/$GOOGLE_CLOUD_PROJECT/r/none"
  if grep -qiE 'certificate|SSL|proxy|could not resolve|could not read' "$FW_SCRATCH/refused"; then
    cat "$FW_SCRATCH/refused"
    fail "git did not reach us"
  fi
  # Names may hold slashes. With the helper of the walkthrough, for every host, git must not be told off about the proxy.
  local name=team/trainer url=https://source.developers.google.com/p/$GOOGLE_CLOUD_PROJECT/r work=$FW_SCRATCH/work bin=$FW_SCRATCH/bin
  if command -v gcloud >/dev/null; then
    gcloud source repos create $name
    gcloud source repos list --format='value(name)' | grep -q $name || fail "the repository is not listed"
    git config --global credential.helper gcloud.sh
  else
    fireweed source repos create $name
  fi
  git init -q "$work"
  git -C "$work" -c user.name=t -c user.email=t@x commit -q --allow-empty -m one
  git -C "$work" push -q "$url/$name" HEAD:master >"$FW_SCRATCH/push" 2>&1 || fail "git push: $(cat "$FW_SCRATCH/push")"
  equal '' "$(cat "$FW_SCRATCH/push")" "what git push says"
  # Without the Cloud SDK git gets its password from our own program.
  mkdir "$bin"
  ln -s "$(command -v git)" "$(command -v sh)" "$bin"
  export GIT_CONFIG_NOSYSTEM=1  # the Cloud SDK may have put its helper there
  HOME=$FW_SCRATCH PATH=$bin:$FIREWEED_BIN
  eval "$(fireweed env)"
  git ls-remote "$url/team%2Ftrainer" >"$FW_SCRATCH/refs" || fail "git without gcloud"
  read -r _ name <"$FW_SCRATCH/refs"
  equal HEAD "$name" "the first reference"
  PATH=$PATH:/usr/bin:/bin
}

# start_world: an HTTPS server that is not Google's, serving $FW_SCRATCH/world; sets $world to its address.
start_world() {
  local directory=$FW_SCRATCH/world
  mkdir -p "$directory"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1 \
    -addext subjectAltName=IP:127.0.0.1 -keyout "$FW_SCRATCH/world.key" -out "$FW_SCRATCH/world.crt" 2>/dev/null
  python3 "$HERE/https_server.py" "$directory" "$FW_SCRATCH/world.crt" "$FW_SCRATCH/world.key" \
    "$FW_SCRATCH/world.port" >"$FW_SCRATCH/world.log" 2>&1 &
  FW_CHILDREN+=($!)
  wait_until 20 "the other server listens" test -s "$FW_SCRATCH/world.port"
  world=https://127.0.0.1:$(cat "$FW_SCRATCH/world.port")
}

client_pip() {
  start_world
  with_python <<PYTHON
import os, zipfile
top = '$FW_SCRATCH/world/simple/passing'
os.makedirs(top)
with zipfile.ZipFile(top + '/passing-1.0-py3-none-any.whl', 'w') as wheel:
    wheel.writestr('passing.py', '')
    wheel.writestr('passing-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\nName: passing\nVersion: 1.0\n')
    wheel.writestr('passing-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
    wheel.writestr('passing-1.0.dist-info/RECORD', '')
open(top + '/index.html', 'w').write('<a href="passing-1.0-py3-none-any.whl">passing-1.0-py3-none-any.whl</a>')
PYTHON
  # A certificate that the user trusts already must be trusted still: bundles are added to.
  export REQUESTS_CA_BUNDLE=$FW_SCRATCH/world.crt
  use_daemon
  # --proxy: loopback is in no_proxy, and this server plays the world outside.
  download() {
    "$(python_clients)/bin/python" -m pip --isolated --proxy "$HTTPS_PROXY" --retries 0 download --no-deps --no-cache-dir \
      --index-url "$world/simple" -d "$FW_SCRATCH/got" passing
  }
  download
  test -s "$FW_SCRATCH/got/passing-1.0-py3-none-any.whl" || fail "pip downloaded nothing"
  stop_daemon
  rm -r "$FW_SCRATCH/got"
  refuses download  # else it went past the daemon
}

client_apt() {
  start_world
  local apt=$FW_SCRATCH/apt
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  printf 'Package: passing\nVersion: 1.0\nArchitecture: all\nFilename: passing.deb\nSize: 0\n' >"$FW_SCRATCH/world/Packages"
  echo "deb [trusted=yes] $world/ ./" >"$apt/sources.list"
  use_daemon
  update() {
    apt-get update --error-on=any -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
      -o Dir::State="$apt" -o Dir::Cache="$apt/cache" -o Dir::State::status=/var/lib/dpkg/status -o APT::Sandbox::User=root \
      -o Acquire::https::CAInfo="$FW_SCRATCH/world.crt" -o Acquire::https::Proxy="$HTTPS_PROXY" -o Acquire::Retries=0 \
      -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false -o Debug::NoLocking=1
  }
  no_proxy='' NO_PROXY='' update
  grep -qs passing "$apt"/lists/*Packages* || fail "apt fetched no package list"
  stop_daemon
  rm -f "$apt"/lists/*Packages*
  no_proxy='' NO_PROXY='' refuses update
}

client_stopped() {
  start_world
  echo here >"$FW_SCRATCH/world/page"
  use_daemon
  local before=$HTTPS_PROXY
  fireweed env --check
  stop_daemon
  refuses curl -sS --max-time 10 https://storage.googleapis.com/storage/v1/b/none
  refuses fireweed env --check
  grep -qiE 'not running|stopped|no daemon' "$FW_SCRATCH/refused" || fail "env --check does not say why: $(cat "$FW_SCRATCH/refused")"
  start_daemon  # ports are kept: the shell works again without another eval
  equal "$before" "$(eval "$(fireweed env)"; echo "$HTTPS_PROXY")" "the address after a restart"
  equal 404 "$(signed_curl -sS -o /dev/null -w '%{http_code}' https://storage.googleapis.com/storage/v1/b/none)" "after a restart"
  stop_daemon
  eval "$(fireweed env --unset)"
  equal '' "${HTTPS_PROXY:-}${https_proxy:-}" "proxy after --unset"
  equal here "$(curl -fsS --cacert "$FW_SCRATCH/world.crt" "$world/page")" "the world after --unset"
}

case ${1:-} in
  gcloud | identity | endpoints | gcsfs | gsutil | curl | cloud_storage | api_client | tensorflow | git | pip | apt | stopped) ;;
  *) sed -n '2,/^set /{/^set /d; s/^# \{0,1\}//; p}' "$0"; exit 2 ;;
esac
clean_environment
# A proxy of the surroundings would be asked for loopback addresses.
unset HTTPS_PROXY https_proxy HTTP_PROXY http_proxy ALL_PROXY all_proxy
start_daemon
"client_$1"
say "$1 ok"
