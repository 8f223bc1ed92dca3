"""TensorFlow 2 under its name of old: `import tensorflow as tf` shows the version 1 surface.

Every public name of tensorflow.compat.v1 is put on the module: tf.gfile, tf.logging, tf.app, tf.placeholder,
tf.estimator.inputs and so on. tf.contrib did not survive; the few names of it that trainers use most are made here, and the
rest says what it is.
"""
import sys
import types

from fireweed_shims.after_import import after_import

_KEPT = {'compat', 'keras', 'python', 'contrib'}


def _overlay(tensorflow):
    v1 = tensorflow.compat.v1
    for name in dir(v1):
        if name.startswith('_') or name in _KEPT:
            continue
        setattr(tensorflow, name, getattr(v1, name))
    sys.modules['tensorflow.estimator'] = v1.estimator
    for name in ('gfile', 'logging', 'app', 'flags', 'train', 'layers', 'losses', 'metrics', 'saved_model', 'summary'):
        if hasattr(v1, name):
            sys.modules.setdefault('tensorflow.' + name, getattr(v1, name))
    _say_nothing_of_what_is_old()
    tensorflow.contrib = _contrib(tensorflow)
    v1.disable_v2_behavior()


def _say_nothing_of_what_is_old():
    """Whoever asked for TensorFlow 1 knows: its log is not filled with advice to move on."""
    try:
        from tensorflow.python.util import deprecation  # pylint: disable=import-outside-toplevel
        deprecation._PRINT_DEPRECATION_WARNINGS = False  # pylint: disable=protected-access
    except (ImportError, AttributeError):
        pass  # another TensorFlow: nothing but noise is lost


class _Contrib(types.ModuleType):
    """A package that says what is missing by the name people know."""

    def __init__(self, name, **members):
        super().__init__(name)
        self.__path__ = []
        self.__dict__.update(members)
        sys.modules[name] = self

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        raise AttributeError(f'{self.__name__[len("tensorflow."):]}.{name} went away with TensorFlow 1; this runtime has '
                             'TensorFlow 2 with the version 1 surface, and no contrib')


class HParams:
    """Named values, as tf.contrib.training had them."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def add_hparam(self, name, value):
        if hasattr(self, name):
            raise ValueError(f'Hyperparameter name is reserved: {name}')
        setattr(self, name, value)

    def set_hparam(self, name, value):
        setattr(self, name, value)

    def get(self, name, default=None):
        return self.__dict__.get(name, default)

    def values(self):
        return dict(self.__dict__)

    def override_from_dict(self, values):
        self.__dict__.update(values)
        return self

    def __contains__(self, name):
        return name in self.__dict__


def _contrib(tensorflow):
    v1 = tensorflow.compat.v1
    initializers = v1.keras.initializers
    layers = _Contrib('tensorflow.contrib.layers',
                      xavier_initializer=lambda uniform=True, seed=None, dtype=None:
                      initializers.glorot_uniform(seed) if uniform else initializers.glorot_normal(seed),
                      variance_scaling_initializer=v1.variance_scaling_initializer,
                      l2_regularizer=lambda scale: v1.keras.regularizers.l2(0.5 * scale),
                      l1_regularizer=lambda scale: v1.keras.regularizers.l1(scale),
                      fully_connected=lambda inputs, num_outputs, activation_fn=v1.nn.relu, **rest:
                      v1.layers.dense(inputs, num_outputs, activation=activation_fn, name=rest.get('scope')),
                      flatten=v1.layers.flatten)
    learn = _Contrib('tensorflow.contrib.learn', RunConfig=v1.estimator.RunConfig, ModeKeys=v1.estimator.ModeKeys)
    return _Contrib('tensorflow.contrib', layers=layers, learn=learn,
                    training=_Contrib('tensorflow.contrib.training', HParams=HParams),
                    data=_Contrib('tensorflow.contrib.data', AUTOTUNE=v1.data.experimental.AUTOTUNE,
                                  shuffle_and_repeat=v1.data.experimental.shuffle_and_repeat,
                                  map_and_batch=v1.data.experimental.map_and_batch,
                                  make_csv_dataset=v1.data.experimental.make_csv_dataset),
                    lookup=_Contrib('tensorflow.contrib.lookup',
                                    index_table_from_tensor=lambda mapping, num_oov_buckets=0, default_value=-1, **_:
                                    v1.lookup.StaticVocabularyTable(
                                        v1.lookup.KeyValueTensorInitializer(
                                            mapping, v1.range(v1.size(mapping, out_type=v1.int64), dtype=v1.int64)),
                                        max(num_oov_buckets, 1))))


def install():
    after_import('tensorflow', _overlay)
