"""Logistic regression on Census by stochastic gradient descent, in Python alone: for machines with nothing installed."""
import json
import math
import random

from trainer import census


def add_flags(parser):
    parser.add_argument('--batch-size', type=int, default=64)
    parser.add_argument('--learning-rate', type=float, default=0.05)


class Model:
    def __init__(self, args):
        self.args = args
        rows, self.labels = census.load(args.data_dir, 'adult.data')
        self.rows = [census.hashed(row) for row in rows]
        self.weights = [0.0] * census.SIZE

    def train_step(self, step):
        chosen = random.Random(f'{self.args.seed} {step}').choices(range(len(self.rows)), k=self.args.batch_size)
        rate = self.args.learning_rate / (1 + step / 1000)
        for i in chosen:
            error = self.labels[i] - self.probability(self.rows[i])
            for index in self.rows[i]:
                self.weights[index] += rate * error

    def probability(self, row):
        return 1 / (1 + math.exp(-sum(self.weights[index] for index in row)))

    def save(self):
        return json.dumps(self.weights).encode()

    def load(self, data):
        self.weights = json.loads(data)

    def export(self):
        return {'weights.json': self.save()}

    def evaluate(self):
        rows, labels = census.load(self.args.data_dir, 'adult.test')
        right = sum((self.probability(census.hashed(row)) > 0.5) == (label == 1) for row, label in zip(rows, labels))
        return right / len(rows)
