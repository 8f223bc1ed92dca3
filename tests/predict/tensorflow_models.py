"""SavedModels of Keras and of an Estimator against TensorFlow itself; argv[1] is a scratch directory."""
import base64
import os
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np
import tensorflow as tf

from serving import Served, check, refusal

ROWS = 10_000
PACKAGE = os.path.dirname(tf.__file__)


def directory(name):
    return os.path.join(sys.argv[1], name)


def options(path):
    return ('--model-dir', path, '--framework', 'TENSORFLOW', '--tensorflow', PACKAGE)


def keras():
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.layers.Input((8,), name='x'), tf.keras.layers.Dense(16, 'relu'),
                                 tf.keras.layers.Dense(3, 'softmax', name='y')])
    path = directory('keras')
    model.save(path, save_format='tf')
    rows = np.random.default_rng(5).normal(size=(ROWS, 8)).astype(np.float32)
    wanted = model.predict(rows, verbose=0)
    with Served(*options(path)) as served:
        got = np.array([prediction['y'] for prediction in served.predict(rows.tolist())])
        check(np.allclose(got, wanted, rtol=0, atol=1e-5), 'Keras: other predictions')
        got = served.ask('/v1/models/model:predict', {'instances': [{'x': rows[0].tolist()}]})[1]['predictions'][0]
        check(np.allclose(got, wanted[0], rtol=0, atol=1e-5), f'TensorFlow Serving: {got}')
        answer = served.ask('/v1/models/model:predict', {'inputs': rows[:2].tolist()})[1]
        check(np.allclose(answer['outputs'], wanted[:2], rtol=0, atol=1e-5), f'columns: {answer}')
        answer = served.ask('/v2/models/model/infer', {'inputs': [
            {'name': 'x', 'shape': [2, 8], 'datatype': 'FP32', 'data': rows[:2].ravel().tolist()}]})[1]
        check(np.allclose(answer['outputs'][0]['data'], wanted[:2].ravel(), rtol=0, atol=1e-5), f'KServe: {answer}')
        status, answer = served.ask('/v1/predict', {'instances': [[1] * 8, [1] * 7]})
        check(status == 400 and 'instance 1' in answer['error'], f'{status} {answer}')
        status, answer = served.ask('/v1/predict', {'instances': [[1] * 8], 'signature_name': 'nope'})
        check(status == 400 and 'serving_default' in answer['error'], f'{status} {answer}')


def example(age, job):
    feature = {'age': tf.train.Feature(float_list=tf.train.FloatList(value=[age])),
               'job': tf.train.Feature(bytes_list=tf.train.BytesList(value=[job.encode()]))}
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()


def estimator():
    age = tf.feature_column.numeric_column('age')
    job = tf.feature_column.indicator_column(
        tf.feature_column.categorical_column_with_vocabulary_list('job', ['a', 'b']))
    random = np.random.default_rng(2)
    ages, jobs = random.uniform(0, 1, ROWS).astype(np.float32), random.choice(['a', 'b'], ROWS)
    model = tf.estimator.DNNClassifier([8], [age, job], model_dir=directory('trained'), n_classes=2)

    def inputs():
        data = tf.data.Dataset.from_tensor_slices(({'age': ages, 'job': jobs}, (ages > 0.5).astype(int)))
        return data.batch(500)

    model.train(inputs, steps=20)
    wanted = [made['probabilities'] for made in model.predict(inputs)]
    parsing = tf.estimator.export.build_parsing_serving_input_receiver_fn(
        tf.feature_column.make_parse_example_spec([age, job]))
    path = model.export_saved_model(directory('parsing'), parsing).decode()
    with Served(*options(path)) as served:
        instances = [{'b64': base64.b64encode(example(a, j)).decode()} for a, j in zip(ages, jobs)]
        got = [made['scores'] for made in served.predict(instances)]
        check(np.allclose(got, wanted, rtol=0, atol=1e-5), 'classification of examples: other scores')
        got = served.predict(instances[:3], signature_name='predict')
        check(np.allclose([made['probabilities'] for made in got], wanted[:3], rtol=0, atol=1e-5), 'predict signature')
        check(got[0]['classes'] in (['0'], ['1']), f'classes {got[0]}')
        status, answer = served.ask('/v1/predict', {'instances': [{'b64': base64.b64encode(b'junk').decode()}]})
        check(status == 400, f'junk for an example: {status} {answer}')

    def raw():
        features = {'age': tf.compat.v1.placeholder(tf.float32, [None]), 'job': tf.compat.v1.placeholder(tf.string, [None])}
        return tf.estimator.export.ServingInputReceiver(features, features)

    path = model.export_saved_model(directory('raw'), raw).decode()
    with Served(*options(path)) as served:
        got = served.predict([{'age': float(a), 'job': str(j)} for a, j in zip(ages, jobs)])
        check(np.allclose([made['probabilities'] for made in got], wanted, rtol=0, atol=1e-5), 'raw: other predictions')
        status, answer = served.ask('/v1/predict', {'instances': [{'age': 1.0, 'job': 'a'}, {'age': 1.0}]})
        check(status == 400 and "instance 1: has no input 'job'" in answer['error'], f'{status} {answer}')


def damaged():
    path = directory('damaged')
    os.makedirs(path)
    whole = open(os.path.join(directory('keras'), 'saved_model.pb'), 'rb').read()
    for text in (b'', b'junk', whole[:len(whole) // 2], whole):
        with open(os.path.join(path, 'saved_model.pb'), 'wb') as file:
            file.write(text)
        refusal(*options(path))  # whole: the variables are not there


def main():
    keras()
    estimator()
    damaged()
    print(f'TensorFlow {tf.__version__}: {ROWS} rows of Keras and Estimator models within 1e-5')


main()
