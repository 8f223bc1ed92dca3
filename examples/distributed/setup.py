from setuptools import find_packages, setup

setup(name='trainer', version='0.1', packages=find_packages(), install_requires=['tensorflow>=1.15'],
      description='Wide and deep on Chicago taxi trips.')
