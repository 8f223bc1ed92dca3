"""Tests of the trainers: interrupted at any point, they end in the model of an undisturbed run.

    python3 trainer_test.py [Convention|Plain|Scikit|Boosted|Network|Estimator]
"""
import importlib.util
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import types
import unittest

import check_runs
from trainer import files, loop
from trainer.notice import Notice

HERE = pathlib.Path(__file__).parent


class Counting:
    """A model whose state is the list of its steps."""

    def __init__(self, dies_at=None):
        self.steps, self.dies_at = [], dies_at

    def train_step(self, step):
        if step == self.dies_at:
            raise KeyboardInterrupt
        self.steps.append(step)

    def save(self):
        return json.dumps(self.steps).encode()

    def load(self, data):
        self.steps = json.loads(data)

    def export(self):
        return {'model.json': self.save()}

    def evaluate(self):
        return len(self.steps)


class InScratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name


class Convention(InScratch):
    def train(self, target, dies_at=None, notice=None, keep=0):
        args = types.SimpleNamespace(job_dir=self.scratch, train_steps=target, checkpoint_steps=10, keep_checkpoints=keep)
        model = Counting(dies_at)
        return loop.train(model, args, notice or Notice()), model

    def score(self):
        return json.loads(files.read(files.join(self.scratch, 'score.json')))

    def test_goes_on_after_the_last_checkpoint(self):
        for dies_at in (1, 10, 11, 25, 26):
            with self.assertRaises(KeyboardInterrupt):
                self.train(35, dies_at)
        done, model = self.train(35)
        self.assertTrue(done)
        self.assertEqual(model.steps, list(range(1, 36)))
        self.assertEqual(self.score(), {'step': 35, 'score': 35})
        self.assertEqual([first for _, first, _ in check_runs.runs_of(self.scratch)], [1, 1, 11, 21, 21])

    def test_the_steps_are_a_target(self):
        self.train(20)
        _, model = self.train(20)
        self.assertEqual(model.steps, list(range(1, 21)))
        self.assertEqual(len(check_runs.runs_of(self.scratch)), 1, 'the second start had nothing to train')
        _, model = self.train(30)
        self.assertEqual(model.steps, list(range(1, 31)))

    def test_saves_when_the_machine_is_about_to_go(self):
        notice = Notice()
        notice.given.set()
        done, _ = self.train(20, notice=notice)
        self.assertFalse(done)
        self.assertEqual(files.names(self.scratch + '/checkpoints'), ['step-0000000001'])
        self.assertIsNone(files.read(self.scratch + '/score.json'))

    def test_half_a_checkpoint_is_none(self):
        self.train(10)
        pathlib.Path(self.scratch, 'checkpoints', 'step-0000000020.part').write_bytes(b'[1,')
        _, model = self.train(12)
        self.assertEqual(model.steps, list(range(1, 13)))

    def test_keeps_as_many_as_asked_for(self):
        self.train(50, keep=2)
        self.assertEqual(files.names(self.scratch + '/checkpoints'), ['step-0000000040', 'step-0000000050'])

    def test_the_check_sees_steps_trained_twice(self):
        self.train(20)
        loop.record_run(self.scratch, 10, 11)
        with self.assertRaises(SystemExit):
            check_runs.main([self.scratch])


def make_census(folder):
    numbers = random.Random(1)
    for name, count in (('adult.data', 2000), ('adult.test', 500)):
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as stream:
            for _ in range(count):
                age, years, hours = numbers.randint(17, 90), numbers.randint(1, 16), numbers.randint(1, 99)
                label = '>50K' if years + hours / 20 + numbers.gauss(0, 1) > 11 else '<=50K'
                stream.write(f'{age}, Private, 77516, Some, {years}, Single, Sales, Wife, White, Male, 0, 0, {hours}, Peru, {label}\n')


def make_cifar10(folder):
    numbers = random.Random(1)
    for name, count in (('data_batch_1.bin', 200), ('test_batch.bin', 50)):
        with open(os.path.join(folder, name), 'wb') as stream:
            for _ in range(count):
                label = numbers.randrange(10)
                stream.write(bytes([label]) + bytes(min(255, numbers.randrange(40) + 20 * label) for _ in range(3072)))


