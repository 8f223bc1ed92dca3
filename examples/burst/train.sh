#! /bin/bash
# Start-up script of the training instance: what to run and where its data are stands in the metadata.
attribute() {
  curl -s "http://metadata.google.internal/computeMetadata/v1/instance/attributes/$1" -H "Metadata-Flavor: Google"
}
TRAINER=$(attribute TRAINER)
TRAIN_DATA=$(attribute TRAIN_DATA)
TEST_DATA=$(attribute TEST_DATA)
MODEL=$(attribute MODEL)
N_ITER=$(attribute N_ITER)

gsutil cp "$TRAINER" .
python "$(basename "$TRAINER")" --train-data "$TRAIN_DATA" --test-data "$TEST_DATA" --model "$MODEL" --n-iter "$N_ITER"

sudo shutdown -h now
