# shellcheck shell=bash
# Sourced: what this host's package clients are set up with, for trees that must reach packages the same way (the base
# image of instances; the bare machine of tools/fresh_machine).

# host_mirror SUITE: the first mirror of it that the host itself uses; empty lets debootstrap choose.
host_mirror() {
  command -v apt-get >/dev/null || return 0
  # shellcheck disable=SC2016  # apt's own placeholders
  apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Identifier: Packages' 2>/dev/null |
    awk -v suite="$1" '$2 == suite && $3 == "main" && $1 ~ /^https?:/ {print $1; exit}'
}

# apt's sources, credentials and keys, one path a line. apt.conf files with hooks stay out: they call programs that a
# bare tree has not.
host_apt_files() {
  local file hooks sources
  hooks=$(grep -lsiE 'invoke|pre-install|post-install|hook' /etc/apt/apt.conf.d/* || true)
  sources=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || true)
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources \
    /etc/apt/auth.conf /etc/apt/auth.conf.d/*.conf /etc/apt/trusted.gpg.d/* /etc/apt/keyrings/* \
    /etc/apt/preferences.d/* /etc/apt/apt.conf.d/* /usr/share/keyrings/*; do
    [ -f "$file" ] || continue
    case $file in
      /etc/apt/apt.conf.d/*) [[ $'\n'$hooks$'\n' != *$'\n'"$file"$'\n'* ]] || continue ;;
      /usr/share/keyrings/*) [[ $sources == *"$file"* ]] || continue ;;
    esac
    say "$file"
  done
}

host_certificates() { find /usr/local/share/ca-certificates -name '*.crt' -type f 2>/dev/null | sort; }

# The home of the user as the system knows it: HOME may be set to anything (sudo, tests), and the image would differ.
host_home() { getent passwd "$(id -u)" | cut -d: -f6; }

host_pip_files() {
  local file home
  home=$(host_home)
  for file in /etc/pip.conf "$home/.pip/pip.conf" "$home/.config/pip/pip.conf"; do
    if [ -f "$file" ]; then say "$file"; fi
  done
}

# Variables that say where packages come from; pip_settings.py takes these and no others.
host_pip_environment() {
  env | LC_ALL=C sort |
    grep -E '^PIP_(INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS|NO_INDEX|TRUSTED_HOST|PROXY|(DEFAULT_)?TIMEOUT|RETRIES|PREFER_BINARY)=' ||
    true
}

# copy_host_settings ROOT: apt settings and certificates into a tree.
copy_host_settings() {
  local root=$1 file
  while read -r file; do install -D -m "$(stat -Lc %a "$file")" "$file" "$root$file"; done < <(host_apt_files)
  while read -r file; do install -D -m 644 "$file" "$root$file"; done < <(host_certificates)
}