class Trainer:
    """For every framework: killed without a word, then asked to save and go, then left to finish."""
    module, arguments, make_data = 'trainer.task', [], staticmethod(make_census)
    steps, apart, timeout = 60, 10, 300
    same = True  # an undisturbed run ends in the same model

    def setUp(self):
        super().setUp()
        missing = [name for name in self.needs if importlib.util.find_spec(name) is None]
        if missing:
            self.skipTest('not installed: ' + ', '.join(missing))
        self.data = os.path.join(self.scratch, 'data')
        os.mkdir(self.data)
        self.make_data(self.data)

    def start(self, job_dir, *more):
        return subprocess.Popen(
            [sys.executable, '-u', '-m', self.module, *self.arguments, '--job-dir', job_dir, '--data-dir', self.data,
             '--train-steps', str(self.steps), '--checkpoint-steps', str(self.apart), *more],
            cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=dict(os.environ, PYTHONDONTWRITEBYTECODE='1', TF_CPP_MIN_LOG_LEVEL='2', CUDA_VISIBLE_DEVICES=''))

    def finish(self, process):
        output, _ = process.communicate(timeout=self.timeout)
        return process.returncode, output

    def interrupt(self, process, text, how):
        """Sends a signal when the trainer has said something."""
        said = []
        for line in process.stdout:
            said.append(line)
            if text in line:
                process.send_signal(how)
                break
        else:
            self.fail('it never said "%s":\n%s' % (text, ''.join(said)))
        return self.finish(process)

    def score_of(self, job_dir):
        return json.loads(pathlib.Path(job_dir, 'score.json').read_text(encoding='utf-8'))

    def test_interrupted_and_whole(self):
        whole, broken = os.path.join(self.scratch, 'whole'), os.path.join(self.scratch, 'broken')
        if self.same:
            code, output = self.finish(self.start(whole))
            self.assertEqual(code, 0, output)
        self.interrupt(self.start(broken), self.saved, signal.SIGKILL)
        code, output = self.interrupt(self.start(broken, '--checkpoint-on-notice'), 'first trained step', signal.SIGTERM)
        # Very fast trainers are done before the signal comes.
        self.assertIn(code, (0, 75), output)
        code, output = self.finish(self.start(broken))
        self.assertEqual(code, 0, output)
        self.assertEqual(self.score_of(broken)['step'], self.steps)
        runs = check_runs.runs_of(broken)
        self.assertGreaterEqual(len(runs), 2)
        for restored, first, last in runs:
            self.assertEqual((restored, first), (last, last + 1))
        self.compare(whole, broken)

    def compare(self, whole, broken):
        self.assertEqual(self.score_of(whole), self.score_of(broken))
        for name in os.listdir(os.path.join(whole, 'model')):
            self.assertEqual(pathlib.Path(whole, 'model', name).read_bytes(), pathlib.Path(broken, 'model', name).read_bytes())

    saved = 'saved a checkpoint'


class Plain(Trainer, InScratch):
    needs, steps, apart = (), 400, 20


class Scikit(Trainer, InScratch):
    needs, arguments, steps = ('sklearn',), ['--model', 'scikit'], 100

    def compare(self, whole, broken):
        # A pickle says which arrays were the same object once: the same weights, not the same bytes.
        self.assertEqual(self.score_of(whole), self.score_of(broken))
        joblib = importlib.import_module('joblib')
        ours, theirs = (joblib.load(os.path.join(job_dir, 'model', 'model.joblib')) for job_dir in (whole, broken))
        self.assertEqual((ours.coef_.tolist(), ours.intercept_.tolist(), ours.t_),
                         (theirs.coef_.tolist(), theirs.intercept_.tolist(), theirs.t_))


class Boosted(Trainer, InScratch):
    needs, arguments = ('xgboost',), ['--model', 'boosted']


class Network(Trainer, InScratch):
    needs, arguments, make_data = ('torch',), ['--model', 'network', '--batch-size', '16'], staticmethod(make_cifar10)

    def compare(self, whole, broken):
        self.assertEqual(self.score_of(whole), self.score_of(broken))


class Estimator(Trainer, InScratch):
    needs, module, arguments = ('tensorflow',), 'trainer.cifar10_estimator', ['--batch-size', '16']
    saved, steps = 'first trained step', 30
    # The order of its pictures is not part of a checkpoint.
    same = False

    def make_data(self, folder):
        make_cifar10(folder)
        subprocess.run([sys.executable, '-m', 'trainer.cifar10_records', '--data-dir', folder, '--output-dir', folder], cwd=HERE, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, PYTHONDONTWRITEBYTECODE='1'))

    def compare(self, whole, broken):
        self.assertEqual(len(list(pathlib.Path(broken, 'model').glob('*/saved_model.pb'))), 1)


if __name__ == '__main__':
    unittest.main()
