from setuptools import find_packages, setup

setup(
    name='iris-trainer',
    version='0.1',
    description='Iris with scikit-learn, as a training job',
    packages=find_packages(),
    # What runtime version 2.x has; elsewhere pip brings it.
    install_requires=['google-cloud-storage', 'joblib', 'pandas', 'scikit-learn'],
)
