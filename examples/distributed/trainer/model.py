"""Who tips more than a fifth of the fare: columns, a wide and deep model, and where its rows come from."""
import multiprocessing

import tensorflow as tf

CSV_COLUMNS = ['pickup_community_area', 'fare', 'trip_start_month', 'trip_start_hour', 'trip_start_day',
               'trip_start_timestamp', 'pickup_latitude', 'pickup_longitude', 'dropoff_latitude', 'dropoff_longitude',
               'trip_miles', 'pickup_census_tract', 'dropoff_census_tract', 'payment_type', 'company', 'trip_seconds',
               'dropoff_community_area', 'tips']
CSV_DEFAULTS = [[-1], [0.0], [0], [0], [0], [0], [0.0], [0.0], [0.0], [0.0], [0.0], [''], [''], [''], [''], [0.0], [-1],
                [0.0]]
UNUSED = ['trip_start_timestamp', 'pickup_census_tract', 'dropoff_census_tract']

PAYMENT_TYPES = ['Cash', 'Credit Card', 'Dispute', 'No Charge', 'Pcard', 'Prcard', 'Unknown']
# Name, mean and spread of the numbers, as they are in the training set.
NUMBERS = [('fare', 11.8, 10.0), ('trip_miles', 2.9, 6.0), ('trip_seconds', 770.0, 900.0)]
PLACES = [('pickup_latitude', 41.77, 42.02), ('pickup_longitude', -87.91, -87.57),
          ('dropoff_latitude', 41.77, 42.02), ('dropoff_longitude', -87.91, -87.57)]
COMMUNITY_AREAS = 78
COMPANY_BUCKETS = 100


def wide_and_deep_columns():
    numbers = [tf.feature_column.numeric_column(name, normalizer_fn=lambda x, m=mean, s=spread: (x - m) / s)
               for name, mean, spread in NUMBERS]
    payment = tf.feature_column.categorical_column_with_vocabulary_list('payment_type', PAYMENT_TYPES)
    company = tf.feature_column.categorical_column_with_hash_bucket('company', COMPANY_BUCKETS)
    times = [tf.feature_column.categorical_column_with_identity('trip_start_' + name, size, default_value=0)
             for name, size in (('month', 13), ('day', 8), ('hour', 24))]
    # Areas are numbered from 1; unknown ones are -1 in the file.
    areas = [tf.feature_column.categorical_column_with_identity(end + '_community_area', COMMUNITY_AREAS, default_value=0)
             for end in ('pickup', 'dropoff')]
    places = [tf.feature_column.bucketized_column(
        tf.feature_column.numeric_column(name), [low + i * (high - low) / 9 for i in range(10)])
              for name, low, high in PLACES]
    fares = tf.feature_column.bucketized_column(tf.feature_column.numeric_column('fare'), [3, 5, 8, 12, 20, 35, 50])

    wide = [payment, company] + times + areas + places + [
        tf.feature_column.crossed_column([fares, 'payment_type'], hash_bucket_size=100),
        tf.feature_column.crossed_column(['trip_start_day', 'trip_start_hour'], hash_bucket_size=200),
        tf.feature_column.crossed_column(places[:2], hash_bucket_size=200)]
    deep = numbers + [tf.feature_column.indicator_column(payment)] + [
        tf.feature_column.embedding_column(column, 4) for column in times + areas] + [
        tf.feature_column.embedding_column(company, 8)]
    return wide, deep


def build_estimator(config, hidden_units, learning_rate):
    wide, deep = wide_and_deep_columns()
    return tf.estimator.DNNLinearCombinedClassifier(
        config=config, linear_feature_columns=wide, dnn_feature_columns=deep, dnn_hidden_units=hidden_units,
        linear_optimizer=tf.train.FtrlOptimizer(learning_rate=learning_rate),
        dnn_optimizer=tf.train.AdagradOptimizer(learning_rate=learning_rate))


def parse_csv(lines):
    features = dict(zip(CSV_COLUMNS, tf.decode_csv(lines, record_defaults=CSV_DEFAULTS)))
    for name in UNUSED:
        features.pop(name)
    label = tf.cast(features.pop('tips') > 0.2 * features['fare'], tf.int32)
    return features, label


def input_fn(patterns, num_epochs, batch_size, shuffle):
    def read():
        files = [name for pattern in patterns for name in tf.gfile.Glob(pattern)]
        lines = tf.data.Dataset.from_tensor_slices(files).flat_map(lambda name: tf.data.TextLineDataset(name).skip(1))
        if shuffle:
            lines = lines.shuffle(10 * batch_size)
        return lines.repeat(num_epochs).batch(batch_size).map(
            parse_csv, num_parallel_calls=multiprocessing.cpu_count()).prefetch(2)
    return read


def serving_input_fn():
    """Rows as JSON objects: one value for each column that the model looks at."""
    inputs = {}
    for name, default in zip(CSV_COLUMNS, CSV_DEFAULTS):
        if name not in UNUSED + ['tips']:
            inputs[name] = tf.placeholder(tf.convert_to_tensor(default).dtype, [None], name=name)
    return tf.estimator.export.ServingInputReceiver(inputs, inputs)
