from setuptools import setup
setup(name='clearing', version='0.1', packages=['trainer'])
