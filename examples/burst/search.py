#!/usr/bin/env python3
"""The search of census.py, made to be preempted: what a configuration scored is in the job directory as soon as it is known,
and a run that finds scores there goes on with the others. The last one writes the model.

  search.py --data-dir gs://BUCKET/census --job-dir gs://BUCKET/search --n-iter 100

  JOB-DIR/journal/0007.json     parameters and score of configuration 7, when it began and ended, and in which run
  JOB-DIR/model/model.bst       the best configuration, trained on everything
  JOB-DIR/examples.json         rows of the test data as the model takes them
  JOB-DIR/metrics.json          written last: the search is complete
"""
import argparse
import json
import pathlib
import posixpath
import time
import uuid

import joblib
from sklearn.base import clone
from sklearn.model_selection import ParameterSampler, cross_val_score

import census


class BucketDirectory:
    """Small files below a gs:// path."""

    def __init__(self, path):
        from google.cloud import storage
        bucket, _, self.prefix = path[len('gs://'):].rstrip('/').partition('/')
        self.bucket = storage.Client().bucket(bucket)

    def write(self, name, content):
        self.bucket.blob(posixpath.join(self.prefix, name)).upload_from_string(content)

    def read_all(self, folder):
        blobs = self.bucket.client.list_blobs(self.bucket, prefix=posixpath.join(self.prefix, folder) + '/')
        return [json.loads(blob.download_as_bytes()) for blob in blobs]

    def exists(self, name):
        return self.bucket.blob(posixpath.join(self.prefix, name)).exists()


class LocalDirectory:
    """The same in a directory, to try it on the laptop. A file is there as a whole or not at all, as an object is."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def write(self, name, content):
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(target.name + '.draft')
        draft.write_bytes(content.encode() if isinstance(content, str) else content)
        draft.replace(target)

    def read_all(self, folder):
        return [json.loads(file.read_bytes()) for file in sorted((self.path / folder).glob('*.json'))]

    def exists(self, name):
        return (self.path / name).exists()


def evaluate(number, parameters, features, labels):
    began = time.time()
    pipeline = clone(census.make_pipeline()).set_params(**parameters)
    score = cross_val_score(pipeline, features, labels, cv=3).mean()
    return {'number': number, 'parameters': parameters, 'score': score, 'began': began, 'ended': time.time()}


def search(args, job, features, labels):
    """Every configuration's entry in the journal: those of earlier runs, then what this run adds."""
    # The same seed draws the same configurations in the same order in every run.
    wanted = list(enumerate(ParameterSampler(census.SPACE, args.n_iter, random_state=args.seed)))
    entries = [entry for entry in job.read_all('journal') if entry['number'] < args.n_iter]
    done = {entry['number'] for entry in entries}
    print(f'{len(done)} of {len(wanted)} configurations are in the journal', flush=True)
    run = uuid.uuid4().hex[:8]
    tasks = (joblib.delayed(evaluate)(number, parameters, features, labels) for number, parameters in wanted if number not in done)
    for entry in joblib.Parallel(n_jobs=-1, return_as='generator_unordered')(tasks):
        entry['run'] = run
        job.write(f"journal/{entry['number']:04}.json", json.dumps(entry))
        entries.append(entry)
        print(f"{len(entries)}/{len(wanted)} configuration {entry['number']}: {entry['score']:.4f}", flush=True)
    return entries


def lost_seconds(entries):
    """Between runs: from the last score of one to the start of the next one's first configuration."""
    runs = {}
    for entry in entries:
        runs.setdefault(entry['run'], []).append(entry)
    spans = sorted((min(e['began'] for e in run), max(e['ended'] for e in run)) for run in runs.values())
    return sum(max(0.0, after[0] - before[1]) for before, after in zip(spans, spans[1:])), len(spans)


def finish(args, job, entries, features, labels):
    best = max(entries, key=lambda entry: (entry['score'], -entry['number']))
    model = clone(census.make_pipeline(jobs=-1)).set_params(**best['parameters']).fit(features, labels)
    job.write('model/model.bst', bytes(model['trees'].get_booster().save_raw('ubj')))
    test_features, test_labels = census.read_census(posixpath.join(args.data_dir, 'adult.test'))
    rows = model['columns'].transform(test_features[:3]).tolist()
    job.write('examples.json', json.dumps({'instances': rows}))
    lost, runs = lost_seconds(entries)
    searching = max(e['ended'] for e in entries) - min(e['began'] for e in entries)
    metrics = {'configurations': len(entries), 'best_score': best['score'], 'parameters': best['parameters'],
               'test_accuracy': model.score(test_features, test_labels), 'search_seconds': searching, 'lost_seconds': lost,
               'runs': runs, 'configurations_per_second': len(entries) / max(searching - lost, 1e-9),
               'examples': {'probabilities': model.predict_proba(test_features[:3])[:, 1].tolist(),
                            'labels': test_labels[:3].tolist()}}
    job.write('metrics.json', json.dumps(metrics, indent=2))
    print(f"best of {len(entries)}: {best['score']:.4f} with {best['parameters']}", flush=True)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--data-dir', required=True)
    parser.add_argument('--job-dir', required=True)
    parser.add_argument('--n-iter', type=int, default=100)
    parser.add_argument('--seed', type=int, default=0)
    args = parser.parse_args(argv)
    job = (BucketDirectory if args.job_dir.startswith('gs://') else LocalDirectory)(args.job_dir)
    if job.exists('metrics.json'):
        print('the search is complete')
        return
    features, labels = census.read_census(posixpath.join(args.data_dir, 'adult.data'))
    finish(args, job, search(args, job, features, labels), features, labels)


if __name__ == '__main__':
    main()
