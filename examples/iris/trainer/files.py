"""Bytes of a path, whether it is a file here or an object in a bucket."""
import os


def _blob(path):
    from google.cloud import storage
    bucket, _, name = path[len('gs://'):].partition('/')
    return storage.Client().bucket(bucket).blob(name)


def read(path):
    if path.startswith('gs://'):
        return _blob(path).download_as_bytes()
    with open(path, 'rb') as stream:
        return stream.read()


def write(path, content):
    if path.startswith('gs://'):
        _blob(path).upload_from_string(content, content_type='application/octet-stream')
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as stream:
        stream.write(content)
