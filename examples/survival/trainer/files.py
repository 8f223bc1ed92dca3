"""Reads, writes and lists files in a directory or under gs://, with nothing but Python's own library.

A write is whole or not there at all: objects are by nature, files by renaming.
"""
import functools
import json
import os
import random
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

STORAGE = 'https://storage.googleapis.com'
TOKEN = 'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token'
ATTEMPTS = 8


def join(folder, *names):
    return '/'.join([folder.rstrip('/'), *names])


def read(path):
    """The bytes of a file; None where there is none."""
    if not path.startswith('gs://'):
        try:
            with open(path, 'rb') as stream:
                return stream.read()
        except FileNotFoundError:
            return None
    bucket, name = split(path)
    return ask('GET', f'/storage/v1/b/{bucket}/o/{quoted(name)}?alt=media')


def write(path, data):
    if path.startswith('gs://'):
        bucket, name = split(path)
        ask('POST', f'/upload/storage/v1/b/{bucket}/o?uploadType=media&name={quoted(name)}', data)
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + '.part', 'wb') as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(path + '.part', path)


def names(folder):
    """The names of the complete files in a folder, sorted."""
    if not folder.startswith('gs://'):
        try:
            return sorted(name for name in os.listdir(folder) if not name.endswith('.part'))
        except FileNotFoundError:
            return []
    bucket, prefix = split(join(folder, ''))
    found, page = [], ''
    while True:
        answer = json.loads(ask('GET', f'/storage/v1/b/{bucket}/o?prefix={quoted(prefix)}&delimiter=/&pageToken={page}'))
        found += [item['name'][len(prefix):] for item in answer.get('items', [])]
        page = quoted(answer.get('nextPageToken', ''))
        if not page:
            return sorted(found)


def delete(path):
    if path.startswith('gs://'):
        bucket, name = split(path)
        ask('DELETE', f'/storage/v1/b/{bucket}/o/{quoted(name)}')
    elif os.path.exists(path):
        os.remove(path)


def split(path):
    bucket, _, name = path[len('gs://'):].partition('/')
    return bucket, name


def quoted(name):
    return urllib.parse.quote(name, safe='')


def ask(method, path, data=None):
    """The answer's bytes; None where there is no such object. What may pass is tried again, as the service asks for it."""
    for attempt in range(ATTEMPTS):
        request = urllib.request.Request(STORAGE + path, data=data, method=method)
        request.add_header('Content-Type', 'application/octet-stream')
        if token():
            request.add_header('Authorization', 'Bearer ' + token())
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            if error.code == 404 and '/o/' in path:
                return None
            if error.code == 401:
                fetched_token.cache_clear()
            if error.code not in (401, 408, 429) and error.code < 500 or attempt == ATTEMPTS - 1:
                raise
        except OSError:
            if attempt == ATTEMPTS - 1:
                raise
        time.sleep(random.uniform(0, min(32, 2 ** attempt)))
    return None


def token():
    """The instance's own account, or whoever is logged in with gcloud."""
    return fetched_token(int(time.time() / 600))


@functools.lru_cache(maxsize=1)
def fetched_token(_):
    request = urllib.request.Request(TOKEN, headers={'Metadata-Flavor': 'Google'})
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
            return json.loads(answer.read())['access_token']
    except OSError:
        pass
    try:
        return subprocess.run(['gcloud', 'auth', 'print-access-token'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False).stdout.strip()
    except OSError:
        return ''
