"""Encoders of the number formats of a checkpoint: BF16, FP8 E4M3, FP4 E2M1 and their E8M0 scales
(model specification 2.7)."""

import numpy as np

E2M1_MAGNITUDES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)


def _e4m3_magnitude(code):
    exponent, mantissa = code >> 3, code & 7
    if exponent == 0:
        return mantissa / 8 * 2.0**-6
    return (1 + mantissa / 8) * 2.0 ** (exponent - 7)


# By code; 127 is NaN and has no magnitude.
E4M3_MAGNITUDES = np.array([_e4m3_magnitude(code) for code in range(127)], np.float32)


def nearest_code(magnitudes, grid):
    """The index of the nearest grid entry, ties to the even index."""
    middles = ((grid[1:].astype(np.float64) + grid[:-1]) / 2).astype(np.float32)
    below = np.searchsorted(middles, magnitudes, 'left')
    above = np.searchsorted(middles, magnitudes, 'right')
    tie = below != above
    return np.where(tie & (below % 2 == 1), above, below).astype(np.uint8)


def power_of_two_ceil_exponent(values):
    """The exponent of the smallest power of two that is not below a positive value."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits >> 23) & 0xFF).astype(np.int32) - 127 + ((bits & 0x7FFFFF) != 0)


def bf16_bits(values):
    """The upper halves of the floats, rounded to nearest, ties to even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def encode_fp8(weights, block_rows=32):
    """E4M3 codes [rows, columns] and E8M0 scales of blocks of block_rows x 32."""
    rows, columns = weights.shape
    row_blocks, column_blocks = -(-rows // block_rows), -(-columns // 32)
    padded = np.zeros((row_blocks * block_rows, column_blocks * 32), np.float32)
    padded[:rows, :columns] = weights
    blocks = padded.reshape(row_blocks, block_rows, column_blocks, 32)
    largest = np.maximum(np.abs(blocks).max((1, 3)), 2.0**-100)
    exponents = power_of_two_ceil_exponent((largest * np.float32(1 / 448)).astype(np.float32))
    scaled = blocks / np.ldexp(np.float32(1), exponents).astype(np.float32)[:, None, :, None]
    codes = nearest_code(np.minimum(np.abs(scaled), 448), E4M3_MAGNITUDES)
    codes |= np.signbit(scaled).astype(np.uint8) << 7
    codes = codes.reshape(padded.shape)[:rows, :columns]
    return np.ascontiguousarray(codes), (exponents + 127).astype(np.uint8)


def encode_fp4(weights):
    """E2M1 codes [rows, columns / 2], two per byte, and E8M0 scales of 32 columns."""
    rows, columns = weights.shape
    blocks = weights.reshape(rows, columns // 32, 32).astype(np.float32)
    largest = np.maximum(np.abs(blocks).max(2), 2.0**-100)
    exponents = power_of_two_ceil_exponent((largest * np.float32(1 / 6)).astype(np.float32))
    scaled = blocks / np.ldexp(np.float32(1), exponents).astype(np.float32)[:, :, None]
    codes = nearest_code(np.minimum(np.abs(scaled), 6), E2M1_MAGNITUDES)
    codes |= np.signbit(scaled).astype(np.uint8) << 3
    codes = codes.reshape(rows, columns)
    packed = codes[:, 0::2] | (codes[:, 1::2] << 4)
    return packed.astype(np.uint8), (exponents + 127).astype(np.uint8)
