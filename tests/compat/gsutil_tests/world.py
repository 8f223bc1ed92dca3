"""A small world in which Google's API hosts are our daemon, and a gsutil that has been told nothing about it.

Network, mount and process namespaces of their own: loopback only, /etc/hosts names Google's hosts there, gsutil's list
of certificate authorities has ours in it, and the daemon listens on the real ports 80 and 443. No setting of gsutil's
points here, so the tests see the same hosts, paths and signatures as on the cloud. Whatever was started ends with the
namespace.
"""
import ctypes
import fcntl
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

import nursery

INSIDE = 'FIREWEED_GSUTIL_WORLD'
HOSTS = ['storage.googleapis.com', 'www.googleapis.com', 'oauth2.googleapis.com', 'accounts.google.com',
         'cloudkms.googleapis.com', 'pubsub.googleapis.com', 'iamcredentials.googleapis.com', 'iam.googleapis.com',
         'storage.mtls.googleapis.com', 'commondatastorage.googleapis.com']
# Where the libraries that gsutil carries, or PyPI's gsutil stands on, keep their authorities.
AUTHORITIES = ['gslib/data/cacerts.txt', 'gslib/vendored/boto/boto/cacerts/cacerts.txt', 'boto/cacerts/cacerts.txt',
               'third_party/httplib2/python3/httplib2/cacerts.txt', 'httplib2/cacerts.txt',
               'third_party/certifi/certifi/cacert.pem', 'certifi/cacert.pem']
NOBODY = 65534  # tests that expect to be refused a file must not be root


class Gsutil:
    """A gsutil with its tests: which Python runs it, and which program."""

    def __init__(self, python, program, top):
        self.python, self.program, self.top = str(python), str(program), pathlib.Path(top)

    def version(self):
        for place in (self.top / 'VERSION', self.top / 'gslib' / 'VERSION'):
            if place.exists():
                return place.read_text().strip()
        return 'unknown'


def find_gsutil(venv):
    """The Cloud SDK's where it is installed, else PyPI's: both carry their tests. None where there is neither."""
    sdk = shutil.which('gsutil')
    if sdk:
        platform = pathlib.Path(os.path.realpath(sdk)).parent.parent / 'platform'
        python = platform / 'bundledpythonunix' / 'bin' / 'python3'
        if (platform / 'gsutil' / 'gslib' / 'tests').is_dir():
            return Gsutil(python if python.exists() else sys.executable, platform / 'gsutil' / 'gsutil',
                          platform / 'gsutil')
    for package in pathlib.Path(venv).glob('lib/python3*/site-packages/gslib/tests'):
        return Gsutil(f'{venv}/bin/python', f'{venv}/bin/gsutil', package.parent.parent)
    return None


