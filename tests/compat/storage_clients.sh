#!/usr/bin/env bash
# What training code does with gs://, by the libraries it does it with, against a daemon of its own.
#
#   tests/compat/storage_clients.sh python|faults|xml|tensorflow|tensorboard|node
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# with_python: runs the program on standard input with the Python clients.
with_python() { TF_CPP_MIN_LOG_LEVEL=3 "$(python_clients)/bin/python" -W ignore -; }

# Google's library: every way in and out, preconditions, composition, rewrites, batches.
client_python() {
  with_python <<'PYTHON'
import io
import os
import google.api_core.exceptions as exceptions
import google.cloud.storage
client = google.cloud.storage.Client()
bucket = client.create_bucket('compat-objects')
data = os.urandom(3 << 20)

# Small, resumable in small chunks, and of a length that nobody knows before its end.
bucket.blob('small').upload_from_string(b'small', content_type='text/plain')
large = bucket.blob('large', chunk_size=256 << 10)
large.upload_from_file(io.BytesIO(data), size=len(data))
large.reload()
assert large.size == len(data)
with bucket.blob('stream', chunk_size=256 << 10).open('wb') as stream:
    for at in range(0, len(data), 100000):
        stream.write(data[at:at + 100000])
assert bucket.blob('stream').download_as_bytes() == data
empty = bucket.blob('empty')
empty.upload_from_string(b'')
assert bucket.blob('empty').download_as_bytes() == b''

# Ranges, in one request and through a file object.
assert large.download_as_bytes(start=1000, end=1999) == data[1000:2000]
assert large.download_as_bytes(start=len(data) - 5) == data[-5:]
with bucket.blob('large', chunk_size=1 << 20).open('rb') as stream:
    stream.seek(2 << 20)
    assert stream.read(10) == data[2 << 20:(2 << 20) + 10]
    stream.seek(0, 2)
    assert stream.read(10) == b''

# Preconditions, right and wrong.
def refused(action, error=exceptions.PreconditionFailed):
    try:
        action()
    except error:
        return
    raise AssertionError('not refused')
small = bucket.get_blob('small')
refused(lambda: bucket.blob('small').upload_from_string(b'x', if_generation_match=0))
refused(lambda: small.delete(if_generation_match=1))
refused(lambda: bucket.blob('small').download_as_bytes(if_metageneration_match=9))
refused(lambda: bucket.get_blob('small', if_generation_match=1))
small.metadata = {'color': 'red'}
small.patch(if_metageneration_match=small.metageneration)
refused(lambda: bucket.blob('large', chunk_size=256 << 10).upload_from_file(
    io.BytesIO(data), size=len(data), if_generation_match=0))
assert bucket.get_blob('small').metadata == {'color': 'red'}

# A sum that is wrong is refused, and nothing is stored.
wrong = bucket.blob('wrong')
wrong.md5_hash = 'AAAAAAAAAAAAAAAAAAAAAA=='
refused(lambda: wrong.upload_from_string(b'bytes'), exceptions.BadRequest)
assert not bucket.blob('wrong').exists()

# Composition, copies, rewrites, moves, versions.
both = bucket.blob('both')
both.compose([small, large], if_generation_match=0)
both.reload()
assert both.component_count == 2 and both.download_as_bytes() == b'small' + data
bucket.copy_blob(small, bucket, 'copied')
assert bucket.get_blob('copied').metadata == {'color': 'red'}
target = bucket.blob('rewritten')
token, done, total = target.rewrite(both)
assert token is None and done == total == both.size
target.update_storage_class('NEARLINE')
assert bucket.get_blob('rewritten').storage_class == 'NEARLINE'
bucket.move_blob(target, 'moved')
assert not target.exists() and bucket.blob('moved').exists()
bucket.versioning_enabled = True
bucket.patch()
first = bucket.blob('v')
first.upload_from_string(b'1')
bucket.blob('v').upload_from_string(b'2')
assert bucket.blob('v', generation=first.generation).download_as_bytes() == b'1'
assert len(list(client.list_blobs(bucket, prefix='v', versions=True))) == 2

# Stored packed, read plain and packed.
packed = bucket.blob('packed')
packed.content_encoding = 'gzip'
import gzip
packed.upload_from_string(gzip.compress(b'plain text' * 100), content_type='text/plain')
assert bucket.blob('packed').download_as_bytes() == b'plain text' * 100
assert gzip.decompress(bucket.blob('packed').download_as_bytes(raw_download=True)) == b'plain text' * 100

# Listings.
for name in ('d/a', 'd/b', 'd/e/f', 'we ird+name#1?é%.txt'):
    bucket.blob(name).upload_from_string(name.encode())
listing = client.list_blobs(bucket, delimiter='/', page_size=2, max_results=None)
names = [blob.name for blob in listing]
assert listing.prefixes == {'d/'} and 'we ird+name#1?é%.txt' in names, names
assert [b.name for b in client.list_blobs(bucket, match_glob='d/*')] == ['d/a', 'd/b']
assert [b.name for b in client.list_blobs(bucket, start_offset='d/b', end_offset='e')] == ['d/b', 'd/e/f']

# Many in one request.
with client.batch():
    for name in ('d/a', 'd/b', 'd/e/f'):
        bucket.blob(name).delete()
assert not list(client.list_blobs(bucket, prefix='d/'))
PYTHON
}

