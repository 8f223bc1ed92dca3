"""Small models for tests/compat/ml_predict.sh.

    make_models.py sklearn DIRECTORY      model.joblib: the sum of two features, about
    make_models.py tensorflow DIRECTORY   a SavedModel that doubles its input
    make_models.py routine DIRECTORY      a custom prediction routine as a source package, and its model
"""
import os
import pickle
import sys
import tarfile


def sklearn(place):
    import joblib
    import numpy as np
    from sklearn.linear_model import LinearRegression
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 2.0]])
    joblib.dump(LinearRegression().fit(rows, rows.sum(axis=1)), place + '/model.joblib')


def tensorflow(place):
    import tensorflow as tf

    class Doubler(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name='x')])
        def __call__(self, x):
            return {'y': 2 * x}

    doubler = Doubler()
    tf.saved_model.save(doubler, place, signatures={'serving_default': doubler.__call__})


ROUTINE = """
import os
import pickle


class Predictor(object):
    def __init__(self, factor):
        self._factor = factor

    def predict(self, instances, **kwargs):
        return [[value * self._factor for value in instance] for instance in instances]

    @classmethod
    def from_path(cls, model_dir):
        with open(os.path.join(model_dir, 'factor.pkl'), 'rb') as file:
            return cls(pickle.load(file))
"""


def routine(place):
    root = place + '/scaler-0.1'
    os.makedirs(root)
    with open(root + '/scaler.py', 'w') as file:
        file.write(ROUTINE)
    with open(root + '/setup.py', 'w') as file:
        file.write("from setuptools import setup\nsetup(name='scaler', version='0.1', py_modules=['scaler'])\n")
    with tarfile.open(place + '/scaler-0.1.tar.gz', 'w:gz') as tar:
        tar.add(root, 'scaler-0.1')
    with open(place + '/factor.pkl', 'wb') as file:
        pickle.dump(3, file)


os.makedirs(sys.argv[2], exist_ok=True)
globals()[sys.argv[1]](sys.argv[2])
