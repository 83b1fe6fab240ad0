"""Compares the reference with the golden vectors of tests/data/goldens."""

import hashlib
import json

import numpy as np

from reference.checkpoint import read_tensors
from reference.model import MODES, Model


def check_files(folder, digests):
    """The golden vectors belong to exactly these checkpoint files."""
    for name, digest in digests.items():
        found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        assert found == digest, f'{folder / name}: sha256 {found}, expected {digest}'


def compare(checkpoint, goldens, longest):
    """Yields a line per prompt and mode: the largest difference of the last logits, and whether the
    greedy tokens agree."""
    listing = json.loads((goldens / 'goldens.json').read_text(encoding='utf-8'))
    tensors = read_tensors(goldens / 'goldens.safetensors')
    check_files(checkpoint, listing['checkpoint_files'])
    for mode in MODES:
        model = Model(checkpoint, mode)
        for prompt in listing['prompts']:
            if len(prompt['ids']) > longest or mode not in prompt:
                continue
            golden = prompt[mode]
            expected = golden.get('greedy', [])
            tokens, _, logits = model.greedy(prompt['ids'], len(expected))
            difference = float(np.abs(logits - tensors[golden['logits']]).max())
            agree = 'agree' if tokens == expected else 'DIFFER'
            yield f'{mode} {prompt["id"]}: logits within {difference:.3g}, tokens {agree}'
