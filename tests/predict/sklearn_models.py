"""scikit-learn's models, pickled by joblib and pickle, against scikit-learn itself; argv[1] is a scratch directory."""
import concurrent.futures
import os
import pickle
import signal
import sys

import joblib
import numpy as np
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from serving import Served, check, refusal

ROWS = 10_000


class Hostile:
    def __reduce__(self):
        return os._exit, (3,)


def directory(name):
    path = os.path.join(sys.argv[1], name)
    os.makedirs(path)
    return path


def options(path):
    return ('--model-dir', path, '--framework', 'SCIKIT_LEARN', '--python', sys.executable, '--python-workers', '2')


def numbers():
    random = np.random.default_rng(3)
    rows = random.normal(size=(ROWS, 5))
    model = make_pipeline(StandardScaler(), RandomForestRegressor(n_estimators=10, random_state=0))
    model.fit(rows, rows[:, 0] * 2 + rows[:, 1])
    path = directory('numbers')
    joblib.dump(model, os.path.join(path, 'model.joblib'))
    with Served(*options(path)) as served:
        got = served.predict(rows.tolist())
        check(np.allclose(got, model.predict(rows), rtol=0, atol=1e-5), 'forest: other predictions')
        bad_requests(served, rows)
        crash(served, rows)


def bad_requests(served, rows):
    for instances, says in (([[1, 2]], 'instance 0: has 2 features, the model takes 5'),
                            ([[1] * 5, [1] * 4], 'instance 1'), ([['a'] * 5], 'instance 0: '),
                            ([[1] * 5] * 6 + [[1, 'a', 1, 1, 1]] + [[1] * 5] * 2, 'instance 6: ')):
        status, answer = served.ask('/v1/predict', {'instances': instances})
        check(status == 400 and says in answer['error'], f'{instances}: {status} {answer}')
    status, answer = served.ask('/v2/models/model/infer', {'inputs': [
        {'name': 'x', 'shape': [2, 5], 'datatype': 'FP64', 'data': rows[:2].ravel().tolist()}]})
    check(status == 200 and answer['outputs'][0]['shape'] == [2], f'KServe: {status} {answer}')



def crash(served, rows):
    """A worker that is killed costs at most the request it had; the next are served."""
    found = [child for thread in os.listdir(f'/proc/{served.process.pid}/task')
             for child in map(int, open(f'/proc/{served.process.pid}/task/{thread}/children').read().split())]
    check(len(found) == 2, f'{found} are not two workers')
    os.kill(found[0], signal.SIGKILL)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda i: served.ask('/v1/predict', {'instances': [rows[i].tolist()]}), range(40)))
    failed = [answer for status, answer in answers if status != 200]
    check(len(failed) <= 1, f'{len(failed)} requests failed: {failed[:2]}')
    for answer in failed:
        check('the Python worker ended' in answer['error'], answer)


def texts():
    model = make_pipeline(CountVectorizer(), MultinomialNB())
    model.fit(['good fine', 'bad poor', 'good great', 'bad awful'], ['up', 'down', 'up', 'down'])
    path = directory('texts')
    with open(os.path.join(path, 'model.pkl'), 'wb') as file:
        pickle.dump(model, file)
    with Served(*options(path)) as served:
        check(served.predict(['great good', 'awful']) == ['up', 'down'], 'texts')


def rows_of_any_kind():
    """Instances reach a model as they are: numbers beside texts stay numbers, and rows may differ in length."""
    rows = [[1, 'a'], [2, 'a'], [1, 'b'], [2, 'b']]
    mixed = make_pipeline(OneHotEncoder(handle_unknown='ignore'), DecisionTreeClassifier())
    mixed.fit(np.array(rows, dtype=object), ['one', 'two', 'one', 'two'])
    ragged = make_pipeline(CountVectorizer(analyzer=list), MultinomialNB())
    ragged.fit([['a', 'b'], ['c']], [0, 1])
    gaps = DecisionTreeRegressor().fit([[1, 2], [5, np.nan]], [1, 2])
    for name, model, instances, wanted in (('mixed', mixed, rows, ['one', 'two', 'one', 'two']),
                                           ('ragged', ragged, [['a', 'b'], ['c']], [0, 1]),
                                           ('gaps', gaps, [[1, 2], [5, None]], [1, 2])):
        path = directory(name)
        joblib.dump(model, os.path.join(path, 'model.joblib'))
        with Served(*options(path)) as served:
            got = served.predict(instances)
            check(got == wanted, f'{name}: {got}')


def classes():
    iris = load_iris()
    model = LogisticRegression(max_iter=500).fit(iris.data, iris.target)
    path = directory('classes')
    joblib.dump(model, os.path.join(path, 'model.joblib'))
    with Served(*options(path)) as served:
        check(served.predict(iris.data.tolist()) == model.predict(iris.data).tolist(), 'classes')


def hostile():
    path = directory('hostile')
    with open(os.path.join(path, 'model.pkl'), 'wb') as file:
        pickle.dump(Hostile(), file)
    line = refusal(*options(path))
    check('ended (exit 3)' in line, line)


def main():
    numbers()
    texts()
    rows_of_any_kind()
    classes()
    hostile()
    print(f'scikit-learn: {ROWS} rows within 1e-5, texts, classes, a hostile pickle refused')


main()
