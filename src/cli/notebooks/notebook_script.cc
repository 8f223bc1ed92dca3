#include "cli/notebooks/notebook_script.h"

namespace fireweed::cli {

// Runs as root at every boot. What it says is on the console; where it stands is in the guest attributes notebook/boot and
// notebook/state, which `create` and `start` follow. Packages are on the boot disk, notebooks on a disk of their own.
const std::string_view kNotebookScript = R"script(#! /bin/bash
set -uo pipefail
readonly SERVER=http://metadata.google.internal/computeMetadata/v1/instance
readonly HOME_DIR=/mnt/disks/notebooks PROGRAMS=/opt/jupyter

attribute() { curl -fs -H 'Metadata-Flavor: Google' "$SERVER/attributes/$1" || true; }
publish() {
  curl -fs -o /dev/null -X PUT -H 'Metadata-Flavor: Google' --data-raw "$2" "$SERVER/guest-attributes/notebook/$1" || true
}
state() { echo "notebook: $*"; publish state "$*"; }
fail() { state "failed: $*"; exit 1; }
as_user() { runuser -u jupyter -- env HOME="$HOME_DIR" PATH="$PROGRAMS/bin:$PATH" JUPYTER_TOKEN="$(attribute notebook-token)" "$@"; }

publish boot "$(cat /proc/sys/kernel/random/uuid)"
state "starting"
mountpoint -q "$HOME_DIR" || fail "the disk for notebooks is not there"
if ! id jupyter >/dev/null 2>&1; then
  # Always the same number: the disk may come from another instance.
  useradd --uid 2990 --home-dir "$HOME_DIR" --no-create-home --shell /bin/bash --groups google-sudoers jupyter ||
    fail "no account for Jupyter"
fi
chown jupyter:jupyter "$HOME_DIR"

install_packages() {
  local packages wheels site from=()
  read -r -a packages <<<"$(attribute notebook-packages)"
  wheels=$(attribute notebook-wheels)
  rm -rf "$PROGRAMS"
  python3 -m venv "$PROGRAMS" || return
  if [ -n "$wheels" ]; then
    mkdir -p "$PROGRAMS/wheels"
    gsutil -q -m cp "${wheels%/}/*.whl" "$PROGRAMS/wheels/" || return
    from=(--no-index --find-links "$PROGRAMS/wheels")
  fi
  "$PROGRAMS/bin/pip" install --quiet --disable-pip-version-check --no-input "${from[@]}" "${packages[@]}" || return
  # Newer gcsfs asks each bucket for its kind over gRPC first, and waits a minute where nobody answers that.
  site=$("$PROGRAMS/bin/python" -c 'import site; print(site.getsitepackages()[0])')
  echo "import os; os.environ.setdefault('GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT', 'false')" >"$site/gcsfs_kind.pth" || return
  rm -rf "$PROGRAMS/wheels"
  ln -sf "$PROGRAMS/bin/jupyter" /usr/local/bin/jupyter
  sync -f "$PROGRAMS" && touch "$PROGRAMS/complete"
}
if [ ! -e "$PROGRAMS/complete" ]; then
  state "installing packages"
  install_packages || fail "the packages could not be installed; the console says why"
fi

user=$(attribute for-user)
as_user git config --global user.email "${user:-jupyter@localhost}"
as_user git config --global user.name "${user%@*}"
repository=$(attribute notebook-repository)
clone=$HOME_DIR/$(basename "${repository:-none}" .git)
if [ -n "$repository" ] && [ ! -e "$clone" ]; then
  state "cloning $repository"
  as_user env GIT_TERMINAL_PROMPT=0 git clone "$repository" "$clone" || fail "$repository could not be cloned; the console says why"
fi

idle=$(attribute notebook-idle-seconds)
options=(--ip=0.0.0.0 --port=8080 --no-browser --ServerApp.root_dir="$HOME_DIR")
if [ "${idle:-0}" -gt 0 ]; then
  options+=(--ServerApp.shutdown_no_activity_timeout="$idle" --MappingKernelManager.cull_idle_timeout="$idle"
    --TerminalManager.cull_inactive_timeout="$idle")
fi
# A server that crashes starts again; one that cannot start at all gives up.
for try in 1 2 3 4 5; do
  state "serving"
  if as_user jupyter lab "${options[@]}" && [ "${idle:-0}" -gt 0 ]; then
    state "stopped: nobody used it for $idle seconds"
    exec shutdown -h now
  fi
done
fail "Jupyter ended $try times; the console says why"
)script";

}  // namespace fireweed::cli
