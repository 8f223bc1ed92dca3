"""A worker of fireweed-serve: loads one model, then answers frames on standard input until it ends.

argv: KIND MODEL_DIR MODEL_FILE_OR_CLASS [PACKAGE...]      KIND is model (pickled) or custom (prediction routine)

A frame is a length (4 bytes, big-endian) and that many bytes. A request is the JSON object
{"instances": [...], "parameters": {...}}; an answer is one byte and JSON text: R (loaded) with nothing, P with the
predictions, I (the instances are at fault), E (the model is) with a message.
"""
import ctypes
import importlib
import json
import os
import resource
import signal
import struct
import sys
import tarfile
import tempfile
import traceback
import zipfile


def take_channel():
    """Our ends of the channel; prints of the model go to standard error instead."""
    channel_in, channel_out = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return os.fdopen(channel_in, 'rb'), os.fdopen(channel_out, 'wb')


def confine():
    """Dies with its parent, gains no privileges by what it starts, leaves no memory image on the disk."""
    set_parent_death_signal, set_no_new_privileges = 1, 38
    libc = ctypes.CDLL(None)
    libc.prctl(set_parent_death_signal, signal.SIGKILL, 0, 0, 0)
    libc.prctl(set_no_new_privileges, 1, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def plain(value):
    """What JSON can say, from numpy's and pandas' types."""
    if hasattr(value, 'tolist'):
        return value.tolist()
    if hasattr(value, 'to_dict'):
        return value.to_dict(orient='records')
    raise TypeError(f'a prediction of type {type(value).__name__} cannot be written as JSON')


class BadInstances(Exception):
    pass


class Pickled:
    """scikit-learn's and XGBoost's models, as joblib or pickle wrote them."""

    def __init__(self, path):
        if path.endswith('.joblib'):
            import joblib
            self.model = joblib.load(path)
        else:
            import pickle
            with open(path, 'rb') as file:
                self.model = pickle.load(file)
        if not hasattr(self.model, 'predict'):
            raise ValueError(f'the pickled {type(self.model).__name__} has no predict()')
        self.xgboost = type(self.model).__module__.startswith('xgboost')
        self.booster = self.xgboost and type(self.model).__name__ == 'Booster'

    def predict(self, instances, **_):
        try:
            return self.compute(instances)
        except (TypeError, ValueError) as error:
            raise BadInstances(self.blame(instances, error)) from error

    def blame(self, instances, error):
        """Names the first instance that cannot be predicted: it is the last of the shortest list that fails."""
        good, bad = 0, len(instances)
        while bad - good > 1:
            middle = (good + bad) // 2
            try:
                self.compute(instances[:middle])
                good = middle
            except (BadInstances, TypeError, ValueError) as narrower:
                bad, error = middle, narrower
        return str(error) if isinstance(error, BadInstances) else f'instance {bad - 1}: {error}'

    def compute(self, instances):
        wanted = self.model.num_features() if self.booster else getattr(self.model, 'n_features_in_', None)
        for index, instance in enumerate(instances if wanted is not None else ()):
            if isinstance(instance, list) and len(instance) != wanted:
                raise BadInstances(f'instance {index}: has {len(instance)} features, the model takes {wanted}')
        if not self.xgboost:
            # As they are: a matrix has one type, and would make texts of the numbers beside a text.
            return self.model.predict(instances)
        import numpy
        matrix = numpy.array(instances, dtype=float)
        if not self.booster:
            return self.model.predict(matrix)
        import xgboost
        return self.model.predict(xgboost.DMatrix(matrix, feature_names=self.model.feature_names))


def unpack(package, into):
    """Where a package's modules are: packages of a model are pure Python, and need no installer."""
    if package.endswith(('.whl', '.zip', '.egg')):
        with zipfile.ZipFile(package) as archive:
            archive.extractall(into)
    elif package.endswith(('.tar.gz', '.tgz')):
        with tarfile.open(package) as archive:
            archive.extractall(into, filter='data') if hasattr(tarfile, 'data_filter') else archive.extractall(into)
    else:
        raise ValueError(f'{os.path.basename(package)} is no package: .tar.gz, .whl or .zip is needed')
    found = [into]
    for name in sorted(os.listdir(into)):
        directory = os.path.join(into, name)
        if os.path.exists(os.path.join(directory, 'PKG-INFO')) or os.path.exists(os.path.join(directory, 'setup.py')):
            found = [directory] + ([os.path.join(directory, 'src')] if os.path.isdir(os.path.join(directory, 'src')) else [])
    return found


def add(packages):
    """The modules of packages can be imported from now on."""
    for number, package in enumerate(packages):
        if os.path.isdir(package):
            sys.path.insert(0, package)
            continue
        into = os.path.join(tempfile.mkdtemp(prefix='fireweed-package-'), str(number))
        os.makedirs(into)
        sys.path[:0] = unpack(package, into)


def custom(directory, class_name):
    module_name, _, name = class_name.rpartition('.')
    if not module_name:
        raise ValueError(f'"{class_name}" is not module.Class')
    routine = getattr(importlib.import_module(module_name), name)
    return routine.from_path(directory)


def send(channel, kind, text=''):
    payload = kind.encode() + text.encode()
    channel.write(struct.pack('>I', len(payload)) + payload)
    channel.flush()


def as_json(prediction):
    """JSON knows neither NaN nor Infinity: they are null, as TensorFlow's are."""
    try:
        return json.dumps(prediction, default=plain, allow_nan=False)
    except ValueError:
        loose = json.dumps(prediction, default=plain)
        return json.dumps(json.loads(loose, parse_constant=lambda _: None))


def answer(model, request):
    instances = request['instances']
    predictions = model.predict(instances, **request.get('parameters', {}))
    if hasattr(predictions, 'tolist'):
        predictions = predictions.tolist()
    if not isinstance(predictions, (list, tuple)):
        raise TypeError(f'predict() gave a {type(predictions).__name__}, not a list')
    if len(predictions) != len(instances):
        raise TypeError(f'predict() gave {len(predictions)} predictions for {len(instances)} instances')
    return [as_json(prediction) for prediction in predictions]


def serve(model, channel_in, channel_out):
    while True:
        head = channel_in.read(4)
        if len(head) < 4:
            return
        size, = struct.unpack('>I', head)
        try:
            request = json.loads(channel_in.read(size))
            send(channel_out, 'P', json.dumps(answer(model, request)))
        except BadInstances as error:
            send(channel_out, 'I', str(error))
        except json.JSONDecodeError as error:
            send(channel_out, 'I', f'broken JSON: {error}')
        except Exception as error:  # whatever a model may throw is told to whoever asked
            traceback.print_exc()
            send(channel_out, 'E', f'{type(error).__name__}: {error}')


def main():
    channel_in, channel_out = take_channel()
    confine()
    kind, directory, what, *packages = sys.argv[1:]
    try:
        add(packages)
        model = Pickled(what) if kind == 'model' else custom(directory, what)
    except BaseException as error:
        traceback.print_exc()
        send(channel_out, 'E', f'{type(error).__name__}: {error}')
        sys.exit(1)
    send(channel_out, 'R')
    serve(model, channel_in, channel_out)


main()
