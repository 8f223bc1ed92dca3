"""A linear classifier of scikit-learn on Census, fitted batch by batch: `partial_fit` is what makes it survive."""
import io

import joblib
import numpy
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier

from trainer import census


def add_flags(parser):
    parser.add_argument('--batch-size', type=int, default=256)
    parser.add_argument('--alpha', type=float, default=1e-5, help='how much large weights are punished')


class Model:
    def __init__(self, args):
        self.args = args
        rows, labels = census.load(args.data_dir, 'adult.data')
        self.data, self.labels = matrix(rows), numpy.array(labels)
        self.classifier = SGDClassifier(loss='log_loss', alpha=args.alpha, random_state=args.seed)

    def train_step(self, step):
        # The classifier shuffles within a batch by its random_state, which a fixed seed makes the same each time.
        chosen = numpy.random.default_rng([self.args.seed, step]).integers(len(self.labels), size=self.args.batch_size)
        self.classifier.partial_fit(self.data[chosen], self.labels[chosen], classes=[0, 1])

    def save(self):
        stream = io.BytesIO()
        joblib.dump(self.classifier, stream)
        return stream.getvalue()

    def load(self, data):
        self.classifier = joblib.load(io.BytesIO(data))

    def export(self):
        return {'model.joblib': self.save()}

    def evaluate(self):
        rows, labels = census.load(self.args.data_dir, 'adult.test')
        return float(self.classifier.score(matrix(rows), numpy.array(labels)))


def matrix(rows):
    indices = numpy.array([census.hashed(row) for row in rows])
    count, columns = indices.shape
    return csr_matrix((numpy.ones(indices.size), indices.ravel(), numpy.arange(count + 1) * columns), shape=(count, census.SIZE))
