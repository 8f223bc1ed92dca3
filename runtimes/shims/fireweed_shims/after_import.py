"""Runs a function right after a module was executed, however it came to be imported."""
import importlib.abc
import importlib.util
import sys


class _Loader(importlib.abc.Loader):
    def __init__(self, loader, action):
        self.loader, self.action = loader, action

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        self.loader.exec_module(module)
        self.action(module)

    def __getattr__(self, name):
        return getattr(self.loader, name)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self):
        self.actions, self.busy = {}, set()

    def find_spec(self, fullname, path=None, target=None):
        if fullname not in self.actions or fullname in self.busy:
            return None
        self.busy.add(fullname)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self.busy.discard(fullname)
        if spec and spec.loader:
            spec.loader = _Loader(spec.loader, self.actions[fullname])
        return spec


_FINDER = _Finder()


def after_import(name, action):
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
    _FINDER.actions[name] = action
