"""Runs gsutil's tests, each in a process group, a home and a state directory of its own."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time

import nursery
import world
from ledger import Line

LIMIT = 900  # seconds for one test, on a loaded machine; the slowest needs 80 on an idle one


class Runner:
    def __init__(self, place, api, logs):
        self.world, self.api, self.logs = place, api, pathlib.Path(logs)
        self.logs.mkdir(parents=True, exist_ok=True)

    def environment(self, home):
        (home / 'state').mkdir(parents=True)
        (home / 'tmp').mkdir()
        (home / 'boto').write_text(self.world.boto(home, self.api))
        if os.environ.get(world.INSIDE) == 'root':
            for path in (home, home / 'state', home / 'tmp', home / 'boto'):
                os.chown(path, world.NOBODY, world.NOBODY)
        return {'HOME': str(home), 'TMPDIR': str(home / 'tmp'), 'BOTO_CONFIG': str(home / 'boto'),
                'CLOUDSDK_CONFIG': str(home / 'gcloud'), 'CLOUDSDK_CORE_PASS_CREDENTIALS_TO_GSUTIL': '0',
                'CLOUDSDK_PYTHON': self.world.gsutil.python, 'PATH': '/usr/local/bin:/usr/bin:/bin',
                'LANG': 'C.UTF-8', 'PYTHONWARNINGS': 'ignore', 'PYTHONDONTWRITEBYTECODE': '1'}

    def list_tests(self):
        home = self.world.scratch / 'list'
        script = self.world.scratch / 'list_tests.py'
        shutil.copy(pathlib.Path(__file__).with_name('list_tests.py'), script)
        script.chmod(0o644)
        gsutil = self.world.gsutil
        options, prefix = world.unprivileged()
        done = subprocess.run([*prefix, gsutil.python, script, gsutil.program, gsutil.top], env=self.environment(home),
                              cwd=home, stdout=subprocess.PIPE, text=True, check=True, **options)
        return sorted(line for line in done.stdout.split() if line.count('.') == 2)

    def run(self, test):
        """One test: its Line, and how many seconds it took. What fails runs again, without the nursery: gsutil's tests
        have time limits of their own, and only gsutil itself may be called a failure."""
        line, seconds = self.attempt(test, {})
        if line.verdict != 'fail':
            return line, seconds
        return self.attempt(test, {nursery.PLAIN: '1'})

    def attempt(self, test, more):
        home = self.world.scratch / f'home-{threading.get_ident()}'
        gsutil = self.world.gsutil
        options, prefix = world.unprivileged()
        began = time.monotonic()
        process = subprocess.Popen([*prefix, gsutil.python, gsutil.program, '-q', 'test', '--sequential_only', test],
                                   env={**self.environment(home), **more}, cwd=home, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
                                   start_new_session=True, **options)
        try:
            output, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            output += f'\nSuiteError: not done after {LIMIT} s\n'
        finally:
            # A test's own children may outlive it.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        subprocess.run(['chmod', '-R', 'u+rwX', str(home)], check=False)  # some tests lock their directories
        shutil.rmtree(home, ignore_errors=True)
        (self.logs / f'{test}.log').write_text(output)
        return judge(output, process.returncode), time.monotonic() - began


def judge(output, status):
    """What the printed report of one test says."""
    skipped = re.search(r"skipped (['\"])(.*)\1\s*$", output, re.M)
    if status == 0 and skipped:
        return Line('skip', skipped.group(2))
    if status == 0 and re.search(r'^OK\s*$', output, re.M):
        return Line('pass', '')
    errors = re.findall(r'^([\w.]*(?:Error|Exception|Failure|Timeout)\w*(?:: .*)?)$', output, re.M)
    reason = ' '.join(errors[-1].split()) if errors else f'exit status {status}'
    # Names made up for one run would make every update a change.
    reason = re.sub(r'gsutil-test-[\w.-]+', 'BUCKET', reason)
    return Line('fail', reason[:160])
