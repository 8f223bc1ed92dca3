"""Every replica clears the job directory, all at the same moment; one of them again, later, after a crash."""
import argparse
import json
import os
import signal
import time

import tensorflow as tf

gfile = tf.io.gfile


def mark(place, name):
    with gfile.GFile(f'{place}/{name}', 'w') as out:
        out.write('here')


def await_marks(place, count):
    while not gfile.exists(place) or len(gfile.listdir(place)) < count:
        time.sleep(0.1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--job-dir', required=True)
    parser.add_argument('--marks', required=True)
    args = parser.parse_args()
    config = json.loads(os.environ['TF_CONFIG'])
    me = f'{config["task"]["type"]}-{config["task"]["index"]}'
    replicas = sum(len(addresses) for addresses in config['cluster'].values())
    chief = config['task']['type'] in ('master', 'chief')
    again = gfile.exists(f'{args.marks}/crashed/{me}')
    mark(f'{args.marks}/ready', me)
    await_marks(f'{args.marks}/ready', replicas)
    if gfile.exists(args.job_dir):
        gfile.rmtree(args.job_dir)
    print(me, 'has cleared the job directory', 'again' if again else '', flush=True)
    if me == 'worker-0' and not again:
        mark(f'{args.marks}/crashed', me)
        await_marks(f'{args.marks}/written', 1)
        os.kill(os.getpid(), signal.SIGKILL)
    mark(f'{args.marks}/cleared', me)
    if not chief:
        return
    mark(args.job_dir, 'model.ckpt-1')
    mark(f'{args.marks}/written', me)
    await_marks(f'{args.marks}/cleared', replicas)
    print('remaining', gfile.listdir(args.job_dir), flush=True)


if __name__ == '__main__':
    main()
