#!/usr/bin/env python3
"""Who earns more than 50,000 dollars a year? A random search over boosted trees on the Census data.

  census.py --train-data gs://BUCKET/census/adult.data --test-data gs://BUCKET/census/adult.test \\
      --model gs://BUCKET/census.model --n-iter 300
  census.py --mode evaluate --test-data gs://BUCKET/census/adult.test --model gs://BUCKET/census.model
"""
import argparse
import io
import time

import joblib
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OrdinalEncoder
from xgboost import XGBClassifier

try:
    import tensorflow as tf
except ImportError:
    tf = None

COLUMNS = ('age', 'workclass', 'fnlwgt', 'education', 'education-num', 'marital-status', 'occupation', 'relationship', 'race',
           'sex', 'capital-gain', 'capital-loss', 'hours-per-week', 'native-country', 'income')
CATEGORICAL = ['workclass', 'education', 'marital-status', 'occupation', 'relationship', 'race', 'sex', 'native-country']
NUMERIC = [name for name in COLUMNS if name not in CATEGORICAL and name != 'income']

SPACE = {
    'trees__n_estimators': range(20, 121, 10),
    'trees__max_depth': [3, 4, 5, 6, 7],
    'trees__learning_rate': [0.03, 0.05, 0.1, 0.15, 0.2, 0.3],
    'trees__min_child_weight': [1, 2, 5, 10],
    'trees__subsample': [0.6, 0.8, 1.0],
    'trees__colsample_bytree': [0.5, 0.75, 1.0],
}


def open_path(path, mode):
    """A file, here or in a bucket: by TensorFlow's file API where that is installed."""
    if tf is not None:
        return tf.io.gfile.GFile(path, mode)
    if path.startswith('gs://'):
        from google.cloud import storage
        bucket, name = path[len('gs://'):].split('/', 1)
        return storage.Client().bucket(bucket).blob(name).open(mode)
    return open(path, mode)


def read_census(path):
    """Features and labels of adult.data or adult.test."""
    with open_path(path, 'r') as stream:
        rows = pd.read_csv(stream, names=COLUMNS, skipinitialspace=True, comment='|')
    return rows.drop('income', axis=1), rows['income'].str.startswith('>50K').astype(int)


def make_pipeline(jobs=1):
    codes = OrdinalEncoder(handle_unknown='use_encoded_value', unknown_value=-1)
    return Pipeline([
        ('columns', ColumnTransformer([('codes', codes, CATEGORICAL), ('numbers', 'passthrough', NUMERIC)])),
        ('trees', XGBClassifier(tree_method='hist', n_jobs=jobs, random_state=7)),
    ])


def train(args):
    features, labels = read_census(args.train_data)
    search = RandomizedSearchCV(make_pipeline(), SPACE, n_iter=args.n_iter, cv=3, n_jobs=-1, random_state=args.seed, verbose=2)
    began = time.time()
    search.fit(features, labels)
    seconds = time.time() - began
    print(f'Searched {args.n_iter} configurations in {seconds:.1f} s')
    print(f'Best score: {search.best_score_:.4f}')
    print(f'Best parameters: {search.best_params_}')
    # In one piece: not every file API takes the buffers that joblib writes.
    packed = io.BytesIO()
    joblib.dump(search.best_estimator_, packed)
    with open_path(args.model, 'wb') as stream:
        stream.write(packed.getvalue())
    return search.best_estimator_


def load(args):
    with open_path(args.model, 'rb') as stream:
        return joblib.load(io.BytesIO(stream.read()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--mode', choices=['train', 'evaluate'], default='train')
    parser.add_argument('--train-data')
    parser.add_argument('--test-data', required=True)
    parser.add_argument('--model', required=True)
    parser.add_argument('--n-iter', type=int, default=10)
    parser.add_argument('--seed', type=int, default=0)
    args = parser.parse_args()
    model = train(args) if args.mode == 'train' else load(args)
    features, labels = read_census(args.test_data)
    print(f'Model accuracy: {model.score(features, labels):.4f}')
    print(f'Model path: {args.model}')


if __name__ == '__main__':
    main()
