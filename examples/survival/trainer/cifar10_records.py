"""Makes TFRecords of CIFAR-10's binary files.

    python3 -m trainer.cifar10_records --data-dir cifar10 --output-dir gs://B/cifar10 [--limit N]

Writes train.tfrecords and test.tfrecords with the features `image` (bytes: 3 x 32 x 32) and `label`.
"""
import argparse

import tensorflow as tf

from trainer import cifar10


def example(record):
    feature = {'image': tf.train.Feature(bytes_list=tf.train.BytesList(value=[record[1:]])),
               'label': tf.train.Feature(int64_list=tf.train.Int64List(value=[record[0]]))}
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()


def convert(data, path, limit):
    count = min(limit or len(data), len(data) // cifar10.RECORD)
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(count):
            writer.write(example(data[i * cifar10.RECORD:(i + 1) * cifar10.RECORD]))
    print(f'{count} pictures in {path}')


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--data-dir', required=True)
    parser.add_argument('--output-dir', required=True)
    parser.add_argument('--limit', type=int, help='so many pictures of each set, not all')
    args = parser.parse_args(argv)
    tf.io.gfile.makedirs(args.output_dir)
    for names, output in ((cifar10.TRAINING, 'train.tfrecords'), (cifar10.TEST, 'test.tfrecords')):
        convert(cifar10.load(args.data_dir, names), args.output_dir.rstrip('/') + '/' + output, args.limit)


if __name__ == '__main__':
    main()
