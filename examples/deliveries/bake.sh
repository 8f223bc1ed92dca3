#!/bin/bash
# Prepares the disk of an image: the trainer's code, and packages it needs. The image is made of it once this has powered off.
#
#   trainerCode   gs://BUCKET/survival.tar.gz
#   packages      for pip; may be empty
#   debs          for apt-get; may be empty
set -e
attribute() { curl -fs -H 'Metadata-Flavor: Google' "http://metadata.google.internal/computeMetadata/v1/instance/attributes/$1"; }

debs=$(attribute debs || true)
packages=$(attribute packages || true)
# shellcheck disable=SC2086  # lists of words
if [ -n "$debs" ]; then apt-get update -q && apt-get install -q -y --no-install-recommends $debs; fi
# shellcheck disable=SC2086
if [ -n "$packages" ]; then pip install -q $packages; fi
mkdir -p /opt/survival
gsutil -q cp "$(attribute trainerCode)" - | tar -C /opt/survival -xz
echo "baked"
sudo shutdown -h now
