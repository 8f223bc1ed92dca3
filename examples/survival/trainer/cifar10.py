"""CIFAR-10 in the publisher's binary files: 3073 bytes a picture, its label first."""
from trainer import files

RECORD = 1 + 3 * 32 * 32
TRAINING = [f'data_batch_{i}.bin' for i in range(1, 6)]
TEST = ['test_batch.bin']


def load(data_dir, names):
    """All records of those files that are there, as one string of bytes."""
    data = b''.join(files.read(files.join(data_dir, name)) or b'' for name in names)
    if not data:
        raise SystemExit(f'there is none of {", ".join(names)} in {data_dir}')
    return data
