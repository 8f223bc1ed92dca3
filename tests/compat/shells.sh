#!/usr/bin/env bash
# What the command line writes about itself: completions in real shells, manual pages in man.
#
#   tests/compat/shells.sh bash|zsh|fish|man
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

completes() {
  command -v "$1" >/dev/null || skip "no $1"
  mkdir "$FW_SCRATCH/scripts" "$FW_SCRATCH/here"
  fireweed completion "$1" >"$FW_SCRATCH/scripts/_fireweed"
  cd "$FW_SCRATCH/here"
  "$FW_TREE/tests/compat/completes.py" "$1" "$FW_SCRATCH/scripts/_fireweed"
  [ "$1" != zsh ] || "$FW_TREE/tests/compat/completes.py" zsh-path "$FW_SCRATCH/scripts/_fireweed"
}

# Every page without a word from the formatter, and no reference to a page that is not there.
manual() {
  local page name
  command -v man >/dev/null || skip "no man"
  fireweed man --all "$FW_SCRATCH/man1"
  for page in "$FW_SCRATCH"/man1/*.1; do
    name=$(basename "$page" .1)
    MANWIDTH=100 LC_ALL=C.UTF-8 man --warnings -l "$page" >"$FW_SCRATCH/shown" 2>"$FW_SCRATCH/warnings" || fail "man -l $name"
    [ ! -s "$FW_SCRATCH/warnings" ] || fail "$name: $(cat "$FW_SCRATCH/warnings")"
    grep -E "$name +- " "$FW_SCRATCH/shown" >"$FW_SCRATCH/line" || fail "$name has no line on what it is"
    while read -r name; do
      [ -e "$FW_SCRATCH/man1/$name.1" ] || fail "$page refers to $name, which is not there"
    done < <(grep -oE 'fireweed[a-z-]*\(1\)' "$FW_SCRATCH/shown" | sed 's/(1)//' | sort -u)
  done
  man -l "$FW_SCRATCH/man1/fireweed-storage.1" >"$FW_SCRATCH/shown"
  grep -F 'fireweed storage buckets create' "$FW_SCRATCH/shown" >"$FW_SCRATCH/line" || fail "fireweed-storage(1) lacks buckets create"
}

case ${1:-} in
  bash | zsh | fish) completes "$1" ;;
  man) manual ;;
  *) fail "usage: shells.sh bash|zsh|fish|man" ;;
esac
say "$1 ok"
