"""Preempts the instances of a training on a seeded plan, by the public API.

    python3 preempt.py --seed 7 --times 3 --progress gs://B/job/checkpoints/ --filter 'name eq survival-.*'

Each time it waits until so many more objects than before are under --progress, and then takes one of the instances that run and
match --filter. With --start it also starts it again once it has ended, as a person would; a managed group or a job does that itself.
"""
import argparse
import functools
import json
import os
import random
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

COMPUTE = 'https://compute.googleapis.com/compute/v1/projects'
STORAGE = 'https://storage.googleapis.com/storage/v1/b'
# Preempting outright is Fireweed's own; on a preemptible instance the host's maintenance means the same.
WAYS = ('preempt', 'simulateMaintenanceEvent')


def plan(seed, times, most):
    """[(new objects to wait for, way, which of the instances as a share)]: pure."""
    numbers = random.Random(seed)
    return [(numbers.randint(1, most), numbers.choice(WAYS), numbers.random()) for _ in range(times)]


@functools.lru_cache(maxsize=1)
def token(_):
    """The access token of the account that is logged in with gcloud."""
    return subprocess.run(['gcloud', 'auth', 'print-access-token'], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def ask(method, url):
    request = urllib.request.Request(url, data=b'' if method == 'POST' else None, method=method,
                                     headers={'Authorization': 'Bearer ' + token(int(time.time() / 600))})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


def pages(url, field):
    page = ''
    while True:
        answer = ask('GET', url + '&pageToken=' + urllib.parse.quote(page, safe=''))
        yield from answer.get(field, [])
        page = answer.get('nextPageToken', '')
        if not page:
            return


class Training:
    def __init__(self, args):
        self.args = args
        self.zone = f'{COMPUTE}/{args.project}/zones/{args.zone}'

    def objects(self):
        bucket, _, prefix = self.args.progress[len('gs://'):].partition('/')
        return sum(1 for _ in pages(f'{STORAGE}/{bucket}/o?fields=items/name,nextPageToken&prefix=' + urllib.parse.quote(prefix, safe=''), 'items'))

    def instances(self):
        listed = pages(f'{self.zone}/instances?filter=' + urllib.parse.quote(self.args.filter, safe=''), 'items')
        return sorted((one for one in listed if one['status'] == 'RUNNING'), key=lambda one: one['name'])

    def wait(self, what, condition):
        deadline = time.monotonic() + self.args.patience
        while True:
            result = condition()
            if result:
                return result
            if time.monotonic() > deadline:
                sys.exit(f'waited {self.args.patience} s until {what}')
            time.sleep(0.1)

    def preempt(self, more, way, share):
        known = self.objects()
        self.wait(f'{more} more objects are in {self.args.progress}', lambda: self.objects() >= known + more)
        there = self.wait('an instance runs', self.instances)
        chosen = there[int(share * len(there))]
        try:
            operation = ask('POST', f"{self.zone}/instances/{chosen['name']}/{way}")
        except urllib.error.HTTPError as error:
            sys.exit(f"{way} of {chosen['name']}: {error.read().decode()}")
        ask('POST', f"{self.zone}/operations/{operation['name']}/wait")
        self.wait(f"{chosen['name']} has gone", lambda: self.gone(chosen))
        print(f"{way} of {chosen['name']} after {more} more checkpoints", flush=True)
        if self.args.start:
            ask('POST', f"{self.zone}/instances/{chosen['name']}/start")

    def gone(self, old):
        """That machine is off, or another has come in its place."""
        try:
            now = ask('GET', f"{self.zone}/instances/{old['name']}")
        except urllib.error.HTTPError as error:
            return error.code == 404
        return now['id'] != old['id'] or now['status'] == 'TERMINATED' or now['lastStartTimestamp'] != old['lastStartTimestamp']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--seed', required=True)
    parser.add_argument('--times', type=int, required=True, help='how many preemptions')
    parser.add_argument('--most', type=int, default=3, help='checkpoints to wait for at most, each time')
    parser.add_argument('--progress', required=True, help='gs://BUCKET/PREFIX where checkpoints appear')
    parser.add_argument('--filter', required=True, help='which instances, in the API\'s words')
    parser.add_argument('--start', action='store_true', help='start what was preempted again')
    parser.add_argument('--project', default=os.environ.get('GOOGLE_CLOUD_PROJECT'))
    parser.add_argument('--zone', default='us-central1-a')
    parser.add_argument('--patience', type=int, default=300, help='seconds to wait for anything at most')
    args = parser.parse_args()
    training = Training(args)
    for more, way, share in plan(args.seed, args.times, args.most):
        training.preempt(more, way, share)


if __name__ == '__main__':
    main()
