"""Prints the ids of gsutil's integration tests. Run by gsutil's own Python: list_tests.py GSUTIL-PROGRAM GSUTIL-TOP"""
import inspect
import os
import pkgutil
import sys
import unittest

program, top = sys.argv[1:]
sys.argv[0] = program
sys.path.insert(0, top)
if os.path.exists(os.path.join(top, 'gsutil.py')):
    import gsutil  # the Cloud SDK's finds its third-party libraries by this
import gslib.__main__  # noqa: boto's settings are read by it
import gslib.tests
from gslib.tests.testcase.integration_testcase import GsUtilIntegrationTestCase

for module in pkgutil.iter_modules(gslib.tests.__path__):
    if not module.name.startswith('test_'):
        continue
    loaded = __import__(f'gslib.tests.{module.name}', fromlist=['x'])
    for name, case in inspect.getmembers(loaded, inspect.isclass):
        if case.__module__ == loaded.__name__ and issubclass(case, GsUtilIntegrationTestCase):
            for method in unittest.TestLoader().getTestCaseNames(case):
                print(f'{module.name[len("test_"):]}.{name}.{method}')
