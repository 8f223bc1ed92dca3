"""The convention: go on from the last checkpoint, train to a step, save now and then, and before the machine goes."""
import json
import logging
import time

from trainer import files


def add_flags(parser):
    parser.add_argument('--job-dir', required=True, help='where checkpoints and the model go; may be gs://')
    parser.add_argument('--data-dir', required=True, help='where the data is; may be gs://')
    parser.add_argument('--train-steps', type=int, required=True, help='the step to train to, counted from the very first')
    parser.add_argument('--checkpoint-steps', type=int, default=100, help='how many steps apart checkpoints are')
    parser.add_argument('--checkpoint-on-notice', action='store_true', help='save when the machine is about to be taken away')
    parser.add_argument('--keep-checkpoints', type=int, default=0, help='how many to keep; 0: all')
    parser.add_argument('--seed', type=int, default=1)


class Checkpoints:
    """job-dir/checkpoints/step-0000000120 and so on; the largest counts."""

    def __init__(self, job_dir, keep):
        self.folder = files.join(job_dir, 'checkpoints')
        self.keep = keep

    def restore(self, model):
        """The step to which the model has been brought; 0 where nothing was saved."""
        names = files.names(self.folder)
        if not names:
            return 0
        model.load(files.read(files.join(self.folder, names[-1])))
        return int(names[-1].partition('-')[2])

    def save(self, model, step):
        files.write(files.join(self.folder, f'step-{step:010d}'), model.save())
        logging.info('saved a checkpoint at step %d', step)
        if self.keep:
            for name in files.names(self.folder)[:-self.keep]:
                files.delete(files.join(self.folder, name))


def train(model, args, notice):
    """Trains to the target and exports the model: true. False when the machine goes before that."""
    checkpoints = Checkpoints(args.job_dir, args.keep_checkpoints)
    step = restored = checkpoints.restore(model)
    logging.info('restored step %d, the target is %d', restored, args.train_steps)
    while step < args.train_steps:
        step += 1
        model.train_step(step)
        if step == restored + 1:
            logging.info('first trained step %d', step)
            record_run(args.job_dir, restored, step)
        going = notice.given.is_set()
        if going or step % args.checkpoint_steps == 0 or step == args.train_steps:
            checkpoints.save(model, step)
        if going and step < args.train_steps:
            return False
    export(model, args.job_dir, step)
    return True


def record_run(job_dir, restored, first):
    """One file for each start of the trainer, written after its first step."""
    record = {'restored': restored, 'first': first}
    files.write(files.join(job_dir, 'runs', f'{time.time_ns()}.json'), json.dumps(record).encode())


def export(model, job_dir, step):
    for name, data in model.export().items():
        files.write(files.join(job_dir, 'model', name), data)
    score = model.evaluate()
    # Last: whoever sees the score finds the model.
    files.write(files.join(job_dir, 'score.json'), json.dumps({'step': step, 'score': score}).encode())
    logging.info('done at step %d, score %.4f', step, score)
