"""Draws the values of a tensor and encodes them as they are stored.

Every tensor has a generator of its own, seeded by sha256 of "<seed>/<tensor name>": its values do
not depend on the order of writing, and variants with one seed share what they have in common.
"""

import hashlib
import math

import numpy as np

from tiny_checkpoint.number_formats import bf16_bits, encode_fp4, encode_fp8


def generator_of(seed, name):
    digest = hashlib.sha256(f'{seed}/{name}'.encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], 'little'))


def draw(seed, spec):
    """The arrays of a tensor in their stored type, in the order of stored_tensors()."""
    random = generator_of(seed, spec.name)
    shape = spec.shape
    values = (random.standard_normal(shape) * spec.std + spec.mean).astype(np.float32)
    if spec.name.endswith(('hc_attn_base', 'hc_ffn_base')):
        # The residual streams mix mostly with themselves, as in a trained model.
        streams = int(round(math.sqrt(shape[0] + 1))) - 1
        values[2 * streams :] += (np.eye(streams, dtype=np.float32) * 1.5).reshape(-1)
    if spec.name == 'head.weight':
        # Heavy-tailed rows: clearer winners in greedy decoding.
        row_gains = np.array([0.6, 0.8, 1, 1, 1.2, 1.6, 2.2], np.float32)
        values *= row_gains[random.integers(0, 7, (shape[0], 1))]
    if spec.kind == 'bf16':
        return [bf16_bits(values)]
    if spec.kind == 'f32':
        return [values]
    if spec.kind == 'fp8':
        return list(encode_fp8(values))
    if spec.kind == 'fp4':
        return list(encode_fp4(values))
    assert spec.kind == 'engram', spec.kind
    # Pieces of different size, so that the scales differ per row and per 32 columns.
    piece_gains = np.array([0.3, 0.5, 0.7, 1, 1.4, 2, 3], np.float32)
    values *= piece_gains[random.integers(0, 7, (shape[0], shape[1] // 32))].repeat(32, 1)
    return list(encode_fp8(values, 1))


class FastDraw:
    """Benchmark weights of gigabytes: random codes cut from a pool, with scales that give them
    about the wanted spread. No NaN codes."""

    POOL_BYTES = 96 << 20

    def __init__(self, seed):
        self.seed = seed
        self.pool = np.frombuffer(np.random.default_rng(seed).bytes(self.POOL_BYTES), np.uint8)

    def __call__(self, seed, spec):
        count = int(np.prod(spec.shape))
        if spec.kind == 'f32' or (spec.kind == 'bf16' and count < 1 << 20):
            return draw(seed, spec)
        if spec.kind == 'bf16':
            # Random sign and mantissa under an exponent near the spread.
            bits = self._bytes(spec.name, 2 * count).view(np.uint16)
            exponent = int(math.floor(math.log2(spec.std))) + 127
            low_bit = (bits & 0x80).astype(np.uint16)
            return [(bits & 0x807F | np.uint16((exponent - 1) << 7)) + low_bit]
        rows, columns = spec.shape
        random = generator_of(seed, spec.name)
        if spec.kind == 'fp4':
            codes = self._bytes(spec.name, count // 2)
            exponent = round(math.log2(spec.std / 2.9))
            scales = random.integers(0, 2, (rows, columns // 32)) + exponent + 126
            return [codes, scales.astype(np.uint8)]
        codes = self._bytes(spec.name, count)
        codes &= 0xBF  # The upper half of the exponents is left out: below 2, and no NaN.
        exponent = round(math.log2(spec.std / 0.75))
        scale_rows = rows if spec.kind == 'engram' else -(-rows // 32)
        scale_columns = columns // 32 if spec.kind == 'engram' else -(-columns // 32)
        scales = random.integers(0, 2, (scale_rows, scale_columns)) + exponent + 127
        return [codes, scales.astype(np.uint8)]

    def _bytes(self, name, count):
        """Bytes of the pool from a place that depends on the name."""
        offset = int.from_bytes(hashlib.sha256(name.encode()).digest()[:6], 'little') % (32 << 20)
        out = np.empty(count, np.uint8)
        done = 0
        while done < count:
            step = min(count - done, len(self.pool) - offset)
            out[done : done + step] = self.pool[offset : offset + step]
            done += step
            offset = (offset * 7 + 12345) % (16 << 20)
        return out