# The library's own retries, through faults that the daemon was told to make.
client_faults() {
  with_python <<'PYTHON'
import io
import os
import google.cloud.storage
import requests
from google.cloud.storage.retry import DEFAULT_RETRY
api = 'https://storage.googleapis.com'
quick = DEFAULT_RETRY.with_delay(initial=0.01, maximum=0.05, multiplier=1).with_deadline(30)
client = google.cloud.storage.Client()
bucket = client.create_bucket('compat-faults')
data = os.urandom(1 << 20)

class Test:
    def __init__(self, method, *faults):
        reply = requests.post(api + '/retry_test', json={'instructions': {method: list(faults)}})
        reply.raise_for_status()
        self.id = reply.json()['id']
    def __enter__(self):
        client._extra_headers = {'x-retry-test-id': self.id}
        client._connection.extra_headers = client._extra_headers
    def __exit__(self, *failure):
        client._extra_headers = {}
        client._connection.extra_headers = {}
        if failure[0] is None:
            left = requests.get(api + '/retry_test/' + self.id).json()
            assert left['completed'], left

with Test('storage.buckets.get', 'return-503', 'return-429', 'return-reset-connection'):
    client.get_bucket('compat-faults', retry=quick)
with Test('storage.objects.insert', 'return-503', 'return-408'):
    bucket.blob('small').upload_from_string(b'small', if_generation_match=0, retry=quick)
with Test('storage.objects.insert', 'return-503-after-256K'):
    bucket.blob('large', chunk_size=512 << 10).upload_from_file(io.BytesIO(data), size=len(data), retry=quick)
assert bucket.blob('large').download_as_bytes() == data
with Test('storage.objects.get', 'return-broken-stream-after-256K', 'return-503'):
    assert bucket.blob('large').download_as_bytes(retry=quick) == data
with Test('storage.objects.list', 'return-504'):
    assert len(list(client.list_blobs(bucket, retry=quick))) == 2
# A header of one's own; what is not retried shows.
reply = requests.get(api + '/compat-faults/small', headers={'x-goog-emulator-instructions': 'return-503'})
assert reply.status_code in (401, 503), reply.status_code
PYTHON
}

