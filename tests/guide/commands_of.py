#!/usr/bin/env python3
"""Prints the commands of a guide as one bash script.

  tests/guide/commands_of.py [--short] GUIDE

Every ```sh block is taken, in order. Comments that a reader of the page does not see steer it:

  <!-- check: COMMAND -->           runs COMMAND at this place; it must succeed
  <!-- short: s/SOME/OTHER/ -->     with --short, an expression of sed for the block that follows
  <!-- full only -->                with --short, the block that follows is left out
"""
import argparse
import re
import subprocess
import sys

STEP = re.compile(r'<!--\s*(?P<word>check|short|full only)\b:?\s*(?P<text>.*?)\s*-->|^```sh\n(?P<block>.*?)^```$',
                  re.MULTILINE | re.DOTALL)


def commands(guide, short):
    expressions, skip = [], False
    for step in STEP.finditer(guide):
        word, text, block = step.group('word', 'text', 'block')
        if word == 'check':
            yield text + '\n'
        elif word == 'short':
            expressions.append(text)
        elif word == 'full only':
            skip = True
        else:
            if not (short and skip):
                yield edited(block, expressions) if short else block
            expressions, skip = [], False


def edited(block, expressions):
    for expression in expressions:
        result = subprocess.run(['sed', '-E', expression], input=block, stdout=subprocess.PIPE, text=True, check=True).stdout
        if result == block:
            sys.exit(f'commands_of.py: "{expression}" changes nothing in:\n{block}')
        block = result
    return block


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--short', action='store_true')
    parser.add_argument('guide')
    chosen = parser.parse_args()
    with open(chosen.guide, encoding='utf-8') as stream:
        script = ''.join(commands(stream.read(), chosen.short))
    if not script:
        sys.exit(f'commands_of.py: no commands in {chosen.guide}')
    sys.stdout.write(script)


if __name__ == '__main__':
    main()
