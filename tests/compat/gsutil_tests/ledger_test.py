"""The rules of the ledger of gsutil's tests. Run by ctest; standard library only."""
import unittest

import ledger
from ledger import Line

TEXT = '# heading\nfail  a.A.x  # broken\npass  a.A.y\nlater b.B.z  # not yet\n'


class Ledger(unittest.TestCase):
    def test_what_is_rendered_is_parsed(self):
        lines = ledger.parse(TEXT)
        self.assertEqual(lines, {'a.A.x': Line('fail', 'broken'), 'a.A.y': Line('pass', ''),
                                 'b.B.z': Line('later', 'not yet')})
        self.assertEqual(ledger.render(lines, ['heading']), TEXT)

    def test_bad_lines_are_refused(self):
        for text in ('passed a.A.x', 'pass', 'fail a.A.x', 'later a.A.x  #  ', 'pass a.A.x\npass a.A.x'):
            with self.assertRaises(ValueError, msg=text):
                ledger.parse(text)

    def test_a_pass_is_not_taken_back(self):
        lines = ledger.parse(TEXT)
        results = {'a.A.y': Line('fail', 'now broken')}
        self.assertEqual(ledger.regressions(lines, results), ['a.A.y'])
        self.assertEqual(ledger.merge(lines, results), lines)

    def test_only_what_passed_can_regress(self):
        results = {'a.A.x': Line('fail', ''), 'b.B.z': Line('fail', ''), 'c.C.n': Line('fail', 'new'),
                   'a.A.y': Line('skip', 'no key')}
        self.assertEqual(ledger.regressions(ledger.parse(TEXT), results), [])

    def test_a_merge_keeps_reasons_by_hand_and_takes_passes(self):
        merged = ledger.merge(ledger.parse(TEXT), {
            'a.A.x': Line('pass', ''), 'b.B.z': Line('fail', 'whatever'), 'c.C.n': Line('fail', 'new')})
        self.assertEqual(merged, {'a.A.x': Line('pass', ''), 'a.A.y': Line('pass', ''),
                                  'b.B.z': Line('later', 'not yet'), 'c.C.n': Line('fail', 'new')})
        self.assertEqual(ledger.counts(merged), {'pass': 2, 'fail': 1, 'later': 1, 'skip': 0})


if __name__ == '__main__':
    unittest.main()