# The XML API by the same library: uploads in parts, several at once.
client_xml() {
  head -c 20000000 /dev/urandom >"$FW_SCRATCH/big"
  BIG=$FW_SCRATCH/big with_python <<'PYTHON'
import os
import google.cloud.storage
from google.cloud.storage import transfer_manager
client = google.cloud.storage.Client()
bucket = client.create_bucket('compat-xml')
transfer_manager.upload_chunks_concurrently(os.environ['BIG'], bucket.blob('dir/big'), chunk_size=6 << 20,
                                            worker_type=transfer_manager.THREAD)
blob = bucket.get_blob('dir/big')
assert blob.size == 20000000, blob.size
transfer_manager.download_chunks_concurrently(blob, os.environ['BIG'] + '.back', chunk_size=4 << 20,
                                              worker_type=transfer_manager.THREAD)
PYTHON
  cmp "$FW_SCRATCH/big" "$FW_SCRATCH/big.back"
  # Not through the proxy: gsutil's XML client fails on its password before it sends anything.
  eval "$(fireweed env --unset)"
  eval "$(fireweed env --no-proxy)"
  local program
  program="$(python_clients)/bin/gsutil -o GSUtil:prefer_api=xml"
  $program -q cp "$FW_SCRATCH/big" gs://compat-xml/copied
  # Read by the JSON API: with a port of its own, gsutil's XML client fails on reads before it sends anything.
  "$(python_clients)/bin/gsutil" -q cp gs://compat-xml/copied "$FW_SCRATCH/copied"
  cmp "$FW_SCRATCH/big" "$FW_SCRATCH/copied"
  equal gs://compat-xml/copied "$($program ls 'gs://compat-xml/c*')" "gsutil ls by XML"
  $program versioning set on gs://compat-xml
  equal 'gs://compat-xml: Enabled' "$($program versioning get gs://compat-xml)" "gsutil versioning by XML"
  $program -q rm -r gs://compat-xml
}

# Checkpoints, records, event files, and the calls of gfile.
client_tensorflow() {
  with_python <<'PYTHON'
import tensorflow as tf
import google.cloud.storage
google.cloud.storage.Client().create_bucket('compat-tensorflow')
top = 'gs://compat-tensorflow/job'
gfile = tf.io.gfile

# Checkpoints.
checkpoint = tf.train.Checkpoint(weights=tf.Variable([1.0, 2.0]), step=tf.Variable(1))
manager = tf.train.CheckpointManager(checkpoint, top + '/ckpt', max_to_keep=2)
for step in range(3):
    checkpoint.weights.assign_add([1.0, 1.0])
    manager.save()
checkpoint.weights.assign([0.0, 0.0])
checkpoint.restore(tf.train.latest_checkpoint(top + '/ckpt')).assert_consumed()
assert checkpoint.weights.numpy().tolist() == [4.0, 5.0]
assert len([n for n in gfile.listdir(top + '/ckpt') if n.endswith('.index')]) == 2

# Records.
with tf.io.TFRecordWriter(top + '/data/part-0.tfrecord') as writer:
    for i in range(1000):
        writer.write(b'record %d' % i)
records = tf.data.TFRecordDataset(gfile.glob(top + '/data/*.tfrecord'))
assert [r.numpy() for r in records] == [b'record %d' % i for i in range(1000)]

# Event files grow with each flush.
events = tf.summary.create_file_writer(top + '/logs')
with events.as_default():
    for step in range(3):
        tf.summary.scalar('loss', 1.0 / (step + 1), step=step)
        events.flush()
name = gfile.glob(top + '/logs/events*')[0]
seen = [v.tag for e in tf.compat.v1.train.summary_iterator(name) for v in e.summary.value]
assert seen == ['loss'] * 3, seen

# The rest of gfile.
gfile.makedirs(top + '/a/b/c')
assert gfile.isdir(top + '/a/b')
with gfile.GFile(top + '/a/we ird+name#1?é%.txt', 'w') as stream:
    stream.write('x')
gfile.copy(top + '/a/we ird+name#1?é%.txt', top + '/a/copy')
gfile.rename(top + '/a', top + '/z')
assert sorted(gfile.listdir(top + '/z')) == ['b/', 'copy', 'we ird+name#1?é%.txt'], gfile.listdir(top + '/z')
assert [d for d, _, _ in gfile.walk(top + '/z')][0].rstrip('/') == top + '/z'
with gfile.GFile(top + '/z/copy', 'a') as stream:
    stream.write('yz')
with gfile.GFile(top + '/z/copy', 'rb') as stream:
    stream.seek(1)
    assert stream.read(5) == b'yz' and stream.read(5) == b''
gfile.rmtree(top)
assert not gfile.exists(top)
try:
    gfile.GFile(top + '/none').read()
    raise AssertionError('a file that is not there')
except tf.errors.NotFoundError:
    pass
PYTHON
}

