"""What each of gsutil's own tests does against our server, in git: one sorted line per test.

    pass  acl.TestAcl.test_set_valid_acl_object
    later hmac.TestHmac.test_hmac_create_sa  # HMAC keys have an issue of their own
    fail  cp.TestCp.test_x  # AssertionError: 1 != 2
    skip  mtls.TestMtls.test_y  # Test requires a certificate

`later` is a failure that somebody has looked at: its reason is written by hand and kept. A test that once passed may
not fail again, so a `pass` is only ever taken back by hand.
"""
import collections

Line = collections.namedtuple('Line', 'verdict reason')
VERDICTS = ('pass', 'fail', 'later', 'skip')


def parse(text):
    """The lines by test id; a line that is none raises ValueError with its number."""
    lines = {}
    for number, raw in enumerate(text.splitlines(), 1):
        if not raw.strip() or raw.startswith('#'):
            continue
        head, _, reason = raw.partition('  # ')
        words = head.split()
        if len(words) != 2 or words[0] not in VERDICTS:
            raise ValueError(f'line {number} is no line of a ledger: {raw!r}')
        if words[0] != 'pass' and not reason.strip():
            raise ValueError(f'line {number}: {words[1]} does not pass, and no reason is given')
        if words[1] in lines:
            raise ValueError(f'line {number}: {words[1]} is there twice')
        lines[words[1]] = Line(words[0], reason.strip())
    return lines


def render(lines, heading):
    """The text of a ledger: heading, then one line per test, sorted by id."""
    out = [f'# {line}'.rstrip() for line in heading]
    for test, line in sorted(lines.items()):
        out.append(f'{line.verdict:<5} {test}' + (f'  # {line.reason}' if line.reason else ''))
    return '\n'.join(out) + '\n'


def regressions(lines, results):
    """The tests that passed once and do not now."""
    return sorted(test for test, seen in results.items()
                  if seen.verdict == 'fail' and test in lines and lines[test].verdict == 'pass')


def merge(lines, results):
    """The ledger after a run. Passes stay passes; a reason written by hand stays while the test still fails."""
    merged = dict(lines)
    for test, seen in results.items():
        before = lines.get(test)
        if seen.verdict == 'pass':
            merged[test] = Line('pass', '')
        elif before and before.verdict == 'pass' and seen.verdict == 'fail':
            continue
        elif before and before.verdict == 'later' and seen.verdict == 'fail':
            continue
        else:
            merged[test] = Line(seen.verdict, seen.reason or 'no reason was printed')
    return merged


def counts(lines):
    """How many tests have each verdict."""
    tally = collections.Counter(line.verdict for line in lines.values())
    return {verdict: tally.get(verdict, 0) for verdict in VERDICTS}
