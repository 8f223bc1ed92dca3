#! /bin/bash
# Start-up script of a training instance that may be preempted: whatever was searched before is in the job directory.
attribute() {
  curl -s "http://metadata.google.internal/computeMetadata/v1/instance/attributes/$1" -H "Metadata-Flavor: Google"
}
gsutil -q -m cp "$(attribute TRAINER_DIR)/*.py" .
if python search.py --data-dir "$(attribute DATA_DIR)" --job-dir "$(attribute JOB_DIR)" --n-iter "$(attribute N_ITER)"; then
  sudo shutdown -h now
fi
