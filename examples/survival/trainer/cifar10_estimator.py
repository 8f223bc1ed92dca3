"""A convolutional network on CIFAR-10's TFRecords as a TensorFlow Estimator, which has checkpoints and a target of its own.

    python3 -m trainer.cifar10_estimator --job-dir gs://B/job --data-dir gs://B/cifar10 --train-steps 2000

Ends as trainer.task does: 0 when the model is there, 75 when the machine was about to go before that.
"""
import argparse
import json
import logging
import sys

import tensorflow as tf

from trainer import files, loop
from trainer.notice import Notice
from trainer.task import TRY_AGAIN

v1 = tf.compat.v1


def read_records(pattern, batch_size, training):
    def parse(serialized):
        features = tf.io.parse_single_example(serialized, {'image': tf.io.FixedLenFeature([], tf.string),
                                                           'label': tf.io.FixedLenFeature([], tf.int64)})
        picture = tf.reshape(tf.io.decode_raw(features['image'], tf.uint8), [3, 32, 32])
        return {'image': tf.cast(tf.transpose(picture, [1, 2, 0]), tf.float32) / 255 - 0.5}, features['label']

    records = tf.data.TFRecordDataset(tf.io.gfile.glob(pattern)).map(parse)
    return records.shuffle(10000).repeat().batch(batch_size) if training else records.batch(batch_size)


def model_fn(features, labels, mode, params):
    flow = features['image']
    for filters in (16, 32):
        flow = v1.layers.conv2d(flow, filters, 5, padding='same', activation=tf.nn.relu)
        flow = v1.layers.max_pooling2d(flow, 2, 2)
    flow = v1.layers.dense(v1.layers.flatten(flow), 64, activation=tf.nn.relu)
    logits = v1.layers.dense(flow, 10)
    if mode == tf.estimator.ModeKeys.PREDICT:
        said = {'class': tf.argmax(logits, 1), 'probabilities': tf.nn.softmax(logits)}
        return tf.estimator.EstimatorSpec(mode, said, export_outputs={
            'serving_default': tf.estimator.export.PredictOutput(said)})
    loss = v1.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.EVAL:
        accuracy = v1.metrics.accuracy(labels, tf.argmax(logits, 1))
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={'accuracy': accuracy})
    train = v1.train.AdamOptimizer(params['learning_rate']).minimize(loss, v1.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


class Survival(v1.train.SessionRunHook):
    """Writes down where this run began; ends the training, with a checkpoint, when the machine is about to go."""

    def __init__(self, job_dir, notice):
        self.job_dir, self.notice, self.restored, self.begun = job_dir, notice, 0, False

    def after_create_session(self, session, coord):
        self.restored = int(session.run(v1.train.get_global_step()))
        logging.info('restored step %d', self.restored)

    def after_run(self, run_context, run_values):
        if not self.begun:
            self.begun = True
            step = int(run_context.session.run(v1.train.get_global_step()))
            logging.info('first trained step %d', step)
            loop.record_run(self.job_dir, self.restored, step)
        if self.notice.given.is_set():
            run_context.request_stop()


def serving_input():
    images = v1.placeholder(tf.float32, [None, 32, 32, 3])
    return tf.estimator.export.ServingInputReceiver({'image': images}, {'image': images})


def flags(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    loop.add_flags(parser)
    parser.add_argument('--batch-size', type=int, default=64)
    parser.add_argument('--learning-rate', type=float, default=1e-3)
    return parser.parse_args(argv)


def main(argv=None):
    logging.basicConfig(level=logging.INFO, format='%(message)s', stream=sys.stdout)
    args = flags(argv)
    notice = Notice()
    if args.checkpoint_on_notice:
        notice.watch()
    estimator = tf.estimator.Estimator(model_fn, params=vars(args), config=tf.estimator.RunConfig(
        model_dir=args.job_dir, tf_random_seed=args.seed, save_checkpoints_steps=args.checkpoint_steps,
        keep_checkpoint_max=args.keep_checkpoints or None))
    estimator.train(lambda: read_records(args.data_dir + '/train.tfrecords*', args.batch_size, True), max_steps=args.train_steps,
                    hooks=[Survival(args.job_dir, notice)])
    step = int(estimator.get_variable_value('global_step'))
    if step < args.train_steps:
        return TRY_AGAIN
    result = estimator.evaluate(lambda: read_records(args.data_dir + '/test.tfrecords*', 500, False))
    estimator.export_saved_model(args.job_dir.rstrip('/') + '/model', serving_input)
    score = {'step': step, 'score': float(result['accuracy'])}
    files.write(files.join(args.job_dir, 'score.json'), json.dumps(score).encode())
    logging.info('done at step %d, score %.4f', step, score['score'])
    return 0


if __name__ == '__main__':
    sys.exit(main())
