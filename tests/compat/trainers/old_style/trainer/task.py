import argparse
import json
import os

import model  # as Python 2 allowed
import tensorflow as tf


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--job-dir', required=True)
    parser.add_argument('--data', required=True)
    parser.add_argument('--steps', type=int, default=200)
    args = parser.parse_args()
    tf.logging.set_verbosity(tf.logging.INFO)
    task = json.loads(os.environ['TF_CONFIG'])['task']
    tf.logging.info('task %s %s', task.get('type'), task.get('index'))
    config = tf.estimator.RunConfig(model_dir=args.job_dir, save_checkpoints_steps=100)
    train = tf.estimator.TrainSpec(model.input_fn(args.data, None, 32), max_steps=args.steps)
    evaluate = tf.estimator.EvalSpec(model.input_fn(args.data, 1, 32), steps=None, start_delay_secs=1, throttle_secs=1,
                                     exporters=[tf.estimator.FinalExporter('census', model.serving_input_fn)])
    tf.estimator.train_and_evaluate(model.build(config), train, evaluate)
    tf.logging.info('trainer is done')


if __name__ == '__main__':
    main()
