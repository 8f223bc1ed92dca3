#! /bin/bash
# Start-up script of the instance that the image is made from, without internet: the packages are wheels in a bucket.
WHEELS=$(curl -s http://metadata.google.internal/computeMetadata/v1/instance/attributes/WHEELS -H "Metadata-Flavor: Google")
folder=$(mktemp -d)
gsutil -q -m cp "$WHEELS/*" "$folder/"
sudo pip install --no-index --no-deps --no-compile "$folder"/*.whl
# Compiles what the trainer imports, once for all instances of the image.
python -c 'import google.cloud.storage, joblib, pandas, sklearn.compose, sklearn.model_selection, xgboost'
rm -rf "$folder"
sudo shutdown -h now
