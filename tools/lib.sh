# shellcheck shell=bash
# Sourced by ./run, ./test and the scripts in tools/: where things are, and how messages look.
# Everything here is a pure function of the tree and the user's cache directory; nothing is remembered elsewhere.

FW_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
FW_CACHE=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/fireweed
FW_BOOST_PREFIX=$FW_CACHE/boost-1.81
FW_REQUIREMENTS=$FW_ROOT/tests/compat/requirements.txt
# shellcheck disable=SC2034  # used by those who source this
FW_JOBS=${FIREWEED_JOBS:-$(nproc)}

say() { printf '%s\n' "$*"; }
warn() { printf 'warning: %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# again TIMES CMD...: for downloads, which fail now and then for no reason of ours.
again() {
  local times=$1 try
  shift
  for ((try = 1; ; try++)); do
    "$@" && return 0
    ((try < times)) || return 1
    warn "failed ($try of $times): $1 ${2:-}; trying again"
    sleep $((try * 2))
  done
}

# with_clock WHAT CMD...: runs CMD and shows how long it has been running: every second on a terminal, else every 20 s.
with_clock() {
  local what=$1 begun=$SECONDS clock status=0
  shift
  (
    step=20 before='' after=$'\n'
    if [ -t 2 ]; then step=1 before=$'\r' after=''; fi
    # A read that nothing answers: unlike sleep it leaves no process behind when the clock is stopped.
    until read -rt "$step" _ <> <(:); do printf '%s%s: %d s%s' "$before" "$what" $((SECONDS - begun)) "$after" >&2; done
  ) >/dev/null 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
  clock=$!
  "$@" || status=$?
  kill "$clock" 2>/dev/null || true
  wait "$clock" 2>/dev/null || true
  if [ -t 2 ] && [ $SECONDS -gt "$begun" ]; then printf '\n' >&2; fi
  return $status
}

# as_root CMD...: directly, through sudo, or not at all.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    sudo -n DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo >/dev/null && [ -t 0 ]; then
    sudo DEBIAN_FRONTEND=noninteractive "$@"
  else
    return 126
  fi
}

# The interpreter that the virtual environment of the Python clients is made with: Debian's own where it can
# make one (it stays put; a user's pyenv comes and goes), else whatever python3 means here. FIREWEED_PYTHON names another.
python_for_venv() {
  local candidate
  for candidate in ${FIREWEED_PYTHON:-/usr/bin/python3 python3}; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}

# node_dir: where the Node clients are, named by what went into it; beside it, where the system has none, Node itself.
node_dir() { printf '%s/node-%s\n' "$FW_CACHE" "$(sha256sum <"$FW_ROOT/tests/compat/package.json" | cut -c1-12)"; }

# predict_dir: where the libraries that predictions are compared with are, named in the same way.
FW_XGBOOST_VERSIONS='1.7.6 2.1.4 3.0.5 3.1.1'
predict_dir() {
  local python hash
  python=$(python_for_venv) || return 1
  hash=$( ("$python" -c 'import sys; print(sys.version, sys.base_prefix)'; printf '%s\n' "$FW_XGBOOST_VERSIONS"
    cat "$FW_ROOT/tests/predict/requirements.txt") | sha256sum | cut -c1-12)
  printf '%s/predict-%s\n' "$FW_CACHE" "$hash"
}

# examples_dir: the packages of the examples, as a virtual environment for this machine and as wheels for instances.
examples_dir() {
  local python hash
  python=$(python_for_venv) || return 1
  hash=$( ("$python" -c 'import sys; print(sys.version, sys.base_prefix)'; cat "$FW_ROOT/examples/requirements.txt") |
    sha256sum | cut -c1-12)
  printf '%s/examples-%s\n' "$FW_CACHE" "$hash"
}

# notebooks_dir: the wheels that notebooks are installed from in tests.
notebooks_dir() {
  local hash
  hash=$(cat "$FW_ROOT/tests/compat/notebook_packages.txt" "$FW_ROOT/packaging/image/constraints.txt" | sha256sum | cut -c1-12)
  printf '%s/notebooks-%s\n' "$FW_CACHE" "$hash"
}

# ray_dir: where Ray is, which bench/jobs.py compares with.
FW_RAY_VERSION=2.60.0
ray_dir() { printf '%s/ray-%s\n' "$FW_CACHE" "$FW_RAY_VERSION"; }

# venv_dir: named by what went into it, so that a change of either makes a new one.
venv_dir() {
  local python version hash
  python=$(python_for_venv) || return 1
  version=$("$python" -c 'import sys; print(sys.version, sys.base_prefix)')
  hash=$( (printf '%s\n' "$version"; cat "$FW_REQUIREMENTS") | sha256sum | cut -c1-12)
  printf '%s/venv-%s\n' "$FW_CACHE" "$hash"
}

# cmake_args: what the configure step must be told about this machine.
cmake_args() {
  if [ -e "$FW_BOOST_PREFIX/usr/include/boost/version.hpp" ] && ! system_boost_is_new; then
    printf '%s\n' "-DFIREWEED_BOOST_ROOT=$FW_BOOST_PREFIX"
  else
    printf '%s\n' "-DFIREWEED_BOOST_ROOT="
  fi
}

system_boost_is_new() {
  local header=/usr/include/boost/version.hpp
  [ -e "$header" ] && [ "$(awk '$1 == "#define" && $2 == "BOOST_VERSION" {print $3}' "$header")" -ge 108100 ]
}

# configure PRESET: quiet unless it fails. Run in the root of the tree.
configure() {
  local args
  mapfile -t args < <(cmake_args)
  cmake --preset "$1" --log-level=WARNING "${args[@]}" >"build/$1.configure.log" 2>&1 || {
    cat "build/$1.configure.log"
    return 1
  }
}
