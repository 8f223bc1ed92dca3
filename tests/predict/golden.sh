#!/usr/bin/env bash
# fireweed-serve's predictions against those of the libraries that trained the models.
#
#   tests/predict/golden.sh xgboost VERSION | sklearn | tensorflow
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
export FIREWEED_BIN OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
here=$FW_TREE/tests/predict

[ -x "$FIREWEED_BIN/fireweed-serve" ] || fail "no fireweed-serve in $FIREWEED_BIN"

# The directory that tools/install predict made.
rivals() {
  local directory
  directory=$(XDG_CACHE_HOME=$FW_CACHE_HOME HOME=$FW_USER_HOME "$FW_TREE/tools/install" --predict)
  [ -e "$directory/complete" ] || skip "tools/install predict has not run"
  printf '%s\n' "$directory"
}

case ${1:-} in
  xgboost)
    directory=$(rivals)
    mapfile -t versions < <(printf '%s\n' "$directory"/xgboost-* | sort -V)
    "$directory/bin/python" "$here/xgboost_models.py" "$FW_SCRATCH/models" "$directory/xgboost-$2" "${versions[@]}"
    ;;
  sklearn)
    directory=$(rivals)
    "$directory/bin/python" "$here/sklearn_models.py" "$FW_SCRATCH/models"
    ;;
  tensorflow)
    python=$(python_clients)/bin/python
    "$python" -c 'import tensorflow' 2>/dev/null || skip "no TensorFlow among the Python clients"
    "$python" "$here/tensorflow_models.py" "$FW_SCRATCH/models"
    ;;
  *) fail "which case? xgboost VERSION, sklearn or tensorflow" ;;
esac
