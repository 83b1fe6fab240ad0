#!/usr/bin/env python3
"""Writes what the reference selects and finds likely, and what it would with caches kept wrongly.

Two mistakes: index keys of the layer that published last in place of the layer's own source, and
cache entries that are not rounded to their record's format. The engine must do what the right
reference does, and the golden shows that the wrong ones do something else.
"""

import contextlib
import json
import pathlib

import numpy as np

from reference.model import Model
from reference.number_formats import f64
from reference.pitfalls import PITFALLS, UNROUNDED, switched_on
from reference.state import State

MODEL = pathlib.Path('tests/data/t41')
PROMPTS = pathlib.Path('tests/data/goldens/t41/goldens.json')
GOLDEN = pathlib.Path('tests/data/goldens/cache_faults.json')
NUMERICS = 'fp32'
DECODED = 64
# Relative, after every op: what the order of a sum may do.
NOISE, NOISE_SEEDS = 3e-7, (1, 2, 3)


@contextlib.contextmanager
def reference(wrong=None, noise=None):
    text = json.loads((MODEL / 'config.json').read_text(encoding='utf-8'))['text_config']
    with switched_on(wrong, text) if wrong else contextlib.nullcontext():
        yield Model(MODEL, NUMERICS, noise)


def decode(prompt, forced=None, **options):
    """The tokens that the model would give after the prompt, the gaps to the second best, and what
    every index source selects for each of them, one token at a time. forced: run these tokens."""
    chosen, gaps, selected = [], [], {}

    def trace(name, values):
        part, _, rest = name.partition('.')
        layer, _, what = rest.partition('.')
        if (part, what) == ('index', 'sel'):
            selected.setdefault(layer, []).append(values[0].tolist())

    with reference(**options) as model:
        state = State()
        logits = model.forward(prompt, state)[-1]
        for step in range(DECODED):
            best, second = np.argsort(-logits, kind='stable')[:2]
            chosen.append(int(best))
            gaps.append(round(float(logits[best] - logits[second]), 6))
            token = forced[step] if forced else chosen[-1]
            logits = model.forward([token], state, trace)[-1]
    return dict(tokens=chosen, gaps=gaps, selected=selected)


def log_likelihoods(tokens, **options):
    """Of every token but the first, given those before it."""
    with reference(**options) as model:
        logits = model.forward(tokens, State(), all_logits=True)[:-1].astype(f64)
    logits -= logits.max(1, keepdims=True)
    chosen = logits[np.arange(len(logits)), tokens[1:]]
    return (chosen - np.log(np.exp(logits).sum(1))).round(6).tolist()


def decoding(prompt):
    right = decode(prompt)
    for seed in NOISE_SEEDS:  # or the engine could select otherwise and be right
        noisy = decode(prompt, right['tokens'], noise=(NOISE, seed))
        assert noisy['tokens'] == right['tokens'], seed
        assert noisy['selected'] == right['selected'], seed
    last_publisher = next(
        wrong for wrong in PITFALLS if wrong.name == 'index keys of the last publisher'
    )
    wrong = decode(prompt, right['tokens'], wrong=last_publisher)
    del wrong['gaps']
    return dict(prompt=prompt, right=right, last_publisher=wrong)


def rounding(tokens):
    right = log_likelihoods(tokens)
    noise = max(
        np.abs(np.subtract(log_likelihoods(tokens, noise=(NOISE, seed)), right)).max()
        for seed in NOISE_SEEDS
    )
    skipped = {wrong.name: log_likelihoods(tokens, wrong=wrong) for wrong in UNROUNDED}
    return dict(tokens=tokens, right=right, noise=float(noise), skipped=skipped)


def json_text(value, depth=0):
    """A line for each list, or list of numbers in it, rather than for each number."""
    indent = ' ' * (depth + 1)
    if isinstance(value, dict):
        fields = [
            f'{indent}{json.dumps(key)}: {json_text(field, depth + 1)}'
            for key, field in value.items()
        ]
        return '{\n' + ',\n'.join(fields) + '\n' + ' ' * depth + '}'
    if isinstance(value, list) and value and isinstance(value[0], list):
        rows = [indent + json.dumps(row) for row in value]
        return '[\n' + ',\n'.join(rows) + '\n' + ' ' * depth + ']'
    return json.dumps(value)


def main():
    prompts = json.loads(PROMPTS.read_text(encoding='utf-8'))['prompts']
    ids = {prompt['id']: prompt['ids'] for prompt in prompts}
    golden = dict(
        note='what the reference selects while it decodes and how likely it finds a text, and the '
        'same with caches kept wrongly; by tools/cache_faults.py',
        model=MODEL.name,
        numerics=NUMERICS,
        decoding=decoding(ids['p48']),
        rounding=rounding(ids['p131']),
    )
    GOLDEN.write_text(json_text(golden) + '\n', encoding='utf-8')


if __name__ == '__main__':
    main()
