"""Trains a model by the convention of trainer.loop.

    python3 -m trainer.task --model scikit --job-dir gs://B/job --data-dir gs://B/census --train-steps 2000

Ends with 0 when the model is there, and with 75 ("try again") when the machine was about to go before that.
"""
import argparse
import importlib
import logging
import sys

from trainer import loop
from trainer.notice import Notice

MODELS = ('plain', 'scikit', 'boosted', 'network')
TRY_AGAIN = 75


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, add_help=False)
    parser.add_argument('--model', choices=MODELS, default='plain')
    module = importlib.import_module('trainer.models.' + parser.parse_known_args(argv)[0].model)
    parser = argparse.ArgumentParser(parents=[parser], description=parser.description,
                                     formatter_class=parser.formatter_class)
    loop.add_flags(parser)
    module.add_flags(parser)
    return module, parser.parse_args(argv)


def main(argv=None):
    logging.basicConfig(level=logging.INFO, format='%(message)s', stream=sys.stdout)
    module, args = parse(argv)
    notice = Notice()
    if args.checkpoint_on_notice:
        notice.watch()
    return 0 if loop.train(module.Model(args), args, notice) else TRY_AGAIN


if __name__ == '__main__':
    sys.exit(main())
