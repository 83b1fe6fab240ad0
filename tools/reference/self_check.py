"""Checks the ops against the values that the model specification prints."""

import numpy as np

from reference.engram_hash import bucket_primes, multipliers, normalise, table_rows
from reference.number_formats import (
    f32,
    quantise_q4e,
    quantise_q4u,
    quantise_q8,
    round_bf16,
)
from reference.ops import hyper_connection_split, rope_frequencies

RELEASED_VOCAB = 99092  # compressed ids of the released tokenizer


def check_hyper_connections():
    """Section 2.4."""
    # fmt: off
    mixes = [0.1, -0.2, 0.3, -0.4, 0.05, 0.15, -0.25, 0.35, -0.3, 0, 0.3, -0.1,
             0.2, -0.2, 0.1, -0.3, 0, 0.3, -0.1, 0.2, -0.2, 0.1, -0.3, 0]
    # fmt: on
    base = np.concatenate([[0.2, 0, -0.1, 0.1, 0, 0.1, 0.2, -0.3], np.eye(4).ravel()])
    split = hyper_connection_split(np.array([mixes]), [0.5, 0.25, 0.75], base, 4, 20, 1e-6)
    expected_comb = [
        [0.4235648, 0.1787156, 0.2296651, 0.1680535],
        [0.2296651, 0.4235648, 0.2002440, 0.1465251],
        [0.1787156, 0.2049737, 0.4235648, 0.1927450],
        [0.1680535, 0.1927449, 0.1465251, 0.4926755],
    ]
    expected = (
        [0.5621775, 0.4750218, 0.5124984, 0.4750218],
        [1.0062499, 1.0686419, 1.0686419, 0.8941479],
        expected_comb,
    )
    for found, values in zip(split, expected):
        assert np.allclose(found[0], values, atol=1e-6), found


def check_quantisers():
    """Section 2.7.5."""
    values = np.zeros(32, f32)
    values[:4] = round_bf16(np.array([0.3, -1.7, 2.49, 0.01], f32))
    assert list(values[:4]) == [0.30078125, -1.703125, 2.484375, 0.010009765625]
    _, scales, decoded = quantise_q8(values)
    assert list(decoded[:4]) == [0.3125, -1.75, 2.5, 0.009765625] and scales[0] == 120
    codes, _, decoded = quantise_q4u(values)
    assert list(decoded[:4]) == [0.25, -1.5, 2, 0] and list(codes[:4]) == [1, 0xD, 6, 0]
    codes, _, decoded = quantise_q4e(values[:16])
    assert list(decoded[:4]) == [0.203125, -1.625, 2.4375, 0]
    assert list(codes[:4]) == [1, 0xE, 7, 0]


def check_rope():
    """Section 2.8."""
    scaling = dict(
        rope_type='yarn',
        factor=16,
        beta_fast=32,
        beta_slow=1,
        original_max_position_embeddings=65536,
    )
    frequencies = rope_frequencies(64, 160000, scaling)
    for pair, expected in (
        (1, 6.87656045e-1),
        (15, 3.63553851e-3),
        (16, 2.26562494e-3),
        (20, 2.96977785e-4),
        (24, 1.95312532e-5),
        (31, 5.68052940e-7),
    ):
        assert abs(frequencies[pair] - expected) <= 2e-7 * expected, (pair, frequencies[pair])
    assert abs(rope_frequencies(64, 10000)[31] - 1.33352150e-4) < 2e-11


def check_engram():
    """Sections 3.1 to 3.4."""
    # fmt: off
    first = multipliers(1, 4, RELEASED_VOCAB)
    assert first == [76632096046245, 4839876093313, 35959672319349, 73987337458391]
    last = multipliers(14, 4, RELEASED_VOCAB)
    assert last == [67716810739261, 51510806800915, 30921347202721, 82619226485591]
    # fmt: on
    for layer in (1, 5, 14, 999999):
        for vocab in (300, RELEASED_VOCAB, 1 << 31):
            bound = max(1, (2**63 - 1) // vocab // 2)
            draws = np.random.default_rng(10007 * layer).integers(0, bound, 4, dtype=np.int64)
            assert multipliers(layer, 4, vocab) == [2 * int(draw) + 1 for draw in draws]

    primes = bucket_primes(2, 4, 8, 16000000)
    assert [part.sum() for part in primes] == [384006168, 384016682]
    assert primes[1][-1] == 16000889
    history = [0, 1337, 42, 99091, 5]
    rows = table_rows(history, 0, first, primes[0], 8, 2)
    assert list(rows[0][:3]) == [5702652, 24393184, 39183301] and rows[0][-1] == 380066193
    assert rows[3][0] == 9990907 and rows[3][-1] == 380549848
    assert table_rows(history, 4, last, primes[1], 8, 2)[0][0] == 743092

    for text, expected in (
        (' The', 'the'),
        ('THE', 'the'),
        (' ', ' '),
        ('\n\n', ' '),
        ('été', 'ete'),
        ('Ａ', 'a'),
        ('\u2003x ', 'x'),
        ('ﬁ', 'fi'),
    ):
        assert normalise(text) == expected, (text, normalise(text))


def check_all():
    check_hyper_connections()
    check_quantisers()
    check_rope()
    check_engram()
