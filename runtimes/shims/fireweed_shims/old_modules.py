"""Names that moved: sklearn.externals.joblib, and the abstract classes of collections."""
import collections
import collections.abc
import importlib
import importlib.abc
import importlib.machinery
import sys

_MOVED = {'sklearn.externals.joblib': 'joblib'}


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, fullname, path=None, target=None):
        if fullname not in _MOVED:
            return None
        return importlib.machinery.ModuleSpec(fullname, self)

    def create_module(self, spec):
        return importlib.import_module(_MOVED[spec.name])

    def exec_module(self, module):
        pass


def install():
    sys.meta_path.append(_Finder())
    for name in ('Callable', 'Iterable', 'Iterator', 'Mapping', 'MutableMapping', 'MutableSequence', 'MutableSet',
                 'Sequence', 'Set', 'Sized', 'Hashable', 'Container'):
        if not hasattr(collections, name):
            setattr(collections, name, getattr(collections.abc, name))
