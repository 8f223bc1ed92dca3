#!/bin/bash
# The code comes from a git URL, in the metadata attribute gitUrl. For a private one, gitSecret names an object in a bucket that
# only the instance's service account may read, with two lines as git's credential helpers print them:
#
#   username=NAME
#   password=TOKEN
set -e
attribute() { curl -fs -H 'Metadata-Flavor: Google' "http://metadata.google.internal/computeMetadata/v1/instance/attributes/$1"; }

export HOME=/root GIT_TERMINAL_PROMPT=0
if secret=$(attribute gitSecret); then
  # Asked for at each use: the password is neither in the metadata nor on the disk.
  git config --global credential.helper "!f() { test \"\$1\" = get && gsutil -q cat '$secret'; }; f"
fi
rm -rf /opt/survival
git clone -q "$(attribute gitUrl)" /opt/survival
exec /opt/survival/run.sh
