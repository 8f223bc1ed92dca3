"""Python 2 looked for `import model` beside the importing module first; old trainers rely on it.

A top-level import that is found nowhere else is looked up in the folder of the package that was given to `python -m`.
"""
import importlib.machinery
import importlib.util
import sys


class _Finder:
    def __init__(self, package):
        self.package, self.folders = package, None

    def find_spec(self, fullname, path=None, target=None):
        if path is not None or '.' in fullname:
            return None
        if self.folders is None:
            self.folders = []  # while the package itself is looked for
            spec = importlib.util.find_spec(self.package)
            self.folders = list(spec.submodule_search_locations or []) if spec else []
        return importlib.machinery.PathFinder.find_spec(fullname, self.folders)


def install():
    arguments = sys.orig_argv
    if '-m' not in arguments[1:-1]:
        return
    module = arguments[arguments.index('-m') + 1]
    if '.' in module:
        sys.meta_path.append(_Finder(module.rpartition('.')[0]))
