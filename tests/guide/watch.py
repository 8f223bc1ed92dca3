#!/usr/bin/env python3
"""Looks at a guide while it runs and says whose time it was.

  tests/guide/watch.py STATE SHELL_PID REPORT

STATE is the daemon's state directory, SHELL_PID the shell that runs the guide. Every moment belongs to the first of
these that is at work: a client (a process that the shell started and waits for), an instance (a process in the daemon's
cgroups other than its init), else to us. Ends with the shell and writes REPORT: {"seconds": {"clients": …, "instances":
…, "ours": …}, "daemons": [ids of the daemons that the guide started]}.
"""
import json
import os
import pathlib
import sys
import time

MOMENT = 0.05
# What only waits is nobody's work: polling loops are written with these.
WAITING = {'bash', 'sh', 'sleep', 'timeout'}
INIT = {'fireweed-init', 'fireweed-shim', 'crun'}
CGROUPS = pathlib.Path('/sys/fs/cgroup')


def read(path):
    try:
        return pathlib.Path(path).read_text()
    except OSError:
        return ''


def name_of(pid):
    return read(f'/proc/{pid}/comm').strip()


def children(pid):
    for task in os.listdir(f'/proc/{pid}/task'):
        yield from read(f'/proc/{pid}/task/{task}/children').split()


def client_at_work(shell):
    waiting = [shell]
    while waiting:
        try:
            found = list(children(waiting.pop()))
        except OSError:
            continue
        # A daemon that the guide started is no client of it: `fireweed up` leaves it behind, as init's child.
        if any(name_of(pid) not in WAITING for pid in found):
            return True
        waiting += found
    return False


def instance_at_work(daemon):
    for root in (CGROUPS / f'fireweed-{daemon}', CGROUPS / 'pids' / f'fireweed-{daemon}'):
        for procs in root.rglob('cgroup.procs'):
            if any(name_of(pid) not in INIT for pid in read(procs).split()):
                return True
    return False


def main():
    state, shell, report = sys.argv[1:]
    seconds, daemons, then = {'clients': 0.0, 'instances': 0.0, 'ours': 0.0}, [], time.monotonic()
    while name_of(shell):
        endpoint = read(f'{state}/endpoint.json')
        if endpoint and json.loads(endpoint)['daemonId'] not in daemons:
            daemons.append(json.loads(endpoint)['daemonId'])
        whose = 'clients' if client_at_work(shell) else \
            'instances' if any(map(instance_at_work, daemons)) else 'ours'
        time.sleep(MOMENT)
        now = time.monotonic()
        seconds[whose] += now - then
        then = now
    pathlib.Path(report).write_text(json.dumps({'seconds': seconds, 'daemons': daemons}))


if __name__ == '__main__':
    main()
