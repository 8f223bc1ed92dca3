#!/usr/bin/env bash
# The example search that journals: killed in the middle it goes on, and ends as if nothing had happened.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 TMPDIR=$FW_SCRATCH

packages=$(example_packages)
[ -e "$packages/complete" ] || skip "tools/install examples has not run"
"$packages/bin/python" "$FW_TREE/examples/burst/search_test.py"
say "burst ok"
