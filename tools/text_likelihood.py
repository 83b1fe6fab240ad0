#!/usr/bin/env python3
"""Writes how likely the reference finds a text, and how likely with each known pitfall.

The text is that of the bundled model's own evaluation cases. Every pitfall that moves the mean
log-likelihood by more than the tolerance is one that the engine's test would notice.
"""

import argparse
import json
import pathlib
import time

from reference.pitfalls import PITFALLS, REASONS, mean_log_likelihood

MODEL = pathlib.Path('models/DeepInfer-V4.1-tiny')
GOLDEN = pathlib.Path('tests/data/goldens/text_likelihood.json')
TOLERANCE = 1e-3
# Official rounding that goes another way here and there moves the mean as far as some pitfalls do.
PITFALL_NUMERICS = 'fp32'
# Relative, after every op: what the order of a sum may do.
NOISE, NOISE_SEEDS = 3e-7, (1, 2, 3)


def text_of_cases(count):
    """Token ids of prompts and answers, case by case."""
    cases = json.loads((MODEL / 'eval.json').read_text(encoding='utf-8'))
    tokens = [token for case in cases for token in case['tokens'] + case['expect_tokens']]
    assert len(tokens) >= count, len(tokens)
    return tokens[:count]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--tokens', type=int, default=2000, help='length of the text (2000)')
    parser.add_argument('--only', type=int, help='print this pitfall and write nothing')
    arguments = parser.parse_args()

    tokens = text_of_cases(arguments.tokens)
    reference = {mode: mean_log_likelihood(MODEL, mode, tokens) for mode in ('official', 'fp32')}
    print(reference, flush=True)
    noise = {
        mode: max(
            abs(mean_log_likelihood(MODEL, mode, tokens, noise=(NOISE, seed)) - reference[mode])
            for seed in NOISE_SEEDS
        )
        for mode in reference
    }
    print('noise', noise, flush=True)
    moving, unmoved = [], []
    for wrong in PITFALLS:
        if arguments.only not in (None, wrong.number):
            continue
        start = time.monotonic()
        mean = mean_log_likelihood(MODEL, PITFALL_NUMERICS, tokens, wrong)
        moved = abs(mean - reference[PITFALL_NUMERICS])
        took = f'{time.monotonic() - start:.0f} s'
        print(f'{wrong.number} {wrong.name}: {mean} moved {moved:.6f} ({took})', flush=True)
        entry = dict(pitfall=wrong.number, name=wrong.name, mean=mean)
        if moved > TOLERANCE:
            moving.append(entry)
        elif arguments.only is None:
            unmoved.append(dict(entry, reason=REASONS.get((wrong.number, wrong.name))))
    if arguments.only is not None:
        return

    unexplained = [entry['name'] for entry in unmoved if entry['reason'] is None]
    assert not unexplained, unexplained
    known = {(entry['pitfall'], entry['name']) for entry in moving + unmoved}
    unmoved += [
        dict(pitfall=number, name=name, reason=reason)
        for (number, name), reason in REASONS.items()
        if (number, name) not in known
    ]
    golden = dict(
        note='mean log-likelihood of tokens[1:], each given those before it, by '
        'tools/text_likelihood.py; pitfalls are those of the model specification, section 7',
        model=str(MODEL),
        reference=reference,
        noise=noise,
        pitfall_numerics=PITFALL_NUMERICS,
        pitfalls=sorted(moving, key=lambda entry: (entry['pitfall'], entry['name'])),
        unmoved=sorted(unmoved, key=lambda entry: (entry['pitfall'], entry['name'])),
    )
    text = json.dumps(golden, indent=1, ensure_ascii=False)
    text = text[: text.rindex('\n')] + f',\n "tokens": {json.dumps(tokens)}\n}}\n'
    GOLDEN.write_text(text, encoding='utf-8')


if __name__ == '__main__':
    main()
