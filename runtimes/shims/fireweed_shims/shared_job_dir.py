"""Lets every replica of a job clear the job directory when it starts, as many AI Platform samples do.

TensorFlow's gs:// client counts an object that another replica deletes first as "not deleted" and raises
PermissionDeniedError. Here `tf.io.gfile.rmtree` (and tf.gfile.DeleteRecursively) treats such an object as deleted. It
still fails for what remains.

A replica that starts late must not delete what the chief has written meanwhile. Replicas other than the chief have
FIREWEED_JOB_DIR and FIREWEED_JOB_CREATED (seconds since 1970): in that directory they delete only what is older than the
job, which includes the staged packages.
"""
import functools
import json
import os

from fireweed_shims.after_import import after_import

ATTEMPTS = 5


def _has_fellows():
    try:
        cluster = json.loads(os.environ.get('TF_CONFIG') or '{}').get('cluster') or {}
        return sum(len(addresses) for addresses in cluster.values()) > 1
    except (AttributeError, TypeError, ValueError):
        return False


def _is_shared(path):
    """Whether the job directory of a replica other than the chief is in this directory."""
    job_dir = os.environ.get('FIREWEED_JOB_DIR', '').rstrip('/')
    return bool(job_dir) and (job_dir + '/').startswith(os.fspath(path).rstrip('/') + '/')


def _remove_older(file_io, path, gone):
    created = float(os.environ['FIREWEED_JOB_CREATED']) * 1e9
    for folder, _, names in file_io.walk_v2(os.fspath(path).rstrip('/')):
        for name in names:
            file = file_io.join(folder, name)
            try:
                if file_io.stat_v2(file).mtime_nsec < created:
                    file_io.delete_file_v2(file)
            except gone:
                pass


def _remove_all(file_io, remove, path, errors):
    for attempt in range(ATTEMPTS):
        try:
            return remove(path)
        except errors.NotFoundError:
            if attempt == 0 and not _has_fellows():
                raise
            return None
        except errors.PermissionDeniedError:
            # The message does not tell what was left from what was gone already.
            if not file_io.file_exists_v2(path):
                return None
            if attempt + 1 == ATTEMPTS:
                raise
    return None


def _wrap(file_io):
    errors, remove = file_io.errors, file_io.delete_recursively_v2

    @functools.wraps(remove)
    def delete_recursively_v2(path):
        if not os.fspath(path).startswith('gs://'):
            return remove(path)
        if _is_shared(path):
            return _remove_older(file_io, path, errors.NotFoundError)
        return _remove_all(file_io, remove, path, errors)

    file_io.delete_recursively_v2 = delete_recursively_v2


def install():
    after_import('tensorflow.python.lib.io.file_io', _wrap)
