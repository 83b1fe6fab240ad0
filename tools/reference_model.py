#!/usr/bin/env python3
"""The plain numpy reference of the model, from which the golden vectors were made."""

import argparse
import json
import pathlib

from reference.goldens import compare
from reference.model import MODES, Model
from reference.self_check import check_all


def token_list(text):
    return [int(token) for token in text.split(',')]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest='command', required=True)

    commands.add_parser('check', help='check the ops against the numbers of the specification')

    run = commands.add_parser('run', help='continue a token list greedily; prints JSON')
    run.add_argument('checkpoint', type=pathlib.Path)
    run.add_argument('--tokens', type=token_list, required=True, help='e.g. 0,17,4')
    run.add_argument('--chunks', type=token_list, help='how the prompt is cut (default: one chunk)')
    run.add_argument('--greedy', type=int, default=16, help='tokens to add (16)')
    run.add_argument('--mode', choices=MODES, default='fp32')

    goldens = commands.add_parser('goldens', help='compare with a folder of golden vectors')
    goldens.add_argument('checkpoint', type=pathlib.Path)
    goldens.add_argument('goldens', type=pathlib.Path)
    goldens.add_argument('--longest', type=int, default=48, help='longest prompt to try (48)')

    arguments = parser.parse_args()
    if arguments.command == 'check':
        check_all()
        print('ok')
    elif arguments.command == 'goldens':
        for line in compare(arguments.checkpoint, arguments.goldens, arguments.longest):
            print(line, flush=True)
    else:
        if arguments.chunks and sum(arguments.chunks) != len(arguments.tokens):
            parser.error(
                f'--chunks add up to {sum(arguments.chunks)}, expected {len(arguments.tokens)}'
            )
        model = Model(arguments.checkpoint, arguments.mode)
        tokens, gaps, logits = model.greedy(arguments.tokens, arguments.greedy, arguments.chunks)
        print(json.dumps(dict(tokens=tokens, gaps=gaps, logits=logits.tolist())))


if __name__ == '__main__':
    main()