# board_shows URL TAG: whether a TensorBoard has read this scalar.
board_shows() {
  curl -fsS --noproxy '*' "$1/data/plugin/scalars/tags" >"$FW_SCRATCH/tags" 2>/dev/null && grep -qs "$2" "$FW_SCRATCH/tags"
}

client_tensorboard() {
  local bin port
  bin=$(python_clients)/bin
  [ -x "$bin/tensorboard" ] || skip "TensorBoard is not installed"
  with_python <<'PYTHON'
import tensorflow as tf
import google.cloud.storage
google.cloud.storage.Client().create_bucket('compat-tensorboard')
events = tf.summary.create_file_writer('gs://compat-tensorboard/logs/run')
with events.as_default():
    tf.summary.scalar('accuracy', 0.5, step=1)
PYTHON
  TF_CPP_MIN_LOG_LEVEL=3 "$bin/tensorboard" --logdir gs://compat-tensorboard/logs --port 0 --host 127.0.0.1 \
    --load_fast=false --reload_interval 1 >"$FW_SCRATCH/board" 2>&1 &
  FW_CHILDREN+=($!)
  wait_until 120 "TensorBoard says where it is" grep -qsE 'http://127.0.0.1:[0-9]+' "$FW_SCRATCH/board"
  port=$(sed -nE 's|.*http://127.0.0.1:([0-9]+).*|\1|p' "$FW_SCRATCH/board" | head -1)
  wait_until 120 "TensorBoard shows the run" board_shows "http://127.0.0.1:$port" accuracy
}

client_node() {
  local modules
  modules=$(XDG_CACHE_HOME=$FW_CACHE_HOME HOME=$FW_USER_HOME "$FW_TREE/tools/install" --node)
  [ -d "$modules/node_modules" ] || skip "the Node client is not installed (tools/install node)"
  NODE_PATH=$modules/node_modules PATH=$PATH:$modules-runtime/bin node - <<'NODE'
const assert = require('assert');
const {Storage} = require('@google-cloud/storage');
async function main() {
  const storage = new Storage({projectId: process.env.GOOGLE_CLOUD_PROJECT});
  const [bucket] = await storage.createBucket('compat-node');
  const data = Buffer.alloc(3 << 20, 'node');
  await bucket.file('small').save('small', {resumable: false, metadata: {metadata: {a: 'b'}}});
  await bucket.file('large').save(data, {resumable: true, chunkSize: 256 << 10});
  assert.deepEqual((await bucket.file('large').download())[0], data);
  assert.equal((await bucket.file('large').download({start: 4, end: 7}))[0].toString(), 'node');
  const [metadata] = await bucket.file('small').getMetadata();
  assert.equal(metadata.metadata.a, 'b');
  await assert.rejects(bucket.file('small').save('x', {resumable: false, preconditionOpts: {ifGenerationMatch: 0}}),
    error => error.code === 412);
  await bucket.combine(['small', 'large'], 'both');
  await bucket.file('both').copy(bucket.file('copied'));
  await bucket.file('copied').move('moved');
  const [files] = await bucket.getFiles({matchGlob: '{both,moved}'});
  assert.deepEqual(files.map(f => f.name), ['both', 'moved']);
  const [page, , reply] = await bucket.getFiles({prefix: '', delimiter: '/', maxResults: 2, autoPaginate: false});
  assert.equal(page.length, 2);
  assert.ok(reply.nextPageToken);
  await bucket.deleteFiles();
  await bucket.delete();
}
main().catch(error => { console.error(error); process.exit(1); });
NODE
}

case ${1:-} in
  python | faults | xml | tensorflow | tensorboard | node) ;;
  *) sed -n '2,/^set /{/^set /d; s/^# \{0,1\}//; p}' "$0"; exit 2 ;;
esac
clean_environment
# A proxy of the surroundings would be asked for loopback addresses.
unset HTTPS_PROXY https_proxy HTTP_PROXY http_proxy ALL_PROXY all_proxy
if [ "$1" = faults ]; then
  mkdir -p "$FIREWEED_STATE"
  printf 'storage:\n  faults: true\n' >"$FIREWEED_STATE/config.yaml"
fi
start_daemon
use_daemon
"client_$1"
say "$1 ok"
