#!/usr/bin/env bash
# A notebook as the guides of Cloud Datalab make it: Jupyter behind a token, gs:// in it, a clone, git as the browser's panel does
# it, all cells without a browser, a local port, and a disk that outlives the instance.
#
#   tools/install notebooks && tests/compat/notebooks.sh
#
# No part of ./test: installing Jupyter in the instance takes a minute. The story of the ML engine makes a notebook as well.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

[ "$(id -u)" = 0 ] || skip "instances are containers with networks of their own: that needs root"
command -v ssh >/dev/null || skip "no ssh client"
WHEELS=$(XDG_CACHE_HOME=$FW_CACHE_HOME HOME=$FW_USER_HOME "$FW_TREE/tools/install" --notebooks)
[ -e "$WHEELS/complete" ] || skip "no wheels of Jupyter (tools/install notebooks)"
readonly BUCKET=notebooks-test-$$

on_failure() { fireweed compute instances logs lab | tail -40; }

clean_environment
unset HTTPS_PROXY https_proxy HTTP_PROXY http_proxy ALL_PROXY all_proxy
start_daemon
use_daemon
mkdir "$FW_SCRATCH/bin"
ln -s "$FIREWEED_BIN/fireweed" "$FW_SCRATCH/bin/datalab"
PATH=$FW_SCRATCH/bin:$PATH
fireweed storage buckets create "gs://$BUCKET" >/dev/null 2>&1
fireweed storage cp "$WHEELS"/*.whl "gs://$BUCKET/wheels/" >/dev/null 2>&1
fireweed data make iris --as "gs://$BUCKET/iris" >/dev/null

datalab --zone us-central1-a create lab --no-connect --disk-size-gb 10 --wheels "gs://$BUCKET/wheels" >"$FW_SCRATCH/page"
page=$(cat "$FW_SCRATCH/page")
server=${page%/lab?token=*} token=${page#*token=}
case $page in http://*:8080/lab?token=????????*) ;; *) fail "no address to open: $page" ;; esac
jupyter() { # METHOD PATH [BODY]
  curl -sS --max-time 60 -X "$1" -H "Authorization: token $token" ${3:+-d "$3"} "$server/$2"
}
status() { curl -sS -o /dev/null -w '%{http_code}' "$@"; }
equal 403 "$(status "$server/api/contents")" "without a token"
equal 200 "$(status "$server/api/contents?token=$token")" "with the token"
equal 200 "$(status "$server/lab?token=$token")" "the page itself"
equal "lab RUNNING lab-pd $page" "$(datalab list --format='value(name,state,disk,url)' | tr '\t' ' ')" "datalab list"
equal "$page" "$(fireweed --json notebooks describe lab | jq -r .url)" "notebooks describe"

# The notebook goes into the clone and to the repository, as the panel in the browser does it.
jq -c '{type: "notebook", format: "json", content: .}' "$FW_TREE/examples/iris/Iris.ipynb" >"$FW_SCRATCH/body"
jupyter PUT api/contents/datalab-notebooks/Iris.ipynb "@$FW_SCRATCH/body" >"$FW_SCRATCH/put"
equal Iris.ipynb "$(jq -r '.name // .message' "$FW_SCRATCH/put")" "the notebook that was saved"
git_panel() { # METHOD-OF-THE-PANEL BODY
  jupyter POST "git/datalab-notebooks/$1" "$2" >"$FW_SCRATCH/git.$1"
}
git_panel add '{"add_all": false, "filename": "Iris.ipynb"}'
git_panel commit '{"commit_msg": "Look at flowers"}'
git_panel push '{"remote": "origin", "force": false}'
repository=https://source.developers.google.com/p/$GOOGLE_CLOUD_PROJECT/r/datalab-notebooks
git clone -q "$repository" "$FW_SCRATCH/clone" || fail "nothing was pushed: $(cat "$FW_SCRATCH"/git.*)"
equal 'Look at flowers' "$(git -C "$FW_SCRATCH/clone" log -1 --format=%s)" "the commit of the browser"

# All cells; the last one writes to the bucket.
fireweed compute instances exec --ssh-key-file "$FW_SCRATCH/key" jupyter@lab -- \
  "IRIS_DATA=gs://$BUCKET/iris jupyter nbconvert --to notebook --execute --output Run.ipynb datalab-notebooks/Iris.ipynb" >/dev/null
jupyter GET 'api/contents/datalab-notebooks/Run.ipynb?content=1' | jq -r '.content.cells[].outputs[]?.text // empty' >"$FW_SCRATCH/said"
grep '^accuracy 0\.[89]\|^accuracy 1' "$FW_SCRATCH/said" >/dev/null || fail "the notebook said $(cat "$FW_SCRATCH/said")"
[ -n "$(fireweed storage ls "gs://$BUCKET/iris/notebook/model.joblib")" ] || fail "no model in the bucket"

# Stopped and reached again by a local port; what was on the disk still is.
datalab stop lab
equal '' "$(fireweed --json notebooks describe lab | jq -r '.url // empty')" "the address of a stopped notebook"
refuses datalab stop nothing
datalab connect lab --port 0 >"$FW_SCRATCH/connect" 2>"$FW_SCRATCH/connect.errors" &
FW_CHILDREN+=($!)
connected() { grep -o 'http://localhost:[0-9]*/lab?token=.*' "$FW_SCRATCH/connect" >"$FW_SCRATCH/local"; }
wait_until 180 "datalab connect printed its address" connected
server=$(sed 's,/lab.*,,' "$FW_SCRATCH/local")
equal Run.ipynb "$(jupyter GET 'api/contents/datalab-notebooks/Run.ipynb?content=0' | jq -r .name)" "a notebook through the local port"

datalab delete lab
equal lab-pd "$(fireweed compute disks list --format='value(name)')" "disks after delete"
refuses fireweed notebooks describe lab
equal '' "$(fireweed notebooks list --format='value(name)')" "notebooks after delete"
say ok
