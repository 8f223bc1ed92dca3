"""Trains models of one XGBoost version (argv[2] is the directory that holds it), serves them, and compares 10,000 predictions
bit for bit. argv[1]: scratch directory; the others: directories of all versions, oldest first."""
import os
import pickle
import shutil
import sys

VERSION_DIR = sys.argv[2]
sys.path.insert(0, VERSION_DIR)
import numpy as np
import xgboost as xgb

from serving import Served, check, refusal

ROWS = 10_000
LIBRARY = os.path.join(VERSION_DIR, 'xgboost', 'lib', 'libxgboost.so')
OLD_BINARY = tuple(map(int, xgb.__version__.split('.')[:2])) < (2, 1)
OBJECTIVES = {
    'binary:logistic': {}, 'binary:logitraw': {}, 'binary:hinge': {}, 'reg:squarederror': {}, 'reg:logistic': {},
    'count:poisson': {}, 'reg:gamma': {}, 'reg:tweedie': {}, 'reg:absoluteerror': {}, 'rank:pairwise': {},
    'multi:softprob': {'num_class': 3}, 'multi:softmax': {'num_class': 3},
    # These are left to the library.
    'survival:cox': {}, 'dart': {'booster': 'dart', 'objective': 'reg:squarederror'},
    'gblinear': {'booster': 'gblinear', 'objective': 'reg:squarederror'},
}
IN_LIBRARY = ('survival:cox', 'dart', 'gblinear')


def rows_of(matrix):
    return [[None if np.isnan(value) else float(value) for value in row] for row in matrix]


def bits(values):
    return np.asarray(values, dtype=np.float32).view(np.uint32)


def table():
    random = np.random.default_rng(7)
    features = random.normal(size=(ROWS, 14)).astype(np.float32)
    features[:, 3] = random.integers(0, 5, ROWS)
    features[random.random(features.shape) < 0.05] = np.nan
    score = np.nansum(features[:, :5], axis=1) + np.where(np.isnan(features[:, 6]), 1, features[:, 6] ** 2)
    return features, score


def labels(name, score):
    if name.startswith('multi'):
        return np.digitize(score, [0, 2])
    if name in ('count:poisson', 'reg:gamma', 'reg:tweedie', 'survival:cox'):
        return np.abs(score) + 0.1
    return (score > 1).astype(int) if name.startswith(('binary', 'reg:logistic', 'rank')) else score


def trained(name, features, score):
    data = xgb.DMatrix(features, label=labels(name, score))
    if name.startswith('rank'):
        data.set_group([100] * (ROWS // 100))
    parameters = {'max_depth': 6, 'eta': 0.3, 'objective': name, 'nthread': 1, **OBJECTIVES[name]}
    return xgb.train(parameters, data, 12)


def compare(directory, features, wanted, *more):
    with Served('--model-dir', directory, *more) as served:
        got = served.predict(rows_of(features))
    check(np.array_equal(bits(got), bits(wanted)), f'{xgb.__version__} {directory} {more}: other bits')
    return served.error


def objectives(scratch, features, score):
    for name in OBJECTIVES:
        directory = os.path.join(scratch, name.replace(':', '-'))
        os.makedirs(directory)
        booster = trained(name, features, score)
        booster.save_model(os.path.join(directory, 'model.json'))
        wanted = booster.predict(xgb.DMatrix(features))
        said = compare(directory, features, wanted, '--xgboost-library', LIBRARY)
        check(('computed by the library' in said) == (name in IN_LIBRARY), f'{name}: {said}')
        if name not in IN_LIBRARY:
            compare(directory, features, wanted)


def files(scratch, features, score):
    booster = trained('binary:logistic', features, score)
    wanted = booster.predict(xgb.DMatrix(features))
    for name in ('model.ubj', 'model.bst'):
        directory = os.path.join(scratch, name)
        os.makedirs(directory)
        saved = os.path.join(directory, 'model.deprecated' if name == 'model.bst' and OLD_BINARY else name)
        booster.save_model(saved)
        os.rename(saved, os.path.join(directory, name))
        compare(directory, features, wanted, '--xgboost-library', LIBRARY)
        compare(directory, features, wanted, '--xgboost-library', LIBRARY, '--xgboost-library-only')


def other_versions(scratch, versions):
    """A model newer than the library is refused; the old binary form goes to libraries below 3.1 only."""
    mine = os.path.join(scratch, 'binary-logistic')
    for other in versions[:versions.index(VERSION_DIR)]:
        line = refusal('--model-dir', mine, '--xgboost-library', os.path.join(other, 'xgboost', 'lib', 'libxgboost.so'))
        check('was written by XGBoost' in line and 'newer runtime version' in line, line)
    if OLD_BINARY:
        newest = os.path.join(versions[-1], 'xgboost', 'lib', 'libxgboost.so')
        line = refusal('--model-dir', os.path.join(scratch, 'model.bst'), '--xgboost-library', newest)
        check('old binary form' in line, line)


def damaged(scratch):
    whole = open(os.path.join(scratch, 'model.ubj', 'model.ubj'), 'rb').read()
    directory = os.path.join(scratch, 'damaged')
    os.makedirs(directory)
    for size in (1, 100, len(whole) // 2, len(whole) - 1):
        with open(os.path.join(directory, 'model.bst'), 'wb') as file:
            file.write(whole[:size])
        refusal('--model-dir', directory, '--xgboost-library', LIBRARY)


def pickled(scratch, features, score):
    """A pickled booster with named features, in a Python worker."""
    directory = os.path.join(scratch, 'pickled')
    os.makedirs(directory)
    data = xgb.DMatrix(features, label=score, feature_names=[f'f{i}' for i in range(14)])
    booster = xgb.train({'nthread': 1}, data, 3)
    with open(os.path.join(directory, 'model.pkl'), 'wb') as file:
        pickle.dump(booster, file)
    os.environ['PYTHONPATH'] = VERSION_DIR
    with Served('--model-dir', directory, '--framework', 'XGBOOST', '--python', sys.executable) as served:
        got = served.predict(rows_of(features[:100]))
        check(np.array_equal(bits(got), bits(booster.predict(data))[:100]), 'pickled: other bits')
        row = [1.0] * 14
        for instances, says in (([[1, 2]], 'instance 0: has 2 features, the model takes 14'),
                                ([row, row, ['a'] * 14, row], 'instance 2: '), ([row, [1.0]], 'instance 1: ')):
            status, answer = served.ask('/v1/predict', {'instances': instances})
            check(status == 400 and says in answer['error'], f'{instances}: {status} {answer}')


def main():
    scratch, versions = sys.argv[1], sys.argv[3:]
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    features, score = table()
    objectives(scratch, features, score)
    files(scratch, features, score)
    other_versions(scratch, versions)
    damaged(scratch)
    pickled(scratch, features, score)
    print(f'XGBoost {xgb.__version__}: {len(OBJECTIVES)} models, {ROWS} rows each, bit for bit')


main()
