#!/usr/bin/env bash
# Our own command line against a daemon of its own.
#
#   tests/compat/own_commands.sh storage_copy|storage_resume|storage_sync|storage_manage|compute_read|base_images|base_image_archive|programs
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

st() { fireweed storage "$@"; }

# The names below gs://$1, without the bucket, on one line.
names() { st ls "gs://$1/**" | sed "s,gs://$1/,," | sort | tr '\n' ' '; }

# there_or_ended PID PATTERN: a file has appeared, or the process was faster.
there_or_ended() { compgen -G "$2" >/dev/null || ! kill -0 "$1" 2>/dev/null; }

case_storage_copy() {
  local here=$FW_SCRATCH/here
  mkdir -p "$here/d/e"
  echo one >"$here/one.txt"
  echo two >"$here/d/two.txt"
  echo three >"$here/d/e/three.csv"
  printf 'odd' >"$here/d/a b#1[x].txt"
  : >"$here/d/empty"
  cd "$here"
  st buckets create gs://own-copy
  refuses st buckets create gs://own-copy
  st cp -q one.txt gs://own-copy
  st cp -q one.txt gs://own-copy/renamed
  st cp -q one.txt gs://own-copy/dir/
  equal 'dir/one.txt one.txt renamed ' "$(names own-copy)" "single files"
  refuses st cp d gs://own-copy
  grep 'say -r' "$FW_SCRATCH/refused" || fail "no word about -r"
  st cp -q -r d gs://own-copy/dir
  equal 5 "$(st ls 'gs://own-copy/dir/**' | wc -l)" "a directory into an existing prefix"
  st cp -q -r d gs://own-copy/fresh
  equal three "$(st cat gs://own-copy/fresh/e/three.csv)" "a directory to a new prefix"
  equal text/csv "$(st stat gs://own-copy/fresh/e/three.csv --format='value(contentType)')" "type by name"
  # Back again, whole and by patterns.
  st cp -q -r gs://own-copy/fresh back
  diff -r d back
  mkdir into && st cp -q -r gs://own-copy/fresh into
  diff -r d into/fresh
  st cp -q 'gs://own-copy/fresh/*.txt' into
  equal 2 "$(find into -maxdepth 1 -type f | wc -l)" "files by a pattern"
  refuses st cp 'gs://own-copy/none*' into
  refuses st cp gs://own-copy/fresh/two.txt gs://own-copy/one.txt nodir
  # Streams.
  printf 'a stream' | st cp -q - gs://own-copy/stream
  equal 'a stream' "$(st cp -q gs://own-copy/stream -)" "to standard output"
  equal strea "$(st cat -r 2-6 gs://own-copy/stream)" "a range"
  # Within the store, with preconditions and without clobbering.
  st cp -q gs://own-copy/stream gs://own-copy/copy --custom-metadata k=v
  equal v "$(st stat gs://own-copy/copy --format='value(metadata.k)')" "metadata of a copy"
  refuses st cp -q one.txt gs://own-copy/copy --if-generation-match 0
  st cp -q -n one.txt gs://own-copy/copy
  equal 'a stream' "$(st cat gs://own-copy/copy)" "-n"
  echo kept >kept && st cp -q -n gs://own-copy/stream kept
  equal kept "$(cat kept)" "-n on a local file"
  # A name that would leave the directory is refused; the others arrive.
  printf 'x' | st cp -q - 'gs://own-copy/trap/../../escaped'
  printf 'y' | st cp -q - 'gs://own-copy/trap/fine'
  refuses st cp -q -c -r gs://own-copy/trap trapped
  equal y "$(cat trapped/fine)" "the harmless one"
  if [ -e ../escaped ] || [ -e escaped ]; then fail "an object escaped"; fi
  st mv -q gs://own-copy/fresh gs://own-copy/moved
  equal 0 "$(st ls 'gs://own-copy/**' | grep -c /fresh/ || true)" "nothing stays after mv"
  equal 4 "$(st ls 'gs://own-copy/moved/**' | wc -l)" "everything moved"
  equal '{"bytes":4,"failures":0,"files":1}' "$(st cp --json one.txt gs://own-copy/j | jq -cS .)" "--json"
  st rm -q -r gs://own-copy
  refuses st ls gs://own-copy
}

