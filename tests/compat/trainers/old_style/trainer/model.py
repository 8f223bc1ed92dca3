"""A wide and deep model over two columns."""
import tensorflow as tf

COLUMNS = ['color', 'x', 'label']
DEFAULTS = [[''], [0.0], [0]]


def build(config):
    color = tf.feature_column.categorical_column_with_vocabulary_list('color', ['red', 'green', 'blue'])
    return tf.estimator.DNNLinearCombinedClassifier(
        config=config, linear_feature_columns=[color],
        linear_optimizer=tf.train.FtrlOptimizer(learning_rate=0.1),
        dnn_feature_columns=[tf.feature_column.numeric_column('x'), tf.feature_column.indicator_column(color)],
        dnn_hidden_units=[8, 4], dnn_optimizer=tf.train.AdagradOptimizer(learning_rate=0.1))


def input_fn(pattern, epochs, batch):
    def parse(lines):
        features = dict(zip(COLUMNS, tf.decode_csv(lines, record_defaults=DEFAULTS)))
        label = features.pop('label')
        return features, label
    files = tf.gfile.Glob(pattern)
    tf.logging.info('reading %s', files)
    return lambda: tf.data.TextLineDataset(files).repeat(epochs).batch(batch).map(parse)


def serving_input_fn():
    inputs = {'color': tf.placeholder(tf.string, [None]), 'x': tf.placeholder(tf.float32, [None])}
    return tf.estimator.export.ServingInputReceiver(inputs, inputs)
