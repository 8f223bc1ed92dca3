#!/usr/bin/env bash
# The example trainers that survive, on this machine's directories: killed, warned, and in the end the same models.
#
#   tests/examples/survival.sh plain|scikit|estimator|network
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1

# The frameworks that tools/install keeps for comparing predictions.
rivals() {
  local directory
  directory=$(XDG_CACHE_HOME=$FW_CACHE_HOME HOME=$FW_USER_HOME "$FW_TREE/tools/install" --predict)
  [ -e "$directory/complete" ] || skip "tools/install predict has not run"
  printf '%s\n' "$directory"
}

python=python3 needs=json PYTHONPATH=
case ${1:-} in
  plain) tests=(Convention Plain) ;;
  scikit) directory=$(rivals) python=$directory/bin/python needs=sklearn,xgboost PYTHONPATH=$directory/xgboost-3.1.1 tests=(Scikit Boosted) ;;
  estimator) python=$(python_clients)/bin/python needs=tensorflow tests=(Estimator) ;;
  network) needs=torch tests=(Network) ;;
  *) fail "usage: survival.sh plain|scikit|estimator|network" ;;
esac
export PYTHONPATH TMPDIR=$FW_SCRATCH
"$python" -c "import $needs" >"$FW_SCRATCH/import" 2>&1 || skip "$needs is not installed here"
"$python" "$FW_TREE/examples/survival/trainer_test.py" "${tests[@]}"
say "$1 ok"
