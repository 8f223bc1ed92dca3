"""Trains and evaluates the model wherever TF_CONFIG says that this task is."""
import argparse
import json
import os

import tensorflow as tf

from trainer import model


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--train-files', nargs='+', required=True, help='CSV files, here or in gs://; may have wildcards')
    parser.add_argument('--eval-files', nargs='+', required=True)
    parser.add_argument('--job-dir', required=True, help='for checkpoints, summaries and the exported model')
    parser.add_argument('--train-steps', type=int, default=2000, help='of all workers together')
    parser.add_argument('--train-batch-size', type=int, default=64)
    parser.add_argument('--eval-steps', type=int, default=None, help='batches of an evaluation; default: all')
    parser.add_argument('--eval-batch-size', type=int, default=256)
    parser.add_argument('--checkpoint-steps', type=int, default=500)
    parser.add_argument('--learning-rate', type=float, default=0.05)
    parser.add_argument('--first-layer-size', type=int, default=64)
    parser.add_argument('--num-layers', type=int, default=3)
    parser.add_argument('--scale-factor', type=float, default=0.5, help='each layer is so much smaller than the one before')
    parser.add_argument('--verbosity', default='INFO', choices=['DEBUG', 'INFO', 'WARN', 'ERROR'])
    return parser.parse_args()


def run(args):
    task = json.loads(os.environ.get('TF_CONFIG', '{}')).get('task', {})
    tf.logging.info('this is %s %s', task.get('type', 'master'), task.get('index', 0))
    config = tf.estimator.RunConfig(model_dir=args.job_dir, save_checkpoints_steps=args.checkpoint_steps,
                                    save_summary_steps=max(1, args.checkpoint_steps // 5), log_step_count_steps=100)
    layers = [max(2, int(args.first_layer_size * args.scale_factor ** i)) for i in range(args.num_layers)]
    estimator = model.build_estimator(config, layers, args.learning_rate)
    train_spec = tf.estimator.TrainSpec(
        model.input_fn(args.train_files, None, args.train_batch_size, shuffle=True), max_steps=args.train_steps)
    eval_spec = tf.estimator.EvalSpec(
        model.input_fn(args.eval_files, 1, args.eval_batch_size, shuffle=False), steps=args.eval_steps, name='taxi',
        exporters=[tf.estimator.FinalExporter('taxi', model.serving_input_fn)], start_delay_secs=5, throttle_secs=10)
    tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)


if __name__ == '__main__':
    flags = arguments()
    tf.logging.set_verbosity(flags.verbosity)
    run(flags)
