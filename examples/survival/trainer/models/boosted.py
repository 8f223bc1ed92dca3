"""Boosted trees of XGBoost on Census. A step is a tree; a saved booster is continued with the next one."""
import os

import numpy
import xgboost

from trainer import census

NUMBERS = (0, 2, 4, 10, 11, 12)


def add_flags(parser):
    parser.add_argument('--max-depth', type=int, default=6)
    parser.add_argument('--eta', type=float, default=0.3)


class Model:
    def __init__(self, args):
        self.args = args
        rows, labels = census.load(args.data_dir, 'adult.data')
        self.codes = [{value: code for code, value in enumerate(sorted(set(column)))} for column in zip(*rows)]
        self.data = xgboost.DMatrix(self.matrix(rows), label=labels)
        self.parameters = {'objective': 'binary:logistic', 'max_depth': args.max_depth, 'eta': args.eta, 'seed': args.seed,
                           'tree_method': 'hist', 'nthread': os.cpu_count()}
        self.booster = xgboost.Booster(self.parameters, [self.data])

    def matrix(self, rows):
        return numpy.array([[float(value) if i in NUMBERS else self.codes[i].get(value, -1) for i, value in enumerate(row)]
                            for row in rows])

    def train_step(self, step):
        self.booster.update(self.data, step - 1)

    def save(self):
        return bytes(self.booster.save_raw('json'))

    def load(self, data):
        self.booster = xgboost.Booster(self.parameters, [self.data])
        self.booster.load_model(bytearray(data))

    def export(self):
        return {'model.json': self.save()}

    def evaluate(self):
        rows, labels = census.load(self.args.data_dir, 'adult.test')
        said = self.booster.predict(xgboost.DMatrix(self.matrix(rows))) > 0.5
        return float((said == (numpy.array(labels) == 1)).mean())
