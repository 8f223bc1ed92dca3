#!/bin/bash
# The code comes from a source repository of this project: the metadata attribute trainerRepo names it. The instance's
# service account is who clones; no key is needed.
set -e
metadata() { curl -fs -H 'Metadata-Flavor: Google' "http://metadata.google.internal/computeMetadata/v1/$1"; }

rm -rf /opt/survival
git clone -q "https://source.developers.google.com/p/$(metadata project/project-id)/r/$(metadata instance/attributes/trainerRepo)" /opt/survival
exec /opt/survival/run.sh
