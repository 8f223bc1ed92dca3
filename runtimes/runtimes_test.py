"""The builder of environments and the shims, without a network and without a framework. Run by ctest."""
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

HERE = pathlib.Path(__file__).parent
BUILDER = HERE / 'build_environment.py'


def write(path, text=''):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def make_wheel(folder, name, version, files, requires=()):
    """A wheel by hand: what pip builds from a setup.py needs setuptools, which is not everywhere."""
    wheel = folder / f'{name}-{version}-py3-none-any.whl'
    info = f'{name}-{version}.dist-info'
    metadata = f'Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n'
    metadata += ''.join(f'Requires-Dist: {r}\n' for r in requires)
    entries = {**files, f'{info}/METADATA': metadata,
               f'{info}/WHEEL': 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n'}
    with zipfile.ZipFile(wheel, 'w') as archive:
        for entry, text in entries.items():
            archive.writestr(entry, text)
        archive.writestr(f'{info}/RECORD', ''.join(f'{e},,\n' for e in entries) + f'{info}/RECORD,,\n')
    return wheel


class Environments(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.top = pathlib.Path(temp.name)

    def build(self, name, packages=(), **order):
        target = self.top / name
        (target / 'packages').mkdir(parents=True)
        for package in packages:
            os.rename(package, target / 'packages' / package.name)
        full = {'target': str(target), 'base': '', 'packages': [p.name for p in packages], 'requirements': [],
                'python': True, 'strict': False, 'runtime': 'runtime 1.15', **order}
        write(target / 'order.json', json.dumps(full))
        # Nothing from outside: what is not here is not found.
        environment = {**os.environ, 'PIP_NO_INDEX': '1', 'PIP_FIND_LINKS': str(self.top / 'links')}
        environment.pop('PIP_EXTRA_INDEX_URL', None)
        done = subprocess.run([sys.executable, str(BUILDER), str(target / 'order.json')], env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        result = json.loads((target / 'result.json').read_text())
        self.assertEqual(done.returncode == 0, not result['error'], done.stdout)
        return target, result

    def run_in(self, target, *arguments, shims='', **variables):
        environment = {'PATH': os.environ['PATH'], 'PYTHONPATH': str(HERE / 'shims'), 'FIREWEED_SHIMS': shims,
                       'PYTHONDONTWRITEBYTECODE': '1', **variables}
        return subprocess.run([str(target / 'venv' / 'bin' / 'python'), *arguments], env=environment, check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def wheel(self, name, version='1.0', files=None, requires=()):
        folder = self.top / 'made'
        folder.mkdir(exist_ok=True)
        return make_wheel(folder, name, version, files or {f'{name}.py': f'VERSION = {version!r}\n'}, requires)

    def test_packages_lie_over_the_runtime(self):
        base, _ = self.build('base', [self.wheel('framework', '2.15')])
        trainer = self.wheel('trainer', files={'trainer/__init__.py': '', 'trainer/task.py':
                                               'import framework\nprint(framework.VERSION)\n'},
                             requires=['framework>=1.8', 'absent; python_version < "3"'])
        target, result = self.build('set', [trainer], base=str(base))
        self.assertEqual(result, {'warnings': [], 'error': ''})
        self.assertEqual(self.run_in(target, '-m', 'trainer.task'), '2.15\n')

    def test_a_pin_is_met_by_the_runtime_with_a_warning_unless_strict(self):
        base, _ = self.build('base', [self.wheel('framework', '2.15')])
        pinned = dict(files={'trainer.py': 'import framework\nprint(framework.VERSION)\n'}, requires=['framework==2.8.0'])
        target, result = self.build('set', [self.wheel('trainer', **pinned)], base=str(base))
        self.assertEqual(result['warnings'], ['trainer asks for framework==2.8.0; runtime 1.15 provides framework 2.15, '
                                              'which is used instead.'])
        self.assertEqual(self.run_in(target, '-m', 'trainer'), '2.15\n')
        _, result = self.build('strict', [self.wheel('trainer', **pinned)], base=str(base), strict=True)
        self.assertIn('framework==2.8.0', result['error'])
        self.assertIn('strict', result['error'])

    def test_what_a_runtime_brought_along_gives_way_and_its_framework_does_not(self):
        (self.top / 'links').mkdir()
        for version in ('1.0', '2.0'):
            self.wheel('helper', version).rename(self.top / 'links' / f'helper-{version}-py3-none-any.whl')
        self.wheel('tensorflow_cpu', '2.15.1', files={'tensorflow.py': ''}, requires=['helper>=2.0']).rename(
            self.top / 'links' / 'tensorflow_cpu-2.15.1-py3-none-any.whl')
        self.wheel('analysis', '0.46', requires=['tensorflow>=2.15,<2.16', 'helper<2']).rename(
            self.top / 'links' / 'analysis-0.46-py3-none-any.whl')
        base, result = self.build('base', requirements=['tensorflow-cpu==2.15.1'])
        self.assertEqual(result['error'], '')
        task = {'task.py': 'import analysis, helper\nprint(helper.VERSION)\n'}
        target, result = self.build('set', [self.wheel('trainer', files=task, requires=['analysis'])], base=str(base))
        self.assertEqual(result, {'warnings': [], 'error': ''})
        self.assertEqual(self.run_in(target, '-m', 'task'), '1.0\n')

    def test_what_cannot_be_had_is_said_in_pips_own_words(self):
        _, result = self.build('set', [self.wheel('trainer', requires=['nosuchpackage==1.2.3'])])
        self.assertIn('No matching distribution found for nosuchpackage==1.2.3', result['error'])

    def test_what_is_no_package_is_said_so(self):
        broken = self.top / 'trainer-1.0.tar.gz'
        broken.write_bytes(b'not an archive')
        _, result = self.build('set', [broken])
        self.assertTrue(result['error'])

    def test_a_program_is_unpacked_with_its_modes(self):
        folder = self.top / 'src'
        write(folder / 'prog', '#!/bin/sh\necho hello\n')
        (folder / 'prog').chmod(0o755)
        archive = self.top / 'prog.tar.gz'
        with tarfile.open(archive, 'w:gz') as out:
            out.add(folder / 'prog', 'prog')
        target, result = self.build('set', [archive], python=False)
        self.assertEqual(result['error'], '')
        self.assertEqual(subprocess.run([str(target / 'tree' / 'prog')], check=True, stdout=subprocess.PIPE).stdout, b'hello\n')

    def test_old_code_finds_its_siblings_and_moved_modules(self):
        trainer = self.wheel('trainer', files={
            'trainer/__init__.py': '', 'trainer/model.py': 'VALUE = 7\n',
            'trainer/task.py': 'import collections\nimport model\nfrom sklearn.externals import joblib\n'
                               'print(model.VALUE, joblib.NAME, collections.Mapping.__name__)\n',
            'sklearn/__init__.py': '', 'sklearn/externals/__init__.py': '', 'joblib.py': 'NAME = "joblib"\n'})
        target, _ = self.build('set', [trainer])
        self.assertEqual(self.run_in(target, '-m', 'trainer.task', shims='implicit_imports,old_modules'),
                         '7 joblib Mapping\n')
        with self.assertRaises(subprocess.CalledProcessError):
            self.run_in(target, '-m', 'trainer.task')

    def test_the_first_version_of_a_framework_shows_on_the_second(self):
        """A framework of a few lines: what counts is which names end up where."""
        files = {
            'tensorflow/__init__.py': 'from tensorflow import compat, estimator\nname = "v2"\nkeras = "keras2"\n',
            'tensorflow/estimator.py': 'inputs = None\n',
            'tensorflow/compat/__init__.py': 'from tensorflow.compat import v1\n',
            'tensorflow/compat/v1.py': '''
import types
name, gfile, keras = 'v1', types.ModuleType('gfile'), types.SimpleNamespace(
    initializers=types.SimpleNamespace(), regularizers=types.SimpleNamespace())
estimator = types.SimpleNamespace(inputs='inputs1', RunConfig=1, ModeKeys=2)
variance_scaling_initializer = None
nn = types.SimpleNamespace(relu=None)
layers = types.SimpleNamespace(flatten=None)
data = types.SimpleNamespace(experimental=types.SimpleNamespace(AUTOTUNE=-1, shuffle_and_repeat=None, map_and_batch=None,
                                                                make_csv_dataset=None))
calls = []
def disable_v2_behavior(): calls.append('off')
''',
            'task.py': '''
import tensorflow as tf
from tensorflow.contrib.training import HParams
print(tf.name, tf.keras, tf.estimator.inputs, tf.compat.v1.calls, HParams(a=1).a)
try:
    tf.contrib.slim
except AttributeError as gone:
    print(gone)
'''}
        target, _ = self.build('set', [self.wheel('framework', files=files)])
        said = self.run_in(target, '-m', 'task', shims='tensorflow_v1').splitlines()
        self.assertEqual(said[0], "v1 keras2 inputs1 ['off'] 1")
        self.assertIn('contrib.slim went away with TensorFlow 1', said[1])

    # A gs:// client of a few lines: objects are names with their age; a delete fails as TensorFlow's own does.
    FILE_IO = '''
import types
class NotFoundError(Exception): pass
class PermissionDeniedError(Exception): pass
errors = types.SimpleNamespace(NotFoundError=NotFoundError, PermissionDeniedError=PermissionDeniedError)
objects, locked, taken_by_others, calls = {}, set(), [], []
def file_exists_v2(path): return any(name.startswith(path) for name in objects)
def join(folder, name): return folder + '/' + name
def walk_v2(path):
    yield path, [], [name[len(path) + 1:] for name in sorted(objects) if name.startswith(path)]
def stat_v2(path):
    if path not in objects: raise NotFoundError(path)
    return types.SimpleNamespace(mtime_nsec=objects[path] * 10**9)
def delete_file_v2(path):
    if path in locked: raise PermissionDeniedError(path)
    if objects.pop(path, None) is None: raise NotFoundError(path)
def delete_recursively_v2(path):
    calls.append(path)
    if not file_exists_v2(path): raise NotFoundError(path)
    left = 0
    for name in [name for name in objects if name.startswith(path)]:
        if taken_by_others: objects.pop(taken_by_others.pop(), None)
        try: delete_file_v2(name)
        except Exception: left += 1
    if left: raise PermissionDeniedError('could not fully delete dir')
def delete_recursively(path): delete_recursively_v2(path)
'''

    def clear(self, script, **variables):
        """What a trainer prints that runs this on the client above, with the shim before it."""
        folders = ('tensorflow', 'tensorflow/python', 'tensorflow/python/lib', 'tensorflow/python/lib/io')
        files = {f'{folder}/__init__.py': '' for folder in folders}
        files['tensorflow/python/lib/io/file_io.py'] = self.FILE_IO
        files['task.py'] = ('from tensorflow.python.lib.io import file_io as f\n'
                            'from tensorflow.python.lib.io.file_io import delete_recursively_v2 as rmtree\n' + script)
        target, _ = self.build('set', [self.wheel('framework', files=files)])
        return self.run_in(target, '-m', 'task', shims='shared_job_dir', **variables)

    def test_what_another_replica_deletes_first_counts_as_deleted(self):
        said = self.clear('''
f.objects.update({'gs://b/out/a': 1, 'gs://b/out/b': 2})
f.taken_by_others[:] = ['gs://b/out/b', 'gs://b/out/a']
rmtree('gs://b/out')
f.delete_recursively('gs://b/out')
print(f.objects)
''', TF_CONFIG='{"cluster": {"master": ["m:1"], "worker": ["w:1"]}}')
        self.assertEqual(said, '{}\n')

    def test_what_remains_is_still_an_error(self):
        said = self.clear('''
f.objects.update({'gs://b/out/a': 1, 'gs://b/out/kept': 2})
f.locked.add('gs://b/out/kept')
try: rmtree('gs://b/out')
except f.errors.PermissionDeniedError as wrong: print(wrong, list(f.objects))
try: rmtree('gs://b/none')
except f.errors.NotFoundError: print('missing')
try: rmtree('none')
except f.errors.NotFoundError: print('missing here')
''')
        self.assertEqual(said, "could not fully delete dir ['gs://b/out/kept']\nmissing\nmissing here\n")

    def test_a_late_replica_keeps_what_is_newer_than_the_job(self):
        said = self.clear('''
f.objects.update({'gs://b/out/packages/t.tar.gz': 99, 'gs://b/out/model.ckpt-1': 101})
rmtree('gs://b/out/')
print(list(f.objects), f.calls)
f.objects['gs://b/out/export/1'] = 102
rmtree('gs://b/out/export')
print(list(f.objects))
''', FIREWEED_JOB_DIR='gs://b/out', FIREWEED_JOB_CREATED='100.000')
        self.assertEqual(said, "['gs://b/out/model.ckpt-1'] []\n['gs://b/out/model.ckpt-1']\n")


if __name__ == '__main__':
    unittest.main()
