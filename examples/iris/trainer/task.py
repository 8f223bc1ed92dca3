"""Trains a classifier of flowers and leaves it in the job directory."""
import argparse
import io
import json
import logging
import posixpath
import sys

import joblib
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from trainer import files

COLUMNS = ['sepal_length', 'sepal_width', 'petal_length', 'petal_width', 'species']


def flowers(path):
    # The first line has counts and the names of the species; those are numbers below it.
    table = pd.read_csv(io.BytesIO(files.read(path)), skiprows=1, names=COLUMNS)
    return table[COLUMNS[:-1]].to_numpy(), table['species'].to_numpy()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--job-dir', required=True, help='where the model goes: a directory or gs://BUCKET/PATH')
    parser.add_argument('--train-file', required=True)
    parser.add_argument('--test-file', required=True)
    parser.add_argument('--regularization', type=float, default=1.0, help='strength; smaller fits closer')
    args = parser.parse_args()
    # The service takes what comes on the error stream for errors.
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format='%(message)s')

    measures, species = flowers(args.train_file)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=1 / args.regularization, max_iter=500))
    model.fit(measures, species)
    accuracy = model.score(*flowers(args.test_file))
    logging.info('accuracy %.3f on %s', accuracy, args.test_file)

    content = io.BytesIO()
    joblib.dump(model, content)
    target = posixpath.join(args.job_dir, 'model', 'model.joblib')
    files.write(target, content.getvalue())
    files.write(posixpath.join(args.job_dir, 'metrics.json'), json.dumps({'accuracy': accuracy}).encode())
    logging.info('model written to %s', target)


if __name__ == '__main__':
    main()