# A large upload and a large download that are killed go on where they were.
case_storage_resume() {
  local big=$FW_SCRATCH/big part
  export XDG_CACHE_HOME=$FW_SCRATCH/cache
  head -c 80000000 /dev/urandom >"$big"
  st buckets create gs://own-resume
  fireweed storage cp -q "$big" gs://own-resume/big &
  local child=$!
  FW_CHILDREN+=("$child")
  wait_until 60 "the upload has begun" there_or_ended "$child" "$XDG_CACHE_HOME/fireweed/uploads/*.upload"
  kill -9 "$child" 2>/dev/null || true
  wait "$child" 2>/dev/null || true
  st cp -q "$big" gs://own-resume/big
  equal 80000000 "$(st stat gs://own-resume/big --format='value(size)')" "size"
  equal '' "$(compgen -G "$XDG_CACHE_HOME/fireweed/uploads/*" || true)" "trackers left"
  mkdir "$FW_SCRATCH/down"
  fireweed storage cp -q gs://own-resume/big "$FW_SCRATCH/down/big" &
  child=$!
  FW_CHILDREN+=("$child")
  wait_until 60 "the download has begun" there_or_ended "$child" "$FW_SCRATCH/down/.big.*.part"
  kill -9 "$child" 2>/dev/null || true
  wait "$child" 2>/dev/null || true
  st cp -q gs://own-resume/big "$FW_SCRATCH/down/big"
  cmp "$big" "$FW_SCRATCH/down/big"
  equal '' "$(compgen -G "$FW_SCRATCH/down/.big*" || true)" "parts left"
  # A part that was damaged meanwhile must not be taken for good.
  part=$FW_SCRATCH/down/.other.$(st stat gs://own-resume/big --format='value(generation)').part
  head -c 1000000 /dev/zero >"$part"
  refuses st cp -q gs://own-resume/big "$FW_SCRATCH/down/other"
  [ ! -e "$FW_SCRATCH/down/other" ] || fail "a damaged file appeared"
  st cp -q gs://own-resume/big "$FW_SCRATCH/down/other"
  cmp "$big" "$FW_SCRATCH/down/other"
}

case_storage_sync() {
  local tree=$FW_SCRATCH/tree
  mkdir -p "$tree/a/b"
  echo 1 >"$tree/one"
  echo 2 >"$tree/a/two"
  echo 3 >"$tree/a/b/three"
  echo tmp >"$tree/a/x.tmp"
  st buckets create gs://own-sync
  st rsync -q -r -x '.*\.tmp$' "$tree" gs://own-sync/t
  equal 't/a/b/three t/a/two t/one ' "$(names own-sync)" "first run"
  equal '' "$(st rsync -r -n -x '.*\.tmp$' "$tree" gs://own-sync/t)" "nothing left to do"
  echo changed >"$tree/one"
  rm "$tree/a/two"
  st rsync -r -n -d -x '.*\.tmp$' "$tree" gs://own-sync/t >"$FW_SCRATCH/would"
  equal 2 "$(wc -l <"$FW_SCRATCH/would")" "what a dry run says"
  equal 1 "$(st cat gs://own-sync/t/one)" "a dry run does nothing"
  st rsync -q -r -d -x '.*\.tmp$' "$tree" gs://own-sync/t
  equal changed "$(st cat gs://own-sync/t/one)" "changed"
  equal 't/a/b/three t/one ' "$(names own-sync)" "deleted"
  mkdir "$FW_SCRATCH/copy" && echo extra >"$FW_SCRATCH/copy/extra"
  st rsync -q -r -d gs://own-sync/t "$FW_SCRATCH/copy"
  rm "$tree/a/x.tmp"
  diff -r "$tree" "$FW_SCRATCH/copy"
  equal "$(stat -c %Y "$tree/one")" "$(stat -c %Y "$FW_SCRATCH/copy/one")" "times are kept"
  # Same size and time, other bytes: only -c sees it.
  echo CHANGED >"$FW_SCRATCH/copy/one"
  touch -r "$tree/one" "$FW_SCRATCH/copy/one"
  st rsync -q -r gs://own-sync/t "$FW_SCRATCH/copy"
  equal CHANGED "$(cat "$FW_SCRATCH/copy/one")" "size and time are trusted"
  st rsync -q -r -c gs://own-sync/t "$FW_SCRATCH/copy"
  equal changed "$(cat "$FW_SCRATCH/copy/one")" "-c"
  st rsync -q -r gs://own-sync/t gs://own-sync/u
  equal 2 "$(st ls 'gs://own-sync/u/**' | wc -l)" "within the store"
}

case_storage_manage() {
  st buckets create gs://own-manage --location us-east1 --no-public-access-prevention
  equal US-EAST1 "$(st buckets describe gs://own-manage --format='value(location)')" "location"
  st buckets update gs://own-manage --update-labels a=b,c=d
  st buckets update gs://own-manage --remove-labels a --versioning
  equal 'd true' "$(st buckets describe gs://own-manage --format='value[separator=" "](labels.c,versioning.enabled)')" "update"
  echo '{"rule":[{"action":{"type":"Delete"},"condition":{"age":30}}]}' >"$FW_SCRATCH/life.json"
  st buckets update gs://own-manage --lifecycle-file "$FW_SCRATCH/life.json"
  equal 30 "$(st buckets describe gs://own-manage --format='value(lifecycle.rule[0].condition.age)')" "lifecycle"
  st buckets add-iam-policy-binding gs://own-manage --member=allUsers --role=roles/storage.objectViewer --format=none
  st buckets get-iam-policy gs://own-manage --format=json | jq -e '.bindings[] | select(.members[] == "allUsers")' >/dev/null
  st buckets remove-iam-policy-binding gs://own-manage --member=allUsers --role=roles/storage.objectViewer --format=none
  refuses st buckets remove-iam-policy-binding gs://own-manage --member=allUsers --role=roles/storage.objectViewer
  for n in 1 2 3; do printf '%s' "$n$n$n" | st cp -q - "gs://own-manage/d/f$n"; done
  equal 'gs://own-manage/d/' "$(st ls gs://own-manage)" "ls of a bucket"
  equal 3 "$(st ls gs://own-manage/d | wc -l)" "ls of a prefix"
  equal 1 "$(st ls gs:// | grep -c '^gs://own-manage/$')" "ls of all buckets"
  equal 'd/f1 d/f2 d/f3' "$(st objects list gs://own-manage --format='value(name)' | paste -sd ' ')" "objects list of a bucket"
  st buckets create gs://own-empty
  equal '' "$(st objects list gs://own-empty --format='value(name)')" "objects list of an empty bucket"
  equal 'TOTAL: 3 objects, 9 bytes (9 B)' "$(st ls -l gs://own-manage/d | tail -1)" "ls -l"
  equal '9            gs://own-manage' "$(st du -s gs://own-manage | sed 's,/$,,')" "du -s"
  equal 3 "$(st ls --json gs://own-manage/d | jq length)" "ls --json"
  st compose gs://own-manage/d/f1 gs://own-manage/d/f2 gs://own-manage/joined
  equal 111222 "$(st cat gs://own-manage/joined)" "compose"
  st objects update gs://own-manage/joined --content-type text/x-one --update-custom-metadata p=q --format=none
  equal 'text/x-one q' "$(st objects describe gs://own-manage/joined --format='value[separator=" "](contentType,metadata.p)')" "objects update"
  equal "$(printf 111222 >"$FW_SCRATCH/sum" && st hash "$FW_SCRATCH/sum" --format='value(crc32c_hash)')" \
    "$(st hash gs://own-manage/joined --format='value(crc32c_hash)')" "hash"
  printf 'new' | st cp -q - gs://own-manage/joined
  equal 2 "$(st ls -a gs://own-manage/joined | wc -l)" "ls -a"
  old=$(st ls -a gs://own-manage/joined | sed -n 1p)
  equal 111222 "$(st cat "$old")" "an old version by its generation"
  refuses st rm gs://own-manage/none
  st rm -q 'gs://own-manage/d/f[12]'
  equal 'd/f3 joined ' "$(names own-manage)" "rm by a pattern"
  refuses st buckets delete gs://own-manage
  st rm -q -r gs://own-manage
  refuses st buckets describe gs://own-manage
  fireweed completion bash | bash -n
}

case_compute_read() {
  fireweed compute zones list --filter='name=us-central1-a' --format='value(name,region.basename())' >"$FW_SCRATCH/zones"
  equal "us-central1-a	us-central1" "$(cat "$FW_SCRATCH/zones")" "zones list"
  fireweed compute machine-types list --zone us-central1-a --filter='guestCpus=4 AND name:n1-*' --sort-by ~memoryMb \
    --limit 1 --format='csv[no-heading](name,guestCpus)' >"$FW_SCRATCH/types"
  equal n1-highmem-4,4 "$(cat "$FW_SCRATCH/types")" "machine types"
  equal default "$(fireweed compute networks list --format='value(name)')" "networks"
  fireweed compute regions describe us-central1 --format=json | jq -e '.name == "us-central1"' >/dev/null
  fireweed compute disk-types list --format=yaml >/dev/null
  fireweed compute accelerator-types list --format='table[box](name,zone.basename())' >/dev/null
  fireweed compute images list --format=none
  fireweed compute instances list >"$FW_SCRATCH/none" 2>&1
  grep 'Listed 0 items' "$FW_SCRATCH/none" || fail "an empty list"
  fireweed compute project-info add-metadata --metadata k=v
  equal v "$(fireweed compute project-info describe --format='value(commonInstanceMetadata.items.k)')" "project metadata"
  fireweed compute project-info remove-metadata --keys k
  refuses fireweed compute instances describe none
  refuses fireweed compute zones list --format='value(name'
  fireweed compute operations list --format='value(name)' >/dev/null
  # One that is not there keeps none of the others.
  fireweed compute disks create left right --zone us-central1-a
  equal 'left right' "$(fireweed complete /compute/disks/delete | paste -sd ' ')" "names for completion"
  equal left "$(fireweed complete /compute/disks/delete l)" "names that begin with a word"
  fireweed storage buckets create gs://own-complete
  equal gs://own-complete/ "$(fireweed complete /storage/ls gs://own-c)" "buckets for completion"
  fireweed storage buckets delete gs://own-complete
  refuses fireweed compute disks delete left none right --zone us-central1-a -q
  equal '' "$(fireweed compute disks list --format='value(name)')" "disks that should have gone"
}

# State directories that stand on the base image $1.
stays_stopped() { [ "$(fireweed compute instances describe stander --format='value(status)')" = TERMINATED ]; }
users_of() { fireweed --json base-images list | jq -r --arg name "$1" '.[] | select(.path | endswith($name)) | .users[]'; }
nobody_uses() { [ -z "$(users_of "$1")" ]; }
shelved() { find "$FW_SCRATCH/images" -maxdepth 1 -name 'base-*' ! -name '*.*' -printf '%f\n' | sort | tr '\n' ' '; }

# On a shelf of its own: the machine's is everybody's.
case_base_images() {
  local image name shelf=$FW_SCRATCH/images
  [ "$(id -u)" = 0 ] || skip "only containers stand on a base image: that needs root"
  image=$("$FW_TREE/packaging/image/build_base_image" --print | sed -n 's/^image //p') || true
  [ -n "$image" ] || skip "the base image is not built (tools/prepare_image)"
  name=$(basename "$image")
  mkdir -p "$shelf/$name.users"
  ln -s "$image" "$shelf/$name"
  cp "$image.binds" "$shelf/"
  stop_daemon
  printf 'instances: {imageDirectory: "%s"}\n' "$shelf" >"$FIREWEED_STATE/config.yaml"
  start_daemon

  equal '' "$(users_of "$name")" "users before the first boot"
  fireweed compute instances create stander --zone us-central1-a --image-family debian-12 --image-project debian-cloud
  equal "$FIREWEED_STATE" "$(users_of "$name")" "users after it"
  fireweed compute instances stop stander --zone us-central1-a
  stop_daemon
  start_daemon
  equal "$FIREWEED_STATE" "$(users_of "$name")" "users while the disk is there"

  mkdir -p "$shelf/base-free/etc" "$shelf/base-free.users" "$shelf/base-gone" "$shelf/base-gone.users" "$shelf/base-old" \
    "$shelf/base-used" "$shelf/base-used.users"
  ln -s "$FW_SCRATCH/nowhere" "$shelf/base-gone.users/key"
  ln -s "$FW_SCRATCH" "$shelf/base-used.users/key"
  fireweed base-images prune
  equal "$(printf '%s\n' "$name" base-old base-used | sort | tr '\n' ' ')" "$(shelved)" "what is left"
  fireweed base-images prune --unknown
  equal "$(printf '%s\n' "$name" base-used | sort | tr '\n' ' ')" "$(shelved)" "what is left without the unknown"
  fireweed base-images list | grep -F "$FW_SCRATCH" >"$FW_SCRATCH/line" || fail "the list names no user"

  # A purge lasts: the instance stays stopped, with its disk, until somebody starts it.
  fireweed compute instances start stander --zone us-central1-a
  stop_daemon --purge
  start_daemon
  wait_until 20 "the purged instance is known as stopped" stays_stopped
  fireweed compute instances delete stander --zone us-central1-a -q
  stop_daemon
  start_daemon
  wait_until 60 "the image is given back" nobody_uses "$name"
}

arrived() { fireweed compute instances get-serial-port-output traveller --zone us-central1-a | grep arrived >"$FW_SCRATCH/line"; }

# The base image goes to another host as a file: one whose recipe names an image that is not there.
case_base_image_archive() {
  local name shelf=$FW_SCRATCH/images archive=$FW_SCRATCH/image.tar digest
  [ "$(id -u)" = 0 ] || skip "only containers stand on a base image: that needs root"
  name=$("$FW_TREE/packaging/image/build_base_image" --print | sed -n 's,^image .*/,,p') || true
  [ -n "$name" ] || skip "the base image is not built (tools/prepare_image)"
  digest=$(fireweed base-images export "$archive" 2>"$FW_SCRATCH/export.log") || fail "$(cat "$FW_SCRATCH/export.log")"
  stop_daemon
  printf 'instances: {imageDirectory: "%s"}\n' "$shelf" >"$FIREWEED_STATE/config.yaml"
  refuses fireweed base-images import "$archive" --digest sha256:00
  equal "$shelf/$name" "$(fireweed base-images import "$archive" --digest "$digest" 2>"$FW_SCRATCH/import.log")" "import"
  rm "$archive"
  # Another constraint for pip is another recipe: only the link leads to the image now.
  printf '# %s\n' "$$" >"$FW_SCRATCH/constraints"
  equal "image $shelf/$name" "$("$FW_TREE/packaging/image/build_base_image" --images "$shelf" \
    --constraints "$FW_SCRATCH/constraints" --print)" "the image of another recipe"
  start_daemon
  fireweed compute instances create traveller --zone us-central1-a --image-family debian-12 --image-project debian-cloud \
    --metadata startup-script='sudo -n true && stat -c %a /usr/bin/sudo && echo arrived'
  wait_until 60 "the imported image has booted" arrived
}