def enter(argv):
    """Runs this program again inside namespaces of its own; comes back only there."""
    if os.environ.get(INSIDE):
        loopback_up()
        return
    command = ['unshare', '--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
    if os.geteuid() != 0:
        command += ['--user', '--map-root-user']
    if subprocess.run([*command, 'true'], stderr=subprocess.DEVNULL).returncode != 0:
        print('SKIPPED: this machine lets us make no network namespace (neither root nor user namespaces)')
        sys.exit(77)
    mapped = 'mapped' if os.geteuid() != 0 else 'root'
    os.execvpe('unshare', [*command, sys.executable, *argv], {**os.environ, INSIDE: mapped})


def end_with_parent():
    """However the program outside ends, nothing of ours goes on in here."""
    ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def loopback_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        fcntl.ioctl(handle, 0x8914, struct.pack('16sh', b'lo', 0x1 | 0x40))  # SIOCSIFFLAGS: up, running


def unprivileged():
    """How to start a process that may not read every file: options for Popen, and words before the command."""
    if os.environ.get(INSIDE) == 'root':
        return {'user': NOBODY, 'group': NOBODY, 'extra_groups': []}, []
    return {}, ['setpriv', '--bounding-set=-all', '--inh-caps=-all']


def bind(source, target):
    subprocess.run(['mount', '--bind', str(source), str(target)], check=True)


class World:
    """The daemon and the changed files; only inside the namespaces."""

    def __init__(self, scratch, programs, gsutil):
        self.scratch, self.programs, self.state = pathlib.Path(scratch), programs, f'{scratch}/state'
        os.chmod(scratch, 0o711)
        self.gsutil = self.reachable(gsutil)

    def reachable(self, gsutil):
        """The same gsutil where nobody can read it: a virtual environment may lie in a private home."""
        top = pathlib.Path(gsutil.program).parent.parent
        if subprocess.run(['setpriv', f'--reuid={NOBODY}', '--clear-groups', 'test', '-r', gsutil.program],
                          stderr=subprocess.DEVNULL).returncode == 0:
            return gsutil
        place = self.scratch / 'client'
        place.mkdir()
        bind(top, place)
        moved = [place / pathlib.Path(path).relative_to(top) for path in (gsutil.python, gsutil.program, gsutil.top)]
        return Gsutil(*moved)

    def start(self):
        pathlib.Path(self.state).mkdir()
        pathlib.Path(self.state, 'config.yaml').write_text('instances:\n  driver: fake\n')
        subprocess.run([f'{self.programs}/fireweed', 'up', '--state', self.state, '--http', '127.0.0.1:80',
                        '--https', '127.0.0.1:443'], check=True, stdout=subprocess.DEVNULL)
        hosts = self.scratch / 'hosts'
        hosts.write_text(f"127.0.0.1 localhost {socket.gethostname()} {' '.join(HOSTS)}\n")
        bind(hosts, '/etc/hosts')
        ours = pathlib.Path(self.state, 'ca', 'ca.crt').read_text()
        for number, authorities in enumerate(filter(pathlib.Path.exists, (self.gsutil.top / a for a in AUTHORITIES))):
            together = self.scratch / f'authorities-{number}'
            together.write_text(authorities.read_text() + ours)
            bind(together, authorities)
        self.quicken()

    def quicken(self):
        """Puts the nursery's caller in the place of gsutil's script; the script itself stays at hand."""
        self.plain, place = self.scratch / 'gsutil-itself', self.scratch / 'nursery'
        shutil.copy(self.gsutil.program, self.plain)
        place.mkdir()
        os.chmod(self.plain, 0o755)
        shutil.copy(pathlib.Path(__file__).with_name('nursery.py'), place / 'nursery.py')
        if os.environ.get(INSIDE) == 'root':
            os.chown(place, NOBODY, NOBODY)
        quick = self.scratch / 'gsutil-quick'
        quick.write_text(nursery.caller(place / 'socket', self.plain))
        os.chmod(quick, 0o755)
        options, prefix = unprivileged()
        home = {'HOME': str(place), 'PATH': os.environ['PATH'], 'LANG': 'C.UTF-8', 'PYTHONWARNINGS': 'ignore',
                'PYTHONDONTWRITEBYTECODE': '1', 'BOTO_CONFIG': '/dev/null'}
        self.parent = subprocess.Popen([*prefix, self.gsutil.python, place / 'nursery.py', place / 'socket',
                                        self.gsutil.program], env=home, cwd=place, stdin=subprocess.DEVNULL, **options)
        while not (place / 'socket').exists() and self.parent.poll() is None:
            time.sleep(0.05)
        bind(quick, self.gsutil.program)

    def boto(self, home, api):
        """gsutil's settings for one test: who is signed in and where files go, and nothing else."""
        owner = json.loads(pathlib.Path(self.state, 'owner.json').read_text())
        return (f"[Credentials]\ngs_oauth2_refresh_token = {owner['refresh_token']}\n"
                f"[OAuth2]\nclient_id = {owner['client_id']}\nclient_secret = {owner['client_secret']}\n"
                # Few retries: a bug of ours shows at once instead of after minutes.
                '[Boto]\nnum_retries = 2\nmax_retry_delay = 1\n'
                f'[GSUtil]\ndefault_project_id = gsutil-suite\nprefer_api = {api}\nstate_dir = {home}/state\n'
                'software_update_check_period = 0\n')

    def stop(self):
        """Ends the daemon; gives what it complained about."""
        subprocess.run([f'{self.programs}/fireweed', 'down', '--state', self.state, '--purge'],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def log(self):
        return pathlib.Path(self.state, 'log', 'fireweedd.log')
