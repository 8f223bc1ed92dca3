#!/usr/bin/env python3
"""A search that is killed goes on where it was, and ends as one that was not."""
import json
import pathlib
import random
import tempfile
import unittest
from unittest import mock

import joblib

import search

ROW = '{age}, {work}, {weight}, {school}, 9, Never-married, Sales, Own-child, White, Male, 0, 0, {hours}, United-States, {income}\n'


def write_census(folder, seed=3, rows=400):
    draw = random.Random(seed)
    for name, dot in (('adult.data', ''), ('adult.test', '.')):
        with open(folder / name, 'w', encoding='utf-8') as stream:
            if dot:
                stream.write('|1x3 Cross validator\n')
            for _ in range(rows):
                age = draw.randint(18, 80)
                rich = age + draw.gauss(0, 10) > 50
                stream.write(ROW.format(age=age, work=draw.choice(['Private', '?']), weight=draw.randint(1, 10 ** 6),
                                        school=draw.choice(['HS-grad', 'Masters']), hours=draw.randint(10, 60),
                                        income=('>50K' if rich else '<=50K') + dot))


class Killed(Exception):
    pass


class SearchTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        write_census(self.root)
        self.evaluated = []

    def run_search(self, job, killed_after=None):
        """In this process and in order, so that it can be killed where the test says."""
        evaluate = search.evaluate

        def counted(number, *rest):
            if len(self.evaluated) == killed_after:
                raise Killed
            self.evaluated.append(number)
            return evaluate(number, *rest)

        def inline(tasks):
            for function, positional, named in tasks:
                yield function(*positional, **named)

        with mock.patch.object(search, 'evaluate', counted), \
                mock.patch.object(joblib, 'Parallel', lambda **_: inline):
            search.main(['--data-dir', str(self.root), '--job-dir', str(self.root / job), '--n-iter', '5'])

    def metrics(self, job):
        return json.loads((self.root / job / 'metrics.json').read_text())

    def test_goes_on_after_a_kill(self):
        with self.assertRaises(Killed):
            self.run_search('job', killed_after=2)
        self.assertFalse((self.root / 'job' / 'metrics.json').exists())
        self.run_search('job')
        self.assertEqual(self.evaluated, [0, 1, 2, 3, 4])
        self.assertEqual(self.metrics('job')['runs'], 2)

    def test_ends_as_one_that_was_never_killed(self):
        with self.assertRaises(Killed):
            self.run_search('killed', killed_after=3)
        self.run_search('killed')
        self.run_search('whole')
        for key in ('configurations', 'best_score', 'parameters', 'test_accuracy', 'examples'):
            self.assertEqual(self.metrics('killed')[key], self.metrics('whole')[key])
        self.assertEqual((self.root / 'killed/model/model.bst').read_bytes(), (self.root / 'whole/model/model.bst').read_bytes())

    def test_a_complete_search_is_left_alone(self):
        self.run_search('job')
        self.evaluated.clear()
        self.run_search('job')
        self.assertEqual(self.evaluated, [])


if __name__ == '__main__':
    unittest.main()
