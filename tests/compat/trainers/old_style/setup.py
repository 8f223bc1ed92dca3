"""A trainer as they were written for TensorFlow 1: pins of its time, a sibling import, Estimators."""
from setuptools import find_packages, setup

setup(name='trainer', version='0.1', packages=find_packages(), install_requires=['tensorflow>=1.8.0', 'numpy==1.14.5'])