# What the guides type is on PATH after `fireweed env`, also on a host without the Cloud SDK.
case_programs() {
  local few=$FW_SCRATCH/few name before
  mkdir "$few"
  for name in bash cat env git grep jq mkdir rm sed sh; do ln -s "$(command -v "$name")" "$few/$name"; done
  before=$FIREWEED_BIN:$few:/nonexistent
  mkdir "$FW_SCRATCH/sdk" && printf '#!/bin/sh\necho real\n' >"$FW_SCRATCH/sdk/gcloud" && chmod 755 "$FW_SCRATCH/sdk/gcloud"
  (
    PATH=$before
    use_daemon
    equal "$FIREWEED_STATE/client/bin/datalab" "$(command -v datalab)" "datalab"
    datalab list 2>"$FW_SCRATCH/none"
    grep 'Listed 0 items' "$FW_SCRATCH/none" || fail "datalab list"
    refuses datalab create lab --zone nowhere-x
    gsutil mb -l us-east1 gs://own-programs
    echo hello | gsutil -q cp - gs://own-programs/a
    equal hello "$(gsutil cat gs://own-programs/a)" "gsutil cat"
    gsutil -m rm -r gs://own-programs
    refuses gsutil acl get gs://own-programs
    gcloud config set compute/zone us-east1-b
    equal us-east1-b "$(gcloud config get-value compute/zone)" "gcloud config"
    gcloud --quiet compute disks create disk --size 10GB
    equal us-east1-b "$(fireweed compute disks list --format='value(zone.basename())')" "the zone that was set"
    gcloud compute disks delete disk
    gcloud source repos create own-programs
    gcloud source repos clone own-programs "$FW_SCRATCH/clone" 2>"$FW_SCRATCH/clone.log" || fail "$(cat "$FW_SCRATCH/clone.log")"
    if grep -i error "$FW_SCRATCH/clone.log"; then fail "git clone complains"; fi
    # A program that is installed later is not hidden; a PATH that was changed keeps its changes.
    PATH=$PATH:$FW_SCRATCH/sdk
    use_daemon
    equal real "$(gcloud)" "a gcloud that came later"
    PATH=/venv/bin:$PATH
    eval "$(fireweed env --unset)"
    equal "/venv/bin:$before:$FW_SCRATCH/sdk" "$PATH" "PATH after --unset"
  )
}

declare -F "case_${1:-}" >/dev/null || fail "no such case: ${1:-}"
clean_environment
start_daemon
"case_$1"
say "$1 ok"
