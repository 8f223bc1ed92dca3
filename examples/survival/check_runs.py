"""Checks a job directory that was interrupted: nothing was trained twice that a checkpoint covered.

    python3 check_runs.py gs://B/job [--runs N]

For every start of the trainer, its first trained step must be the step of the last checkpoint before it, plus one.
The times are those at which the files came to be, by the clock of whoever stores them.
"""
import argparse
import json
import os
import re
import sys

from trainer import files

CHECKPOINT = re.compile(r'(?:^|/)(?:step-(\d+)|model\.ckpt-(\d+)\.(index|meta))$')


def listed(job_dir):
    """(time, path below the job directory) of every file."""
    if not job_dir.startswith('gs://'):
        return [(os.stat(os.path.join(folder, name)).st_mtime_ns, os.path.relpath(os.path.join(folder, name), job_dir))
                for folder, _, names in os.walk(job_dir) for name in names]
    bucket, prefix = files.split(files.join(job_dir, ''))
    found, page = [], ''
    while True:
        answer = json.loads(files.ask('GET', f'/storage/v1/b/{bucket}/o?prefix={files.quoted(prefix)}&pageToken={page}'))
        found += [(item['timeCreated'], item['name'][len(prefix):]) for item in answer.get('items', [])]
        page = files.quoted(answer.get('nextPageToken', ''))
        if not page:
            return found


def runs_of(job_dir):
    """(restored, first, last checkpoint before) of every run, in order."""
    runs, whole, begun = [], 0, 0
    for _, path in sorted(listed(job_dir)):
        checkpoint = CHECKPOINT.search(path)
        if checkpoint:
            step = int(checkpoint.group(1) or checkpoint.group(2))
            begun = max(begun, step)
            # TensorFlow goes back to a checkpoint from some moment between these two files.
            if checkpoint.group(3) != 'index':
                whole = max(whole, step)
        elif path.startswith('runs/'):
            record = json.loads(files.read(files.join(job_dir, path)))
            last = begun if record['restored'] == begun else whole
            runs.append((record['restored'], record['first'], last))
    return runs


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('job_dir')
    parser.add_argument('--runs', type=int, default=1, help='how many there must have been, at least')
    args = parser.parse_args(argv)
    runs = runs_of(args.job_dir)
    for restored, first, last in runs:
        print(f'restored {restored}, last checkpoint {last}, first trained step {first}')
        if first != last + 1 or restored != last:
            sys.exit('that run did not go on where the last checkpoint was')
    if len(runs) < args.runs:
        sys.exit(f'{len(runs)} runs where {args.runs} were expected')


if __name__ == '__main__':
    main()
