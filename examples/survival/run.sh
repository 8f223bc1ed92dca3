#!/bin/bash
# Runs the trainer as the instance's metadata say, and ends the instance once the work is done.
#
#   trainerModule   trainer.task unless said
#   trainerFlags    --job-dir gs://… --data-dir gs://… --train-steps N …
#   keepAlive       true: the instance stays when the trainer has finished
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1

attribute() { # NAME DEFAULT
  curl -fs -H 'Metadata-Flavor: Google' "http://metadata.google.internal/computeMetadata/v1/instance/attributes/$1" || echo "$2"
}

# shellcheck disable=SC2046  # flags are words
python3 -u -m "$(attribute trainerModule trainer.task)" $(attribute trainerFlags '') || exit
[ "$(attribute keepAlive false)" = true ] || sudo shutdown -h now
