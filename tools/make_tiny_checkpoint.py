#!/usr/bin/env python3
"""Writes the tiny random checkpoints of tests/data, byte for byte, and the benchmark checkpoint."""

import argparse
import pathlib

from tiny_checkpoint.variants import VARIANTS
from tiny_checkpoint.writer import write_checkpoint

BENCHMARK = 'slice'  # 4 GB, at the widths of the released model


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('variant', choices=[*VARIANTS, 'all'], help=f'all: all but {BENCHMARK}')
    parser.add_argument('folder', type=pathlib.Path, help='all: one folder per variant inside it')
    parser.add_argument('--seed', type=int, help='default: the seed of the variant')
    arguments = parser.parse_args()
    if arguments.variant != 'all':
        print(write_checkpoint(arguments.variant, arguments.folder, arguments.seed))
        return
    for variant in VARIANTS:
        if variant != BENCHMARK:
            print(write_checkpoint(variant, arguments.folder / variant, arguments.seed))


if __name__ == '__main__':
    main()
